"""Questions to requesters: what is answered, when, and what the answer brings."""

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk

from .approver_desk import AGENT, ask, decide, open_desk
from .company import NOW, refusal, trail


async def test_a_question_is_answered_after_a_while_and_what_comes_with_it_is_attached(
    approvalflow: Desk,
) -> None:
    answer = {"id": "APR-0011:quote", "text": "Here it is.", "delay_s": 3 * HOUR, "attaches": "Q-2"}
    world = await open_desk(approvalflow, answers=[answer])

    asked = (await ask(world)).json()
    before = (await world.get("/requests/APR-0011/dossier")).json()
    await world.advance(3 * HOUR)
    after = (await world.get("/requests/APR-0011/dossier")).json()

    assert (asked["id"], asked["answer"]) == ("APR-0011-Q1", None)
    assert before["questions"][0]["answer"] is None
    assert before["attachments"] == []
    assert after["questions"][0]["answer"] == "Here it is."
    assert [one["reference"] for one in after["attachments"]] == ["Q-2"]
    assert await trail(world, "APR-0011") == ["questioned", "answered"]


async def test_a_requester_who_knows_nothing_says_so(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)

    await ask(world, about="supplier")
    await world.advance(DAY)

    [question] = (await world.get("/requests/APR-0011/dossier")).json()["questions"]
    assert question["answer"] == "I have nothing to add to what the request says."


async def test_the_same_is_not_asked_twice_at_once(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)
    await ask(world)

    assert refusal(await ask(world))[:2] == (409, "question_open")
    assert (await ask(world, about="purpose")).json()["id"] == "APR-0011-Q2"
    await world.advance(DAY)
    assert (await ask(world)).json()["id"] == "APR-0011-Q3"


async def test_an_answer_to_a_decided_request_attaches_nothing(approvalflow: Desk) -> None:
    answer = {"id": "APR-0011:quote", "text": "Here it is.", "delay_s": HOUR, "attaches": "Q-2"}
    world = await open_desk(approvalflow, answers=[answer])
    await ask(world)
    await decide(world)

    await world.advance(HOUR)

    dossier = (await world.get("/requests/APR-0011/dossier")).json()
    assert dossier["attachments"] == []
    assert dossier["questions"][0]["answer"] == "Here it is."


async def test_open_questions_of_the_past_are_answered(approvalflow: Desk) -> None:
    asked = {"id": "APR-0011-Q1", "request_id": "APR-0011", "about": "quote", "text": "Where?"}
    asked |= {"asked_by": AGENT, "asked_at": NOW - HOUR, "due_at": NOW + HOUR}
    world = await open_desk(approvalflow, questions=[asked])

    await world.advance(HOUR)

    [question] = (await world.get("/requests/APR-0011/dossier")).json()["questions"]
    assert question["answered_at"] is not None
