"""The small town that tests of the orchestrator and of chaos share: one a process, as its consumers share streams."""

from collections.abc import AsyncIterator

import pytest

from companyos.chassis.testing import TestDatabases
from orchestrator.episodes import Episodes

from .orchestrator.town import Town, ready_orchestrator, town_on


@pytest.fixture(scope="session")
async def town(databases: TestDatabases) -> AsyncIterator[Town]:
    """The shop and the depot on the databases of this test process."""
    async with town_on(databases) as opened:
        # What a service tells of itself takes it longer the first time than a hurried test would wait.
        async with ready_orchestrator(opened):
            pass
        yield opened


@pytest.fixture(scope="session")
async def episodes(town: Town) -> AsyncIterator[Episodes]:
    """One orchestrator for the tests that do not stop theirs."""
    async with ready_orchestrator(town) as opened:
        yield opened
