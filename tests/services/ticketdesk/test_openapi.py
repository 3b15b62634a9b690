"""TicketDesk does what its OpenAPI document says, whatever it is sent."""

import asyncio
from typing import Final

import pytest

from companyos.chassis.world.public_ids import public_id
from tests.documented import check_answers, operations
from tests.live_services import Desk

from .company import a_complete_ticket, a_ticket, open_company

pytestmark = pytest.mark.proof

KNOWN: Final = {
    "ticket_id": "TD-1042",
    "object_id": "TD-1042",
    "blocker_id": "TD-1001",
    "change_id": "CHG-0001",
    "kind": "bug",
    "letter_id": public_id("s1.ticketdesk.1"),
}


async def test_every_operation_answers_as_documented(desk: Desk) -> None:
    for operation in operations(desk.app.openapi(), str(desk.client.base_url)):
        world = await open_company(desk, a_complete_ticket(), a_ticket("TD-1001", status="done"))
        assert await asyncio.to_thread(check_answers, operation, KNOWN, world.headers()) > 0
