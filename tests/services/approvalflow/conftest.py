"""A running ApprovalFlow."""

from collections.abc import AsyncIterator

import pytest

from services.approvalflow.app import create_app
from tests.live_services import Desk, TestDatabases, running


@pytest.fixture(scope="session")
async def approvalflow(databases: TestDatabases) -> AsyncIterator[Desk]:
    async with running(create_app, databases) as desk:
        yield desk
