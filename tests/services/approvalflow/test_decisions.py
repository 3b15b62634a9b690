"""What becomes of a request by itself: the approver decides at the due time, or it expires."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    away_cfo,
    cfo,
    expense_approval,
    person,
    published,
    read,
    rejection,
    request,
    score,
    start,
    submit,
    ticket,
    trail,
    vendor_approval,
)


async def decided(world: World, **changes: Any) -> Row:
    """Submit, let the approver decide, and return the request."""
    created = await submit(world, **changes)
    await world.advance(2 * HOUR)
    return await read(world, created["id"])


async def test_the_approver_decides_at_the_due_time_and_not_before(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    await submit(world)

    await world.advance(2 * HOUR - 1)
    before = await read(world, "APR-0001")
    effects = await world.advance(1)
    after = await read(world, "APR-0001")

    assert before["status"] == "pending"
    assert (after["status"], after["decided_by"], after["decided_at"]) == (
        "approved",
        "sarah.chen",
        to_iso(NOW + 2 * HOUR),
    )
    assert (after["reason_code"], after["reason"], after["decision_due_at"]) == (None, None, None)
    assert effects["next_due"] is None
    assert await trail(world, "APR-0001") == ["submitted", "released", "approved"]


async def test_an_approval_is_announced_with_what_it_is_about_and_does(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    await decided(world)

    assert await published(world, "approval.decided") == [
        {
            "request_id": "APR-0001",
            "type": "vendor_approval",
            "ticket_id": "TD-1042",
            "subject": "V-104",
            "outcome": "approved",
            "activates_record": True,
            "decided_by": "sarah.chen",
            "reason_code": None,
        }
    ]


@pytest.mark.parametrize(
    ("tables", "changes", "code"),
    [
        ({}, {"approver": "mia.boss"}, "not_my_approval"),
        ({}, {"fields": {"vendor_name": "Acme", "compliance_score": 84}}, "metric_mismatch"),
        (
            {"metrics": [score(value=76.0)]},
            {"fields": {"vendor_name": "Acme", "compliance_score": 76}},
            "below_threshold",
        ),
        (
            {"approval_types": [vendor_approval(minimum=None, maximum=80.0)]},
            {},
            "above_threshold",
        ),
        ({"rejections": [rejection()]}, {}, "missing_attachment"),
        (
            {"rejections": [rejection(reason_code="needs_second_look", remedy="resubmit")]},
            {},
            "needs_second_look",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_request_is_rejected_for_its_reason_which_is_announced_and_put_on_record(
    approvalflow: Desk, tables: dict[str, list[Row]], changes: dict[str, Any], code: str
) -> None:
    world = await start(approvalflow, **tables)

    rejected = await decided(world, **changes)

    assert (rejected["status"], rejected["reason_code"]) == ("rejected", code)
    (announced,) = await published(world, "approval.decided")
    assert (announced["outcome"], announced["reason_code"]) == ("rejected", code)
    last = (await world.get("/requests/APR-0001/audit")).json()["items"][-1]
    assert (last["actor"], last["action"], last["detail"]) == (
        rejected["approver"],
        "rejected",
        rejected["reason"],
    )


async def test_the_delegate_decides_while_the_holder_is_away(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[away_cfo(), person("david.kim", "finance_director")])

    assert (await decided(world, approver="david.kim"))["status"] == "approved"


@pytest.mark.parametrize(
    "holder",
    [
        cfo(),
        away_cfo(away_until=NOW + HOUR),
        away_cfo(delegate_types=["expense_approval"]),
        away_cfo(delegate="mia.boss"),
    ],
    ids=["holder is here", "holder is back by then", "delegation excludes the type", "not the delegate"],
)
async def test_a_delegate_whose_delegation_does_not_cover_the_moment_rejects(
    approvalflow: Desk, holder: Row
) -> None:
    world = await start(approvalflow, people=[holder, person("david.kim", "finance_director")])

    assert (await decided(world, approver="david.kim"))["reason_code"] == "not_my_approval"


@pytest.mark.parametrize(
    ("amount", "approver", "code"),
    [
        (999.99, "mia.boss", None),
        (1000, "mia.boss", "not_my_approval"),
        (1000, "david.kim", None),
        (10000, "david.kim", "not_my_approval"),
        (10000, "sarah.chen", None),
    ],
)
async def test_the_band_of_the_amount_says_who_decides(
    approvalflow: Desk, amount: float, approver: str, code: str | None
) -> None:
    report = ticket(id="TD-2", kind="expense", subject="R-447")
    total = score(id="MET-2", name="expense_amount", subject="R-447", value=amount)
    world = await start(approvalflow, tickets=[report], metrics=[total])
    fields = {"report_id": "R-447", "amount": amount}

    claim = await decided(world, type="expense_approval", ticket_id="TD-2", approver=approver, fields=fields)

    assert claim["reason_code"] == code


@pytest.mark.parametrize(("limit", "code"), [(20000.0, None), (19999.0, "not_my_approval")])
async def test_a_delegate_decides_amounts_up_to_the_limit(
    approvalflow: Desk, limit: float, code: str | None
) -> None:
    report = ticket(id="TD-2", kind="expense", subject="R-447")
    total = score(id="MET-2", name="expense_amount", subject="R-447", value=20000.0)
    holder = away_cfo(delegate_types=["expense_approval"], delegate_limit=limit)
    people = [holder, person("david.kim", "finance_director")]
    world = await start(approvalflow, tickets=[report], metrics=[total], people=people)
    fields = {"report_id": "R-447", "amount": 20000}

    claim = await decided(
        world, type="expense_approval", ticket_id="TD-2", approver="david.kim", fields=fields
    )

    assert claim["reason_code"] == code


async def test_an_approver_who_has_gone_away_decides_some_time_after_the_return(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    await submit(world)
    await world.deliver("person.away", {"person_id": "sarah.chen", "until": NOW + DAY, "version": 1})

    await world.advance(2 * HOUR)
    waiting = await read(world, "APR-0001")
    await world.advance(DAY)

    assert (waiting["status"], waiting["decision_due_at"]) == ("pending", to_iso(NOW + DAY + 2 * HOUR))
    assert (await read(world, "APR-0001"))["status"] == "approved"


async def test_an_approver_who_is_away_for_an_unknown_time_is_tried_again(approvalflow: Desk) -> None:
    people = [away_cfo(away_until=None)]
    world = await start(approvalflow, people=people, requests=[request()])

    await world.advance(HOUR)

    assert (await read(world, "APR-0007"))["decision_due_at"] == to_iso(NOW + 3 * HOUR)


async def test_an_approver_nobody_knows_any_more_rejects(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request(approver="old.boss")])

    await world.advance(HOUR)

    assert (await read(world, "APR-0007"))["reason_code"] == "not_my_approval"


async def test_a_held_request_expires_when_its_time_is_over(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)])
    await submit(world)

    await world.advance(7 * DAY - 1)
    before = await read(world, "APR-0001")
    await world.advance(1)
    after = await read(world, "APR-0001")

    assert before["status"] == "held"
    assert (after["status"], after["waiting_for"]) == ("expired", [])
    assert "7 days" in after["reason"]
    assert await trail(world, "APR-0001") == ["submitted", "held", "expired"]
    assert await published(world, "approval.decided") == []


async def test_an_expired_request_is_not_decided_any_more(approvalflow: Desk) -> None:
    away_for_long = away_cfo(away_until=NOW + 30 * DAY)
    world = await start(approvalflow, people=[away_for_long], requests=[request(submitted_at=NOW - DAY)])

    await world.advance(6 * DAY)
    effects = await world.advance(60 * DAY)

    assert (await read(world, "APR-0007"))["status"] == "expired"
    assert effects["changes"] == []


async def test_a_request_due_for_decision_and_expiry_at_once_is_decided(approvalflow: Desk) -> None:
    short = vendor_approval(expires_s=2 * HOUR)
    world = await start(approvalflow, approval_types=[short])

    assert (await decided(world))["status"] == "approved"
    assert await trail(world, "APR-0001") == ["submitted", "released", "approved"]


async def test_a_clock_that_jumps_over_expiry_and_decision_expires_the_request(approvalflow: Desk) -> None:
    late = request(submitted_at=NOW - 6 * DAY, decision_due=NOW + 2 * DAY)
    world = await start(approvalflow, requests=[late])

    await world.advance(3 * DAY)

    assert await trail(world, "APR-0007") == ["expired"]


async def test_request_pending_at_the_start_is_decided_in_time(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.advance(HOUR)

    assert (await read(world, "APR-0007"))["status"] == "approved"


async def test_request_overdue_at_the_start_stays_pending_until_it_expires(approvalflow: Desk) -> None:
    overdue = request(decision_due=NOW - HOUR, submitted_at=NOW - 6 * DAY)
    world = await start(approvalflow, requests=[overdue])

    await world.advance(DAY - 1)
    before = await read(world, "APR-0007")
    await world.advance(1)

    assert before["status"] == "pending"
    assert (await read(world, "APR-0007"))["status"] == "expired"


async def test_an_expense_that_activates_nothing_says_so(approvalflow: Desk) -> None:
    types = [expense_approval(metric_name=None, metric_field=None)]
    world = await start(approvalflow, approval_types=types, tickets=[ticket(kind="expense")])

    await decided(
        world, type="expense_approval", approver="mia.boss", fields={"report_id": "R-1", "amount": 5}
    )

    (announced,) = await published(world, "approval.decided")
    assert announced["activates_record"] is False
