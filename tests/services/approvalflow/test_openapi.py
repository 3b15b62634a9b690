"""ApprovalFlow does what its OpenAPI document says, whatever it is sent."""

import asyncio
from typing import Final

import pytest

from companyos.chassis.world.public_ids import public_id
from tests.documented import check_answers, operations
from tests.live_services import Desk

from .company import NOW, away_cfo, request, start

pytestmark = pytest.mark.proof

KNOWN: Final = {
    "type_id": "vendor_approval",
    "request_id": "APR-0007",
    "purchase_id": "PUR-0001",
    "letter_id": public_id("s1.ticketdesk.1"),
}
PURCHASE = {"id": "PUR-0001", "item": "Van", "quantity": 1, "requester": "alex.agent", "status": "approved"}
PURCHASE |= {"amount": 5.0, "requested_at": NOW}


async def test_every_operation_answers_as_documented(approvalflow: Desk) -> None:
    for operation in operations(approvalflow.app.openapi(), str(approvalflow.client.base_url)):
        rows = {"requests": [request()], "purchases": [PURCHASE]}
        world = await start(approvalflow, people=[away_cfo()], **rows)
        assert await asyncio.to_thread(check_answers, operation, KNOWN, world.headers()) > 0
