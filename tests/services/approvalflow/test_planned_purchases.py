"""Purchases of colleagues: planned for a time, or waiting from the start."""

from typing import Any

import pytest

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk

from .company import NOW, Row
from .purchasing_office import (
    AGENT,
    open_office,
    shown,
)


def planned(**changes: Any) -> Row:
    row = {"id": "PLAN-1", "at": NOW + HOUR, "buyer": "tim.tech", "item": "Van", "quantity": 1}
    return {**row, "budget_id": "BUD-101", "amount": 250.0, **changes}


@pytest.mark.parametrize("plan", [planned(at=NOW - HOUR), planned(budget_id="BUD-109")])
async def test_a_plan_of_the_past_or_without_a_budget_comes_to_nothing(approvalflow: Desk, plan: Row) -> None:
    world = await open_office(approvalflow, planned_orders=[plan])

    await world.advance(2 * HOUR)

    assert await world.rows("purchases") == {}


async def test_a_purchase_that_waits_from_the_start_is_signed_when_it_is_due(approvalflow: Desk) -> None:
    purchase = {"id": "PUR-0004", "item": "Van", "quantity": 1, "requester": AGENT, "status": "open"}
    purchase |= {"amount": 5.0, "requested_at": NOW - HOUR}
    pays = {"id": "PUR-0004-L1", "purchase_id": "PUR-0004", "budget_id": "BUD-101", "cost_centre": "CC-311"}
    signs = {"id": "PUR-0004-S1", "purchase_id": "PUR-0004", "stage": 1, "approver": "olga.owner"}
    signs |= {"status": "pending", "budget_id": "BUD-101", "due_at": NOW + HOUR}
    rows = {"purchase_shares": [{**pays, "amount": 5.0}], "sign_offs": [signs]}
    world = await open_office(approvalflow, purchases=[purchase], **rows)

    await world.advance(HOUR)

    assert (await shown(world, "PUR-0004"))["status"] == "approved"
