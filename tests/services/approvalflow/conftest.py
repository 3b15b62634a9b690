"""A running ApprovalFlow."""

from collections.abc import AsyncIterator

import pytest

from companyos.chassis.testing import Desk, TestDatabases, running
from services.approvalflow.app import create_app


@pytest.fixture(scope="session")
async def approvalflow(databases: TestDatabases) -> AsyncIterator[Desk]:
    async with running(create_app, databases) as desk:
        yield desk
