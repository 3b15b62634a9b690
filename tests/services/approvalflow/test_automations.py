"""Automations of ApprovalFlow void what a company no longer wants to decide."""

from typing import Any

import pytest

from companyos.sdk.automations import given
from tests.live_services import Desk

from .company import NOW, plain_approval, start

Row = dict[str, Any]


def request(number: int, **columns: Any) -> Row:
    row = {
        "id": f"APR-{number:04d}",
        "type": "plain_approval",
        "policy_version": 1,
        "requester": "ana.lopez",
        "approver": "ben.okafor",
        "status": "pending",
        "submitted_at": NOW,
    }
    return {**row, **columns}


@pytest.mark.parametrize(
    ("level", "statuses"), [(1, ["voided", "approved", "pending"]), (3, ["pending", "approved", "pending"])]
)
async def test_a_lost_clearance_voids_what_the_person_asked_for(
    approvalflow: Desk, level: int, statuses: list[str]
) -> None:
    rule = {
        "id": "AUT-1",
        "name": "Clearance lost",
        "description": "Who loses a level has to ask again.",
        "number": 1,
        "trigger": "clearance.changed",
        "when": [given("$level", "lt", "$before")],
        "do": {"action": "void", "with": {"requester": "$person_id", "reason": "Clearance lost."}},
    }
    requests = [request(1), request(2, status="approved"), request(3, requester="cy.moss")]
    world = await start(
        approvalflow, automations=[rule], requests=requests, approval_types=[plain_approval()]
    )

    await world.deliver("clearance.changed", {"person_id": "ana.lopez", "before": 2, "level": level})

    found = await world.rows("requests")
    assert [found[f"APR-{number:04d}"]["status"] for number in (1, 2, 3)] == statuses
