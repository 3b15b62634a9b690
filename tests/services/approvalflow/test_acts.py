"""Acting on a request: resubmitting, withdrawing, escalating, attaching evidence."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    away_cfo,
    cfo,
    person,
    published,
    read,
    refusal,
    rejection,
    request,
    score,
    start,
    submit,
    ticket,
    trail,
    vendor_approval,
)

DAVID = person("david.kim", "finance_director")
DOCUMENT = {"kind": "document", "reference": "audit report 2029"}
RECORD = {"kind": "record", "reference": "V-104"}


def rejected(**changes: Any) -> Row:
    """A request that the CFO rejected for want of a document."""
    reason = {"reason_code": "missing_attachment", "reason": "Missing attachment."}
    return request(status="rejected", decision_due=None, decided_at=NOW - 60, **{**reason, **changes})


async def act(world: World, path: str, **body: Any) -> Row:
    answer = await world.post(f"/requests/{path}", json=body)
    assert answer.is_success, answer.text
    result: Row = answer.json()
    return result


async def test_a_rejected_request_is_made_again_as_the_next_attempt(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[rejected()])

    again = await act(world, "APR-0007/resubmit", fields={"urgent": True}, note="With the report now.")

    assert (again["id"], again["attempt"], again["supersedes"]) == ("APR-0008", 2, "APR-0007")
    assert again["fields"] == {"vendor_name": "Acme", "compliance_score": 85.0, "urgent": True}
    assert (again["approver"], again["status"]) == ("sarah.chen", "pending")
    assert await trail(world, "APR-0008") == ["resubmitted", "released"]
    [first, _] = (await world.get("/requests/APR-0008/audit")).json()["items"]
    assert first["detail"].endswith("Note: With the report now.")
    assert (await read(world, "APR-0007"))["status"] == "rejected"
    assert [event["request_id"] for event in await published(world, "approval.requested")] == ["APR-0008"]


async def test_a_request_can_be_made_again_to_another_approver(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[cfo(), DAVID], requests=[rejected(approver="david.kim")])

    again = await act(world, "APR-0007/resubmit", approver="sarah.chen")

    assert again["approver"] == "sarah.chen"


async def test_a_second_look_is_granted_to_the_second_attempt(approvalflow: Desk) -> None:
    whim = rejection(reason_code="needs_second_look", remedy="resubmit")
    world = await start(approvalflow, rejections=[whim])

    await submit(world)
    await world.advance(2 * HOUR)
    first = await read(world, "APR-0001")
    await act(world, "APR-0001/resubmit")
    await world.advance(2 * HOUR)

    assert (first["status"], (await read(world, "APR-0002"))["status"]) == ("rejected", "approved")


async def test_a_missing_document_is_asked_for_until_it_is_attached(approvalflow: Desk) -> None:
    world = await start(approvalflow, rejections=[rejection()], metrics=[score(expires_at=NOW + 9 * DAY)])
    await submit(world)
    await world.advance(2 * HOUR)

    await act(world, "APR-0001/resubmit")
    await world.advance(2 * HOUR)
    without = await read(world, "APR-0002")
    await act(world, "APR-0002/evidence", **RECORD)
    await act(world, "APR-0002/resubmit")
    await world.advance(2 * HOUR)
    with_it = await read(world, "APR-0003")

    assert (without["status"], without["reason_code"]) == ("rejected", "missing_attachment")
    assert (without["required_evidence"], with_it["required_evidence"]) == ("record", None)
    assert (with_it["status"], with_it["attempt"]) == ("approved", 3)
    assert [item["reference"] for item in with_it["evidence"]["attachments"]] == ["V-104"]


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "document", "reference": "V-104"},
        {"kind": "record", "reference": "V-999"},
        {"kind": "metric", "reference": "MET-0104"},
        {"kind": "ticket", "reference": "TD-1042"},
    ],
)
async def test_another_attachment_than_the_one_asked_for_settles_nothing(
    approvalflow: Desk, other: Row
) -> None:
    world = await start(approvalflow, rejections=[rejection()])
    await submit(world)

    await act(world, "APR-0001/evidence", **other)
    await world.advance(2 * HOUR)

    rejected = await read(world, "APR-0001")
    assert (rejected["status"], rejected["required_evidence"]) == ("rejected", "record")
    status = (await world.get("/requests/APR-0001/status")).json()
    assert status["required_evidence"] == "record"
    assert "Attach the record that the ticket is about" in status["explanation"]


@pytest.mark.parametrize(("kind", "reference"), [("metric", "MET-0104"), ("ticket", "TD-1042")])
async def test_an_approver_may_want_the_metric_or_the_ticket(
    approvalflow: Desk, kind: str, reference: str
) -> None:
    world = await start(approvalflow, rejections=[rejection(evidence=kind)])
    await submit(world)

    await act(world, "APR-0001/evidence", kind=kind, reference=reference)
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0001"))["status"] == "approved"


async def test_submitting_anew_after_a_rejection_is_the_next_attempt_too(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[rejected(attempt=2)])

    assert (await submit(world))["attempt"] == 3


async def test_objections_are_found_by_the_ticket_where_there_is_no_subject(approvalflow: Desk) -> None:
    whim = rejection(id="vendor_approval:TD-1042:1", evidence="ticket")
    about_nothing = {"tickets": [ticket(subject=None)], "metrics": [score(subject=None)]}
    world = await start(approvalflow, rejections=[whim], **about_nothing)

    await submit(world)
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0001"))["reason_code"] == "missing_attachment"


@pytest.mark.parametrize(
    ("path", "body", "existing", "refused"),
    [
        ("resubmit", {}, request(), (409, "not_rejected", None)),
        ("resubmit", {}, rejected(requester="ana.lopez"), (403, "not_requester", None)),
        ("resubmit", {"version": 7}, rejected(), (409, "version_conflict", "version")),
        ("resubmit", {"approver": "nobody"}, rejected(), (404, "approver_unknown", "approver")),
        ("resubmit", {"approver": "alex.agent"}, rejected(), (403, "separation_of_duties", "approver")),
        ("resubmit", {"fields": {"zeal": 1}}, rejected(), (422, "field_unknown", "zeal")),
        ("withdraw", {"reason": "x"}, rejected(), (409, "request_not_open", None)),
        ("withdraw", {"reason": "x"}, request(requester="ana.lopez"), (403, "not_requester", None)),
        ("withdraw", {"reason": "x", "version": 1}, request(), (409, "version_conflict", "version")),
        ("escalate", {"reason": "x"}, rejected(), (409, "request_not_open", None)),
        ("escalate", {"reason": "x"}, request(), (409, "not_overdue", None)),
        ("escalate", {"reason": "x", "version": 3}, request(), (409, "version_conflict", "version")),
        ("evidence", DOCUMENT, request(status="approved"), (409, "request_not_open", None)),
        ("evidence", {**DOCUMENT, "version": 9}, request(), (409, "version_conflict", "version")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else value if isinstance(value, str) else "",
)
async def test_an_act_that_cannot_be_is_refused_and_leaves_nothing(
    approvalflow: Desk, path: str, body: Row, existing: Row, refused: tuple[int, str, str | None]
) -> None:
    world = await start(approvalflow, requests=[existing])

    answer = await world.post(f"/requests/APR-0007/{path}", json=body)

    assert refusal(answer) == refused
    assert await world.rows("requests", scope="diff") == {}
    assert await world.rows("audit", scope="diff") == {}


@pytest.mark.parametrize(("path", "body"), [("resubmit", {}), ("evidence", DOCUMENT)])
async def test_a_request_that_was_made_again_is_done_with(approvalflow: Desk, path: str, body: Row) -> None:
    successor = request(id="APR-0008", status="rejected", supersedes="APR-0007", attempt=2)
    world = await start(approvalflow, requests=[rejected(), successor])

    answer = await world.post(f"/requests/APR-0007/{path}", json=body)

    assert refusal(answer) == (409, "already_resubmitted", None)
    assert "APR-0008" in answer.json()["detail"]


async def test_making_a_request_again_beside_an_open_one_is_a_duplicate(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[rejected(), request(id="APR-0009")])

    answer = await world.post("/requests/APR-0007/resubmit", json={})

    assert refusal(answer) == (409, "duplicate_request", None)


@pytest.mark.parametrize("status", ["held", "pending", "escalated"])
async def test_an_open_request_can_be_withdrawn_and_is_never_decided(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status)])

    withdrawn = await act(world, "APR-0007/withdraw", reason="The vendor has pulled out.", version=2)
    effects = await world.advance(30 * DAY)

    assert (withdrawn["status"], withdrawn["version"]) == ("withdrawn", 3)
    assert (withdrawn["reason"], withdrawn["decision_due_at"]) == ("The vendor has pulled out.", None)
    assert effects["changes"] == []
    assert effects["next_due"] is None
    assert await trail(world, "APR-0007") == ["withdrawn"]


async def test_a_request_whose_approver_has_gone_away_is_handed_to_the_delegate(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[away_cfo(), DAVID], requests=[request()])

    moved = await act(world, "APR-0007/escalate", reason="She is on leave.")
    await world.advance(2 * HOUR)

    assert (moved["status"], moved["approver"], moved["version"]) == ("escalated", "david.kim", 3)
    assert moved["decision_due_at"] == to_iso(NOW + 2 * HOUR)
    decided = await read(world, "APR-0007")
    assert (decided["status"], decided["decided_by"]) == ("approved", "david.kim")
    entries = (await world.get("/requests/APR-0007/audit")).json()["items"]
    assert (entries[0]["actor"], entries[0]["action"]) == ("alex.agent", "escalated")
    assert entries[0]["detail"] == "From sarah.chen to david.kim: She is on leave."


async def test_an_overdue_request_is_handed_to_another_holder_of_the_role(approvalflow: Desk) -> None:
    people = [cfo(), person("zoe.ash", "cfo"), DAVID]
    world = await start(approvalflow, people=people, requests=[request(decision_due=NOW - 60)])

    assert (await act(world, "APR-0007/escalate", reason="Overdue."))["approver"] == "zoe.ash"


async def test_a_request_that_went_astray_is_escalated_to_the_role_that_decides(approvalflow: Desk) -> None:
    people = [cfo(), person("tom.baker", "procurement", away=True)]
    world = await start(approvalflow, people=people, requests=[request(approver="tom.baker")])

    assert (await act(world, "APR-0007/escalate", reason="Away."))["approver"] == "sarah.chen"


@pytest.mark.parametrize(
    "people",
    [
        [away_cfo()],
        [away_cfo(delegate_types=[]), DAVID],
        [away_cfo(), {**DAVID, "away": True}],
        [away_cfo(delegate="alex.agent"), person("alex.agent", "analyst")],
    ],
    ids=["delegate unknown", "delegation excludes the type", "delegate away", "delegate is the requester"],
)
async def test_a_request_that_nobody_else_may_decide_stays_where_it_is(
    approvalflow: Desk, people: list[Row]
) -> None:
    world = await start(approvalflow, people=people, requests=[request()])

    answer = await world.post("/requests/APR-0007/escalate", json={"reason": "Away."})

    assert refusal(answer) == (409, "nobody_to_escalate_to", None)
    assert (await read(world, "APR-0007"))["approver"] == "sarah.chen"


async def test_where_duties_need_not_be_separate_a_request_may_go_to_its_requester(
    approvalflow: Desk,
) -> None:
    people = [away_cfo(delegate="alex.agent"), person("alex.agent", "analyst")]
    types = [vendor_approval(sod=False)]
    world = await start(approvalflow, approval_types=types, people=people, requests=[request()])

    assert (await act(world, "APR-0007/escalate", reason="Away."))["approver"] == "alex.agent"


async def test_an_overdue_request_of_a_stranger_is_escalated_too(approvalflow: Desk) -> None:
    lost = request(approver="old.boss", decision_due=NOW - 60, requester="ana.lopez")
    world = await start(approvalflow, requests=[lost])

    assert (await act(world, "APR-0007/escalate", reason="Overdue."))["approver"] == "sarah.chen"


async def test_a_held_request_cannot_be_escalated_because_nobody_has_been_asked(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)])
    await submit(world)

    answer = await world.post("/requests/APR-0001/escalate", json={"reason": "Hurry."})

    assert refusal(answer) == (409, "not_overdue", None)
    assert "held until TD-1042 is verified" in answer.json()["detail"]


@pytest.mark.parametrize("status", ["held", "pending", "escalated", "rejected"])
async def test_evidence_is_attached_to_open_and_rejected_requests(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status)])

    await act(world, "APR-0007/evidence", **DOCUMENT)
    attached = await act(world, "APR-0007/evidence", kind="ticket", reference="TD-7", version=3)

    assert attached["evidence"]["attachments"] == [
        {**DOCUMENT, "by": "alex.agent", "at": to_iso(NOW)},
        {"kind": "ticket", "reference": "TD-7", "by": "alex.agent", "at": to_iso(NOW)},
    ]
    assert (attached["version"], attached["evidence"]["metric_value"]) == (4, 85.0)
    assert await trail(world, "APR-0007") == ["evidence_added", "evidence_added"]
