"""Policies that change, and fields that have another name or unit than they used to have."""

from typing import Any

import pytest

from companyos.sdk.simtime import HOUR, to_iso
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    expense_approval,
    person,
    read,
    refusal,
    request,
    score,
    start,
    submission,
    submit,
    trail,
    vendor_approval,
)

COST_CENTRE = {"name": "cost_centre", "type": "string", "description": "Its cost centre.", "required": True}
ASKS_MORE = {"fields": [*vendor_approval()["fields"], COST_CENTRE]}
NEW_ROLE = {"routes": [{"role": "manager", "below": None}]}


def change(changes: Row, at: int = NOW + HOUR) -> Row:
    return {"id": "PC-1", "type_id": "vendor_approval", "at": at, "changes": changes, "notice": "It changes."}


async def announced(desk: Desk, changes: Row, **tables: list[Row]) -> World:
    return await start(desk, policy_changes=[change(changes)], **tables)


async def test_an_announced_change_can_be_read_until_it_is_in_force(approvalflow: Desk) -> None:
    world = await announced(approvalflow, NEW_ROLE)
    told = [
        (await world.get(f"/types/vendor_approval{page}")).json()["announced"] for page in ("", "/policy")
    ]

    await world.advance(HOUR)
    policy = (await world.get("/types/vendor_approval/policy")).json()

    assert told == [[{"at": to_iso(NOW + HOUR), "notice": "It changes."}]] * 2
    assert (policy["policy_version"], policy["announced"]) == (4, [])
    assert policy["routes"] == [{"role": "manager", "below": None}]


async def test_a_change_for_an_instant_that_is_over_never_comes(approvalflow: Desk) -> None:
    world = await start(approvalflow, policy_changes=[change(NEW_ROLE, at=NOW)])

    await world.advance(HOUR)

    assert (await world.get("/types/vendor_approval/policy")).json()["policy_version"] == 3


async def test_a_submission_under_an_older_version_is_refused_and_under_the_present_one_accepted(
    approvalflow: Desk,
) -> None:
    world = await announced(approvalflow, ASKS_MORE)
    await world.advance(HOUR)

    late = await world.post("/requests", json=submission(policy_version=3))
    short = await world.post("/requests", json=submission(policy_version=4))
    fields = {**submission()["fields"], "cost_centre": "CC-100"}
    made = await submit(world, policy_version=4, fields=fields)

    assert refusal(late) == (409, "policy_version_changed", "policy_version")
    assert refusal(short) == (422, "fields_missing", "cost_centre")
    assert made["policy_version"] == 4


@pytest.mark.parametrize("changes", [ASKS_MORE, NEW_ROLE], ids=["field", "role"])
async def test_an_open_request_that_the_new_policy_does_not_allow_is_void(
    approvalflow: Desk, changes: Row
) -> None:
    world = await announced(approvalflow, changes, requests=[request(decision_due=NOW + 2 * HOUR)])

    await world.advance(HOUR)

    found = await read(world, "APR-0007")
    assert (found["status"], found["reason_code"]) == ("voided", "policy_changed")
    assert await trail(world, "APR-0007") == ["voided"]


async def test_an_open_request_that_the_new_policy_allows_stands_under_it(approvalflow: Desk) -> None:
    world = await announced(approvalflow, {"minimum": 70.0}, requests=[request(decision_due=NOW + 2 * HOUR)])

    await world.advance(HOUR)
    found = await read(world, "APR-0007")
    status = (await world.get("/requests/APR-0007/status")).json()
    await world.advance(HOUR)

    assert (found["status"], found["policy_version"], status["policy_version"]) == ("pending", 4, 4)
    assert (await read(world, "APR-0007"))["status"] == "approved"


def renamed(**changes: Any) -> Row:
    """Vendors whose score is stated per mille, under a new name."""
    name, _, urgent = vendor_approval()["fields"]
    field = {"name": "rating", "type": "number", "description": "Its score, per mille.", "required": True}
    field |= {"renamed_from": "compliance_score", "unit": "per mille", "scale": 10.0}
    return vendor_approval(fields=[name, {**field, **changes}, urgent], metric_field="rating")


async def test_the_type_tells_the_old_name_and_the_new_unit_of_a_field(approvalflow: Desk) -> None:
    world = await start(approvalflow, approval_types=[renamed()])

    fields = (await world.get("/types/vendor_approval")).json()["fields"]
    rules = (await world.get("/types/vendor_approval/policy")).json()["rules"]

    assert [(field["renamed_from"], field["unit"], field["scale"]) for field in fields] == [
        (None, None, 1.0),
        ("compliance_score", "per mille", 10.0),
        (None, None, 1.0),
    ]
    assert any("Its field rating must equal the metric times 10." in rule for rule in rules)


async def test_the_old_name_is_refused_and_the_old_unit_is_rejected(approvalflow: Desk) -> None:
    world = await start(approvalflow, approval_types=[renamed()])

    answer = await world.post("/requests", json=submission())
    await submit(world, fields={"vendor_name": "Acme", "rating": 85})
    await world.advance(2 * HOUR)

    assert refusal(answer) == (422, "field_unknown", "compliance_score")
    assert (await read(world, "APR-0001"))["reason_code"] == "metric_mismatch"


@pytest.mark.parametrize(("metric", "stated"), [(85.0, 850), (85.3, 853.0), (99.99, 999.9)])
async def test_the_metric_in_the_new_unit_is_approved(
    approvalflow: Desk, metric: float, stated: float
) -> None:
    world = await start(approvalflow, approval_types=[renamed()], metrics=[score(value=metric)])

    await submit(world, fields={"vendor_name": "Acme", "rating": stated})
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0001"))["status"] == "approved"


async def test_routes_are_compared_with_the_metric_whatever_the_unit_of_the_field(approvalflow: Desk) -> None:
    report_id, amount = expense_approval()["fields"]
    cents = expense_approval(
        fields=[report_id, {**amount, "unit": "cents", "scale": 100.0}],
        ticket_kind=None,
        metric_name=None,
        metric_field=None,
    )
    people = [person("mia.boss", "manager"), person("fred.fin", "finance_director")]
    world = await start(approvalflow, approval_types=[cents], people=people)

    fields = {"report_id": "EXP-1", "amount": 99_900}
    await submit(world, type="expense_approval", ticket_id=None, approver="mia.boss", fields=fields)
    await world.advance(HOUR)

    assert (await read(world, "APR-0001"))["status"] == "approved"
