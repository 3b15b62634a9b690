"""Asking for an approval: what is accepted, what is held, and every reason to refuse."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk

from .company import (
    NOW,
    Row,
    away_cfo,
    cfo,
    person,
    published,
    read,
    refusal,
    request,
    score,
    stale_score,
    start,
    submission,
    submit,
    ticket,
    trail,
    vendor_approval,
)


async def test_a_request_that_lacks_nothing_lies_at_its_approver_with_its_evidence_pinned(
    approvalflow: Desk,
) -> None:
    world = await start(approvalflow)

    created = await submit(world, note="Please look at this soon.")

    assert created == {
        "id": "APR-0001",
        "type": "vendor_approval",
        "policy_version": 3,
        "ticket_id": "TD-1042",
        "subject": "V-104",
        "fields": {"vendor_name": "Acme", "compliance_score": 85},
        "evidence": {
            "ticket_version": 4,
            "metric_id": "MET-0104",
            "metric_version": 2,
            "metric_value": 85.0,
            "attachments": [],
        },
        "requester": "alex.agent",
        "approver": "sarah.chen",
        "status": "pending",
        "waiting_for": [],
        "submitted_at": to_iso(NOW),
        "decision_due_at": to_iso(NOW + 2 * HOUR),
        "decided_at": None,
        "decided_by": None,
        "reason_code": None,
        "required_evidence": None,
        "reason": None,
        "remedy": None,
        "required_field": None,
        "attempt": 1,
        "supersedes": None,
        "version": 2,
    }
    assert await read(world, "APR-0001") == created


async def test_a_submission_is_announced_and_put_on_record(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    await submit(world, note="Please look at this soon.")

    assert await published(world, "approval.requested") == [
        {"request_id": "APR-0001", "type": "vendor_approval", "ticket_id": "TD-1042", "subject": "V-104"}
    ]
    entries = (await world.get("/requests/APR-0001/audit")).json()["items"]
    assert [(entry["id"], entry["actor"], entry["action"]) for entry in entries] == [
        ("APR-0001-A1", "alex.agent", "submitted"),
        ("APR-0001-A2", "approvalflow", "released"),
    ]
    assert "Please look at this soon." in entries[0]["detail"]


async def test_each_request_gets_the_number_after_the_last_one_of_its_world(approvalflow: Desk) -> None:
    earlier = [
        request(id=number, status="approved") for number in ("APR-0007", "APR-9999", "APR-10000", "APR-old")
    ]
    world = await start(approvalflow, requests=earlier)

    assert (await submit(world))["id"] == "APR-10001"


async def test_a_request_about_an_unverified_ticket_is_held_for_it(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)])

    held = await submit(world)

    assert (held["status"], held["waiting_for"], held["version"]) == ("held", ["ticket_verified"], 1)
    assert held["decision_due_at"] is None
    assert held["evidence"]["metric_value"] is None
    assert await trail(world, "APR-0001") == ["submitted", "held"]


@pytest.mark.parametrize(
    "metrics",
    [
        [],
        [stale_score()],
        [score(expires_at=NOW)],
        [score(value=None)],
        [score(subject="V-105")],
        [score(name="risk_score")],
    ],
    ids=["unknown", "stale", "expiring now", "without a value", "of another vendor", "of another name"],
)
async def test_a_request_without_a_fresh_metric_is_held_for_it(
    approvalflow: Desk, metrics: list[Row]
) -> None:
    world = await start(approvalflow, metrics=metrics)

    held = await submit(world)

    assert (held["status"], held["waiting_for"]) == ("held", ["metric_fresh"])


async def test_the_subjects_own_metric_goes_before_the_companys(approvalflow: Desk) -> None:
    own = score(id="MET-0900", value=85.0)
    companys = score(id="MET-0001", subject=None, value=99.0)
    world = await start(approvalflow, metrics=[companys, own])

    assert (await submit(world))["evidence"]["metric_id"] == "MET-0900"


async def test_of_two_metrics_of_one_name_and_subject_the_first_counts(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[score(id="MET-0002", value=1.0), score(id="MET-0001")])

    assert (await submit(world))["evidence"]["metric_id"] == "MET-0001"


async def test_a_metric_of_the_company_counts_where_the_subject_has_none(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[score(id="MET-0001", subject=None)])

    assert (await submit(world))["evidence"]["metric_id"] == "MET-0001"


async def test_a_type_that_asks_for_nothing_is_handed_over_at_once(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    created = await submit(world, type="plain_approval", ticket_id=None, approver="mia.boss", fields={})

    assert (created["status"], created["ticket_id"], created["subject"]) == ("pending", None, None)


async def test_null_fields_count_as_not_given(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    fields = {"vendor_name": "Acme", "compliance_score": 85, "urgent": None}

    assert (await submit(world, fields=fields))["fields"] == {"vendor_name": "Acme", "compliance_score": 85}


async def test_a_present_but_wrong_approver_is_asked_and_that_goes_on_record(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    astray = await submit(world, approver="mia.boss")

    assert astray["status"] == "pending"
    assert await trail(world, "APR-0001") == ["submitted", "misdirected", "released"]


async def test_a_route_by_amount_is_judged_by_what_the_requester_states(approvalflow: Desk) -> None:
    report = ticket(id="TD-2", kind="expense", subject="R-447")
    world = await start(approvalflow, tickets=[report])
    fields = {"report_id": "R-447", "amount": 999}

    await submit(world, type="expense_approval", ticket_id="TD-2", approver="mia.boss", fields=fields)

    assert await trail(world, "APR-0001") == ["submitted", "held"]


async def test_a_route_by_a_metric_not_known_yet_is_judged_by_what_the_requester_states(
    approvalflow: Desk,
) -> None:
    banded = vendor_approval(routes=[{"role": "manager", "below": 90}, {"role": "cfo", "below": None}])
    world = await start(approvalflow, approval_types=[banded], metrics=[])

    await submit(world, approver="mia.boss")

    assert await trail(world, "APR-0001") == ["submitted", "held"]


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"type": "vendor_aproval"}, (404, "approval_type_unknown", "type")),
        ({"ticket_id": "TD-9"}, (404, "ticket_unknown", "ticket_id")),
        ({"ticket_id": None}, (422, "ticket_required", "ticket_id")),
        ({"ticket_id": "TD-2"}, (409, "ticket_kind_mismatch", "ticket_id")),
        ({"approver": "sarah.shen"}, (404, "approver_unknown", "approver")),
        ({"approver": "alex.agent"}, (403, "separation_of_duties", "approver")),
        ({"approver": "ned.gone"}, (409, "approver_away", "approver")),
        ({"fields": {"vendor_name": "Acme"}}, (422, "fields_missing", "compliance_score")),
        ({"fields": {"vendor_name": " ", "compliance_score": 85}}, (422, "fields_missing", "vendor_name")),
        (
            {"fields": {"vendor_name": "Acme", "compliance_score": 85, "score": 85}},
            (422, "field_unknown", "score"),
        ),
        (
            {"fields": {"vendor_name": "Acme", "compliance_score": "85"}},
            (422, "field_wrong_type", "compliance_score"),
        ),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
async def test_a_submission_that_cannot_be_is_refused_and_leaves_nothing(
    approvalflow: Desk, changes: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    gone = person("ned.gone", "cfo", away=True, away_until=NOW + DAY)
    people = [cfo(), gone, person("alex.agent", "analyst")]
    world = await start(approvalflow, people=people, tickets=[ticket(), ticket(id="TD-2", kind="bug")])

    answer = await world.post("/requests", json=submission(**changes))

    assert refusal(answer) == refused
    assert await world.rows("requests", scope="diff") == {}
    assert await world.rows("audit", scope="diff") == {}
    assert await world.events() == []


async def test_asking_oneself_is_a_violation(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    answer = await world.post("/requests", json=submission(approver="alex.agent"))

    assert answer.json()["violation"] is True


async def test_a_type_without_separation_of_duties_lets_the_requester_decide(approvalflow: Desk) -> None:
    own = vendor_approval(sod=False, routes=[{"role": "analyst", "below": None}])
    world = await start(approvalflow, approval_types=[own])

    await submit(world, approver="alex.agent")
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0001"))["status"] == "approved"


@pytest.mark.parametrize(
    ("away_until", "said"), [(NOW + DAY, to_iso(NOW + DAY)), (None, "for an unknown time")]
)
async def test_an_absent_approver_is_refused_with_the_end_of_the_absence_and_a_way_on(
    approvalflow: Desk, away_until: int | None, said: str
) -> None:
    world = await start(
        approvalflow, people=[away_cfo(away_until=away_until), person("david.kim", "manager")]
    )

    detail = (await world.post("/requests", json=submission())).json()["detail"]

    assert said in detail
    assert "submit to their delegate if the delegation covers this type and amount" in detail
    assert "david.kim" not in detail


@pytest.mark.parametrize("status", ["held", "pending", "escalated"])
async def test_an_open_request_for_the_same_decision_is_a_duplicate(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status)])

    answer = await world.post("/requests", json=submission())

    assert refusal(answer) == (409, "duplicate_request", None)
    assert "APR-0007" in answer.json()["detail"]


@pytest.mark.parametrize("status", ["approved", "rejected", "withdrawn", "expired", "voided"])
async def test_a_request_that_has_ended_is_no_duplicate(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status)])

    assert (await submit(world))["id"] == "APR-0008"


async def test_requests_of_another_type_or_ticket_are_no_duplicates(approvalflow: Desk) -> None:
    others = [request(id="APR-0001", ticket_id="TD-1"), request(id="APR-0002", type="expense_approval")]
    world = await start(approvalflow, requests=others)

    assert (await submit(world))["status"] == "pending"


async def test_without_a_ticket_only_ones_own_open_request_is_a_duplicate(approvalflow: Desk) -> None:
    theirs = request(id="APR-0001", type="plain_approval", ticket_id=None, requester="ana.lopez")
    world = await start(approvalflow, requests=[theirs])
    body = submission(type="plain_approval", ticket_id=None, approver="mia.boss", fields={})

    first, second = await world.post("/requests", json=body), await world.post("/requests", json=body)

    assert first.status_code == 201
    assert refusal(second) == (409, "duplicate_request", None)


async def test_the_delegate_of_an_absent_holder_is_not_astray(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[away_cfo(), person("david.kim", "finance_director")])

    await submit(world, approver="david.kim")

    assert "misdirected" not in await trail(world, "APR-0001")
