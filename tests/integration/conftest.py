"""The small town that tests of the orchestrator and of chaos share: one a process, as its consumers share streams."""

from collections.abc import AsyncIterator

import pytest

from orchestrator.episodes.facade import Episodes
from tests.live_services import TestDatabases

from .orchestrator.toy_stack import ToyStack, ready_orchestrator, toy_stack_on


@pytest.fixture(scope="session")
async def toy_stack(databases: TestDatabases) -> AsyncIterator[ToyStack]:
    """The shop and the depot on the databases of this test process."""
    async with toy_stack_on(databases) as opened:
        # What a service tells of itself takes it longer the first time than a hurried test would wait.
        async with ready_orchestrator(opened):
            pass
        yield opened


@pytest.fixture(scope="session")
async def episodes(toy_stack: ToyStack) -> AsyncIterator[Episodes]:
    """One orchestrator for the tests that do not stop theirs."""
    async with ready_orchestrator(toy_stack) as opened:
        yield opened
