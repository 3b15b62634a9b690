"""A running DataHub."""

from collections.abc import AsyncIterator

import pytest

from services.datahub.app import create_app
from tests.live_services import Desk, TestDatabases, running


@pytest.fixture(scope="session")
async def datahub(databases: TestDatabases) -> AsyncIterator[Desk]:
    async with running(create_app, databases) as desk:
        yield desk
