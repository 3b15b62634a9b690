"""Mailboxes, and colleagues who answer after a while."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, absence, person, start

ALEX = "alex.agent"
SARAH = "sarah.chen"


def message(message_id: str = "MSG-0001", **changes: Any) -> Row:
    row = {
        "id": message_id,
        "thread": message_id,
        "sender": SARAH,
        "recipient": ALEX,
        "sent_at": NOW - HOUR,
        "subject": "Bank details",
        "body": "They have a new account.",
        "about": "V-104",
    }
    return {**row, **changes}


def fact(**changes: Any) -> Row:
    row = {
        "id": f"{SARAH}:V-104",
        "person": SARAH,
        "about": "V-104",
        "body": "The old account is right.",
        "delay_s": 3 * HOUR,
    }
    return {**row, **changes}


async def company(datahub: Desk, **rows: list[Row]) -> World:
    people = [person(), person(ALEX, role="analyst", team="operations"), person("ana.lopez", team="audit")]
    return await start(datahub, **{"people": people, **rows})


async def ids(world: World, **filters: Any) -> list[str]:
    answer = await world.get("/messages", params=filters)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


async def ask(world: World, about: str = "V-104", to: str = SARAH) -> Row:
    answer = await world.post("/messages", json={"to": to, "about": about, "body": "Which account?"})
    assert answer.status_code == 201, answer.text
    sent: Row = answer.json()
    return sent


async def answers(world: World) -> list[tuple[str, str]]:
    """Return what the agent was sent since the start: about what, and the text."""
    rows = (await world.rows("messages", scope="diff")).values()
    return [(row["about"], row["body"]) for row in rows if row["recipient"] == ALEX]


async def test_a_mailbox_has_ones_own_messages_and_the_teams_newest_first(datahub: Desk) -> None:
    world = await company(
        datahub,
        messages=[
            message("MSG-0001", sent_at=NOW - 9 * DAY),
            message("MSG-0002", recipient="operations", sent_at=NOW - DAY),
            message("MSG-0003", recipient="audit"),
            message("MSG-0004", sender=ALEX, recipient=SARAH, sent_at=NOW - 2 * DAY),
            message("MSG-0005", sent_at=NOW - DAY),
        ],
    )

    assert await ids(world) == ["MSG-0005", "MSG-0002", "MSG-0004", "MSG-0001"]
    assert await ids(world, sender=ALEX) == ["MSG-0004"]
    assert await ids(world, about="V-105") == []
    assert await ids(world, q="NEW account", limit=1) == ["MSG-0005"]
    assert await ids(world.acting("ana.lopez", "auditor")) == ["MSG-0003"]


async def test_reading_a_message_shows_its_text_and_marks_it_as_read(datahub: Desk) -> None:
    world = await company(datahub, messages=[message()])

    effects = await world.effects("POST", "/messages/MSG-0001/read")
    again = await world.post("/messages/MSG-0001/read")
    listed = (await world.get("/messages")).json()["items"]

    assert [change["id"] for change in effects["changes"]] == [f"MSG-0001@1:{ALEX}"]
    assert again.json() == {**message(), "sent_at": to_iso(NOW - HOUR)}
    assert listed[0]["is_read"] is True


async def test_the_messages_of_others_are_unknown(datahub: Desk) -> None:
    world = await company(
        datahub, messages=[message(recipient="ana.lopez"), message("MSG-0002", recipient="audit")]
    )

    for message_id in ("MSG-0001", "MSG-0002", "MSG-0099"):
        refused = await world.post(f"/messages/{message_id}/read")
        assert (refused.status_code, refused.json()["type"]) == (404, "message_unknown")
    assert await world.rows("receipts", scope="diff") == {}


async def test_a_colleague_answers_with_what_they_know_after_their_delay(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[fact()])

    sent = await ask(world)
    await world.advance(3 * HOUR - 1)
    early = await answers(world)
    await world.advance(1)

    assert (sent["subject"], sent["thread"]) == ("About V-104", "MSG-0001")
    assert early == []
    answer = (await world.rows("messages"))["MSG-0002"]
    assert (answer["sender"], answer["recipient"], answer["thread"]) == (SARAH, ALEX, "MSG-0001")
    assert (answer["subject"], answer["body"]) == ("Re: About V-104", "The old account is right.")
    assert answer["sent_at"] == NOW + 3 * HOUR


async def test_a_colleague_who_is_away_answers_on_their_return(datahub: Desk) -> None:
    away = absence(starts_at=NOW + HOUR, ends_at=NOW + DAY)
    world = await company(datahub, knowledge=[fact()], absences=[away])

    await ask(world)
    await world.advance(3 * HOUR)
    meanwhile = await answers(world)
    await world.advance(21 * HOUR)

    assert meanwhile == []
    assert await answers(world) == [("V-104", "The old account is right.")]


async def test_a_colleague_who_knows_nothing_says_so_after_a_while(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[fact()])

    await ask(world, about="V-105")
    await ask(world, to="ana.lopez")
    await world.advance(2 * HOUR)

    assert sorted(await answers(world)) == [
        ("V-104", "I know nothing about V-104, sorry. Perhaps somebody else does."),
        ("V-105", "I know nothing about V-105, sorry. Perhaps somebody else does."),
    ]


async def test_a_colleague_who_asks_back_tells_it_once_they_are_answered(datahub: Desk) -> None:
    unsure = fact(question="Which contract do you mean?", needs="C-17")
    world = await company(datahub, knowledge=[unsure])

    await ask(world)
    await world.advance(3 * HOUR)
    await ask(world, about="C-18")
    await world.advance(3 * HOUR)
    await ask(world, about="C-17")
    await world.advance(3 * HOUR)

    assert [body for _, body in await answers(world)] == [
        "Which contract do you mean?",
        "I know nothing about C-18, sorry. Perhaps somebody else does.",
        "The old account is right.",
    ]


async def test_a_message_about_what_somebody_would_ask_for_tells_nothing_by_itself(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[fact(question="Which contract?", needs="C-17")])

    await ask(world, about="C-17")
    await world.advance(3 * HOUR)
    await ask(world)
    await world.advance(3 * HOUR)

    assert [body for _, body in await answers(world)] == [
        "I know nothing about C-17, sorry. Perhaps somebody else does.",
        "The old account is right.",
    ]


async def test_the_next_message_of_a_company_with_a_past_has_the_next_id(datahub: Desk) -> None:
    world = await company(datahub, messages=[message("MSG-0041")])

    assert (await ask(world))["id"] == "MSG-0042"


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"to": "no.body", "about": "V-104", "body": "?"}, 404, "person_unknown", "to"),
        ({"to": ALEX, "about": "V-104", "body": "?"}, 422, "message_to_oneself", "to"),
        ({"to": SARAH, "about": "V-104", "body": ""}, 422, "invalid_request", "body"),
        ({"to": SARAH, "body": "?"}, 422, "invalid_request", "about"),
        ({"to": SARAH, "about": "V-104", "body": "x" * 4001}, 422, "invalid_request", "body"),
    ],
)
async def test_a_message_that_cannot_be_sent_is_refused_and_leaves_nothing(
    datahub: Desk, body: Row, status: int, code: str, field: str
) -> None:
    world = await company(datahub)

    refused = await world.post("/messages", json=body)

    assert (refused.status_code, refused.json()["type"], refused.json()["field"]) == (status, code, field)
    assert await world.rows("messages", scope="diff") == {}
    assert await world.internal_rows("world_due", "id") == []


async def test_tools_do_not_reveal_knowledge_of_colleagues(datahub: Desk) -> None:
    world = await company(datahub, knowledge=[fact(body="canary 31337")])

    shown = [await world.get(path) for path in ("/messages", "/records", f"/people/{SARAH}")]
    await ask(world)
    shown.append(await world.get("/messages"))

    assert not any("31337" in answer.text for answer in shown)
