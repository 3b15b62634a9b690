"""A running notebook."""

from collections.abc import AsyncIterator

import pytest

from tests.live_services import Desk, TestDatabases, running

from .notebook import create_app


@pytest.fixture(scope="session")
async def notebook(databases: TestDatabases) -> AsyncIterator[Desk]:
    async with running(create_app, databases, name="notebook") as desk:
        yield desk
