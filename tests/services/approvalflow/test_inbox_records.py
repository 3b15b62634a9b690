"""What the acts of an inbox leave behind: versions, due times, the audit, and answers that come once."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, company, person, plain_approval, read, refusal, request, trail

AGENT = "alex.agent"
NOTHING = "I have nothing to add to what the request says."
PEOPLE = [
    person(AGENT, "manager", by_hand=True),
    person("mia.boss", "manager"),
    person("rita.requester", "engineer"),
]


def waiting(**changes: Any) -> Row:
    """A request of Rita Requester that waits for the agent, at version 2."""
    row: Row = {"type": "plain_approval", "ticket_id": None, "subject": None, "fields": {}, "evidence": {}}
    return request(
        **{**row, "requester": "rita.requester", "approver": AGENT, "decision_due": NOW + 5 * DAY, **changes}
    )


def question(number: int = 1, **changes: Any) -> Row:
    """A question about the quote that Rita answers an hour after the start."""
    row = {"id": f"APR-0007-Q{number}", "request_id": "APR-0007", "about": "quote", "text": "Where is it?"}
    return {**row, "asked_by": AGENT, "asked_at": NOW - HOUR, "due_at": NOW + HOUR, **changes}


def known(about: str = "quote", **changes: Any) -> Row:
    return {"id": f"APR-0007:{about}", "text": "Here.", "delay_s": 3 * HOUR, **changes}


async def open_desk(approvalflow: Desk, **tables: list[Row]) -> World:
    """Return a world with that request, in which the agent decides in person."""
    types = [plain_approval(expires_s=20 * DAY)]
    rows = company(**{"people": PEOPLE, "approval_types": types, "requests": [waiting()], **tables})
    return await approvalflow.world(rows, now=NOW, actor=AGENT, role="manager")


async def act(world: World, what: str, **body: Any) -> Any:
    return await world.post(f"/requests/APR-0007/{what}", json=body)


async def ask(world: World, about: str = "quote", **more: Any) -> Any:
    return await act(world, "questions", question="Where is it?", about=about, **more)


async def questions(world: World) -> list[Row]:
    found: list[Row] = (await world.get("/requests/APR-0007/dossier")).json()["questions"]
    return found


async def test_a_question_is_kept_with_the_instant_of_its_answer(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, answers=[known()])

    asked = await ask(world, "QUOTE")

    assert asked.status_code == 201
    assert asked.json() == {
        "id": "APR-0007-Q1",
        "request_id": "APR-0007",
        "about": "quote",
        "text": "Where is it?",
        "asked_by": AGENT,
        "asked_at": to_iso(NOW),
        "due_at": to_iso(NOW + 3 * HOUR),
        "answered_at": None,
        "answer": None,
    }


async def test_a_question_is_answered_at_its_instant_and_not_before(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, answers=[known()])
    await ask(world)

    await world.advance(3 * HOUR - 1)
    [before] = await questions(world)
    await world.advance(1)
    [after] = await questions(world)

    assert (before["answer"], after["answer"]) == (None, "Here.")
    assert after["answered_at"] == to_iso(NOW + 3 * HOUR)


async def test_a_question_and_its_answer_each_count_up_the_version(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, answers=[known()])

    await ask(world, version=2)
    asked = (await read(world, "APR-0007"))["version"]
    await world.advance(3 * HOUR)

    assert (asked, (await read(world, "APR-0007"))["version"]) == (3, 4)


async def test_a_requester_who_knows_nothing_needs_two_hours_to_say_so(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, answers=[known("purpose")])

    asked = (await ask(world, "supplier")).json()
    await world.advance(2 * HOUR)

    assert asked["due_at"] == to_iso(NOW + 2 * HOUR)
    assert [one["answer"] for one in await questions(world)] == [NOTHING]


async def test_questions_and_answers_are_on_record_with_who_said_what(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow, answers=[known()])

    await ask(world)
    await world.advance(3 * HOUR)

    entries = (await world.get("/requests/APR-0007/audit")).json()["items"]
    assert [(one["actor"], one["action"], one["detail"], one["at"]) for one in entries] == [
        (AGENT, "questioned", "quote: Where is it?", to_iso(NOW)),
        ("rita.requester", "answered", "Here.", to_iso(NOW + 3 * HOUR)),
    ]


async def test_attachment_of_an_answer_is_added_by_the_requester_last(
    approvalflow: Desk,
) -> None:
    first = {"kind": "record", "reference": "V-104", "by": AGENT, "at": NOW - DAY}
    requests = [waiting(evidence={"attachments": [first]})]
    world = await open_desk(approvalflow, requests=requests, answers=[known(attaches="Q-2")])
    await ask(world)

    await world.advance(3 * HOUR)

    attached = (await world.get("/requests/APR-0007/dossier")).json()["attachments"]
    assert attached == [
        {**first, "at": to_iso(NOW - DAY)},
        {"kind": "document", "reference": "Q-2", "by": "rita.requester", "at": to_iso(NOW + 3 * HOUR)},
    ]


@pytest.mark.parametrize(
    ("due_at", "answered_at"),
    [(NOW + HOUR, NOW + HOUR), (NOW, NOW), (NOW - HOUR, NOW)],
    ids=["to come", "now", "overdue"],
)
async def test_a_question_of_the_past_is_answered_when_it_is_due_and_never_before_the_start(
    approvalflow: Desk, due_at: int, answered_at: int
) -> None:
    world = await open_desk(approvalflow, questions=[question(due_at=due_at)])

    await world.advance(0)
    at_once = (await questions(world))[0]["answered_at"]
    await world.advance(HOUR)

    assert (at_once is not None) == (answered_at == NOW)
    assert [one["answer"] for one in await questions(world)] == [NOTHING]


async def test_a_question_that_was_answered_before_the_start_is_not_answered_again(
    approvalflow: Desk,
) -> None:
    told = question(answered_at=NOW - 60, answer="It is on its way.")
    world = await open_desk(approvalflow, questions=[told], answers=[known()])

    effects = await world.advance(DAY)

    assert effects["changes"] == []
    assert [one["answer"] for one in await questions(world)] == ["It is on its way."]


async def test_a_question_about_a_request_that_is_not_there_is_never_answered(approvalflow: Desk) -> None:
    lost = question(request_id="APR-0404", id="APR-0404-Q1")
    world = await open_desk(approvalflow, questions=[lost])

    assert (await world.advance(HOUR))["changes"] == []


async def test_questions_are_listed_in_the_order_they_were_asked(approvalflow: Desk) -> None:
    asked = [question(number, answered_at=NOW - 1, answer="-") for number in range(1, 12)]
    world = await open_desk(approvalflow, questions=asked)

    assert (await ask(world)).json()["id"] == "APR-0007-Q12"
    assert [one["id"] for one in await questions(world)] == [f"APR-0007-Q{n}" for n in range(1, 13)]


async def test_passing_a_request_on_gives_the_new_approver_a_time_of_their_own(approvalflow: Desk) -> None:
    world = await open_desk(approvalflow)

    passed = (await act(world, "pass_on", to="mia.boss", reason="Not mine.", version=2)).json()

    assert (passed["approver"], passed["version"]) == ("mia.boss", 3)
    assert passed["decision_due_at"] == to_iso(NOW + HOUR)
    [entry] = (await world.get("/requests/APR-0007/audit")).json()["items"]
    assert (entry["actor"], entry["detail"]) == (AGENT, f"From {AGENT} to mia.boss: Not mine.")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"decision": "approve"}, None),
        ({"decision": "approve", "comment": "Fine."}, "Fine."),
        (
            {"decision": "reject", "reason_code": "duplicate"},
            "The same has been requested already.",
        ),
        (
            {"decision": "REJECT", "reason_code": "Duplicate", "comment": "See APR-0003."},
            "The same has been requested already. See APR-0003.",
        ),
    ],
    ids=["approve", "approve with a comment", "reject", "reject with a comment"],
)
async def test_a_decision_has_the_words_of_its_reason_and_of_the_comment(
    approvalflow: Desk, body: Row, reason: str | None
) -> None:
    world = await open_desk(approvalflow)

    decided = (await act(world, "decision", **body)).json()

    assert decided["reason"] == reason
    assert (decided["decided_at"], decided["version"]) == (to_iso(NOW), 3)
    [entry] = (await world.get("/requests/APR-0007/audit")).json()["items"]
    assert entry["detail"] == (reason or "On the request alone.")


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("decision", {"decision": "approve"}),
        ("questions", {"question": "Where?", "about": "quote"}),
        ("pass_on", {"to": "mia.boss", "reason": "-"}),
    ],
)
@pytest.mark.parametrize("status", ["held", "rejected", "voided"])
async def test_only_what_is_with_its_approver_can_be_acted_on(
    approvalflow: Desk, what: str, body: Row, status: str
) -> None:
    world = await open_desk(approvalflow, requests=[waiting(status=status)])

    assert refusal(await act(world, what, **body)) == (409, "request_not_open", None)
    assert await trail(world, "APR-0007") == []


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("questions", {"question": "Where?", "about": "quote"}),
        ("pass_on", {"to": "mia.boss", "reason": "-"}),
    ],
)
async def test_a_request_that_has_changed_since_it_was_read_is_left_alone(
    approvalflow: Desk, what: str, body: Row
) -> None:
    world = await open_desk(approvalflow)

    stale = await act(world, what, **body, version=1)
    current = await act(world, what, **body, version=2)

    assert refusal(stale) == (409, "version_conflict", "version")
    assert current.is_success


async def test_a_dossier_tells_everything_about_its_request(approvalflow: Desk) -> None:
    item = {"request_id": "APR-0007", "text": "Lamp", "quantity": 2, "unit_price": 7.5, "amount": 15.0}
    lines = [{**item, "id": f"APR-0007-L{number}"} for number in (10, 9)]
    other = {**item, "id": "APR-0008-L1", "request_id": "APR-0008"}
    fields = {"amount": 15.0, "urgent": True, "note": None}
    world = await open_desk(approvalflow, requests=[waiting(fields=fields)], line_items=[*lines, other])

    shown = {key: value for key, value in item.items() if key != "request_id"}
    assert (await world.get("/requests/APR-0007/dossier")).json() == {
        "id": "APR-0007",
        "type": "plain_approval",
        "policy_version": 3,
        "status": "pending",
        "requester": "rita.requester",
        "approver": AGENT,
        "submitted_at": to_iso(NOW - HOUR),
        "fields": fields,
        "line_items": [shown, shown],
        "attachments": [],
        "questions": [],
        "version": 2,
    }
