"""An agent at work in the toy company, for the tests of the agent API."""

from collections.abc import AsyncIterator

import httpx
import pytest

from orchestrator.episodes.facade import Episodes

from .agent_client import agent_of, begun, token_of


@pytest.fixture
async def agent(episodes: Episodes) -> AsyncIterator[httpx.AsyncClient]:
    """The agent of a new errand."""
    async with agent_of(episodes, token_of(await begun(episodes))) as opened:
        yield opened
