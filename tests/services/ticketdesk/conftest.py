"""A running TicketDesk for the tests of this folder."""

from collections.abc import AsyncIterator

import pytest

from services.ticketdesk.app import create_app
from tests.live_services import Desk, TestDatabases, running


@pytest.fixture(scope="session")
async def desk(databases: TestDatabases) -> AsyncIterator[Desk]:
    """A running TicketDesk; each test opens a world of its own in it."""
    async with running(create_app, databases) as desk:
        yield desk
