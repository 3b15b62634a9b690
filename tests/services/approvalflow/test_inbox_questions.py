"""Questions to requesters: what is answered, when, and what the answer brings."""

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk

from .approver_desk import ask, decide, open_desk
from .company import refusal


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
