"""Mailboxes by text, sender and object, and what a colleague has been told by whom."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR
from services.datahub.messages.domain import NOTHING_KNOWN_S, reply_line
from tests.live_services import Desk, World

from .company import NOW, Row, absence, person, start

ALEX, SARAH, ANA = "alex.agent", "sarah.chen", "ana.lopez"


def message(number: int, **changes: Any) -> Row:
    """A message of Sarah Chen to the agent, one hour younger than the one before."""
    message_id = f"MSG-{number:04d}"
    row: Row = {"id": message_id, "thread": message_id, "sender": SARAH, "recipient": ALEX}
    row |= {"sent_at": NOW - DAY + number * HOUR, "subject": "Bank details", "body": "A new account."}
    return {**row, "about": "V-104", **changes}


def fact(**changes: Any) -> Row:
    row = {"id": f"{SARAH}:V-104", "person": SARAH, "about": "V-104", "body": "The old one is right."}
    return {**row, "delay_s": HOUR, **changes}


UNSURE = fact(question="Which contract?", needs="C-17")


async def company(datahub: Desk, **rows: list[Row]) -> World:
    people = [person(), person(ALEX, role="analyst", team="operations"), person(ANA, team="audit")]
    return await start(datahub, **{"people": people, **rows})


async def ids(world: World, **filters: Any) -> list[str]:
    answer = await world.get("/messages", params=filters)
    return [item["id"] for item in answer.json()["items"]]


async def ask(world: World, about: str = "V-104", to: str = SARAH) -> None:
    answer = await world.post("/messages", json={"to": to, "about": about, "body": "Which account?"})
    assert answer.status_code == 201, answer.text


async def answers(world: World, to: str = ALEX) -> list[str]:
    """Return the texts that a person was sent since the start, in order."""
    rows = (await world.rows("messages", scope="diff")).values()
    return [row["body"] for row in rows if row["recipient"] == to]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"q": "BANK"}, [4, 1]),
        ({"q": "contract"}, [3, 2]),
        ({"q": "new account"}, [4, 1]),
        ({"q": "%"}, []),
        ({"about": "C-17"}, [3, 2]),
        ({"sender": ANA}, [3]),
        ({"sender": ALEX, "about": "C-17"}, [2]),
        ({"sender": SARAH, "q": "contract"}, []),
        ({"about": "V-104", "q": "bank", "sender": SARAH}, [4, 1]),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
async def test_messages_are_found_by_text_object_and_sender_together(
    datahub: Desk, filters: dict[str, str], found: list[int]
) -> None:
    contract = {"subject": "About the contract", "body": "Which?", "about": "C-17"}
    messages = [
        message(1),
        message(2, **{**contract, "sender": ALEX, "recipient": ANA}),
        message(3, **{**contract, "subject": "Reply", "body": "The CONTRACT of May.", "sender": ANA}),
        message(4),
        message(5, recipient=ANA),
    ]
    world = await company(datahub, messages=messages)

    assert await ids(world, **filters) == [f"MSG-{number:04d}" for number in found]


async def test_a_mailbox_goes_on_from_a_message_that_the_filter_leaves_out(datahub: Desk) -> None:
    messages = [message(1), message(2, about="C-17"), message(3)]
    world = await company(datahub, messages=messages)

    assert await ids(world, about="V-104", cursor="MSG-0002") == ["MSG-0001"]


async def test_a_team_shares_its_mailbox_and_each_member_reads_for_themselves(datahub: Desk) -> None:
    colleague = person("omar.ali", role="analyst", team="operations")
    people = [person(), person(ALEX, role="analyst", team="operations"), colleague]
    world = await start(datahub, people=people, messages=[message(1, recipient="operations")])
    other = world.acting("omar.ali", "analyst")

    await other.post("/messages/MSG-0001/read")

    mine, theirs = [(await one.get("/messages")).json()["items"][0] for one in (world, other)]
    assert (mine["is_read"], theirs["is_read"]) == (False, True)


async def test_somebody_outside_the_directory_has_a_mailbox_of_their_own_only(datahub: Desk) -> None:
    messages = [message(1, recipient="temp"), message(2, recipient="operations")]
    world = (await company(datahub, messages=messages)).acting("temp", "visitor")

    assert await ids(world) == ["MSG-0001"]


async def test_an_answer_to_a_question_written_to_somebody_else_tells_nothing(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[UNSURE])
    await ask(world)
    await world.advance(HOUR)
    await ask(world, about="C-17", to=ANA)
    await ask(world)

    await world.advance(DAY)

    assert [body for body in await answers(world) if "know nothing" not in body] == ["Which contract?"] * 2


async def test_an_answer_that_somebody_else_wrote_tells_nothing_either(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[UNSURE])
    await ask(world.acting(ANA, "auditor"), about="C-17")
    await ask(world)

    await world.advance(DAY)

    assert await answers(world) == ["Which contract?"]


async def test_messages_of_the_past_count_as_told(datahub: Desk) -> None:
    told = message(1, sender=ALEX, recipient=SARAH, about="C-17")
    world = await company(datahub, knowledge=[UNSURE], messages=[told])
    await ask(world)

    await world.advance(HOUR)

    assert await answers(world) == ["The old one is right."]


async def test_colleagues_do_not_share_knowledge_about_another_object(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[fact(), fact(id="x", about="V-105", body="It is fine.")])
    await ask(world, about="V-105")

    await world.advance(HOUR)

    assert await answers(world) == ["It is fine."]


@pytest.mark.parametrize(
    ("asked", "delay_s"), [([SARAH], HOUR), ([ANA], NOTHING_KNOWN_S), ([], NOTHING_KNOWN_S)]
)
async def test_reply_to_a_colleagues_question_keeps_the_delay_of_the_first_question(
    datahub: Desk, asked: list[str], delay_s: int
) -> None:
    before = [message(number, sender=ALEX, recipient=to) for number, to in enumerate(asked, start=1)]
    world = await company(datahub, knowledge=[UNSURE], messages=before)

    effects = await world.effects("POST", "/messages", json={"to": SARAH, "about": "C-17", "body": "That."})

    assert effects["next_due"] == NOW + delay_s


async def test_a_colleague_who_goes_away_again_before_answering_answers_on_the_last_return(
    datahub: Desk,
) -> None:
    away = [
        absence(id="A-1", starts_at=NOW + HOUR, ends_at=NOW + 5 * HOUR),
        absence(id="A-2", starts_at=NOW + 5 * HOUR, ends_at=NOW + 9 * HOUR),
    ]
    world = await company(datahub, knowledge=[fact()], absences=away)
    await ask(world)

    await world.advance(9 * HOUR - 1)
    meanwhile = await answers(world)
    await world.advance(1)

    assert (meanwhile, await answers(world)) == ([], ["The old one is right."])


async def test_two_colleagues_answer_in_threads_of_their_own(datahub: Desk) -> None:
    known = [fact(), fact(id="x", person=ANA, body="Ask Sarah.")]
    world = await company(datahub, knowledge=known)
    await ask(world)
    await ask(world, to=ANA)

    await world.advance(HOUR)

    rows = await world.rows("messages")
    replies = {
        row["sender"]: (row["thread"], row["about"]) for row in rows.values() if row["recipient"] == ALEX
    }
    assert replies == {SARAH: ("MSG-0001", "V-104"), ANA: ("MSG-0002", "V-104")}


@pytest.mark.parametrize(
    ("subject", "reply"),
    [
        ("About V-104", "Re: About V-104"),
        ("Re: About V-104", "Re: About V-104"),
        ("Regarding", "Re: Regarding"),
    ],
)
def test_a_reply_says_so_once(subject: str, reply: str) -> None:
    assert reply_line(subject) == reply
