"""A scripted endpoint, and an agent that plays with it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AgentTurn, AsyncAgent
from companyos.evaluation.models import AnthropicSettings, OpenAISettings, anthropic_agent, openai_agent
from companyos.evaluation.models.pauses import WaitNews
from tests.scripted_endpoint import Endpoint, scripted_endpoint, shown

#: Makes an agent with these settings, which is closed at the end of the test.
Make = Callable[..., AsyncAgent]


@pytest.fixture
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Endpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-key")
    async with scripted_endpoint() as running:
        yield running


@pytest.fixture
async def openai(endpoint: Endpoint) -> AsyncIterator[Make]:
    made: list[AsyncAgent] = []

    def make(news: WaitNews | None = None, **settings: Any) -> AsyncAgent:
        defaults = {"model": "scripted", "base_url": f"{endpoint.url}/v1", "max_retries": 0}
        made.append(openai_agent(OpenAISettings(**{**defaults, **settings}), news=news))
        return made[-1]

    yield make
    for agent in made:
        await agent.close()


@pytest.fixture
async def anthropic(endpoint: Endpoint) -> AsyncIterator[Make]:
    made: list[AsyncAgent] = []

    def make(news: WaitNews | None = None, **settings: Any) -> AsyncAgent:
        defaults = {"model": "scripted", "base_url": endpoint.url, "max_retries": 0}
        made.append(anthropic_agent(AnthropicSettings(**{**defaults, **settings}), news=news))
        return made[-1]

    yield make
    for agent in made:
        await agent.close()


Play = Callable[..., Awaitable[list[AgentTurn]]]


@pytest.fixture
def play() -> Play:
    async def played(agent: AsyncAgent, *results: str) -> list[AgentTurn]:
        """Return the turns of an episode in which these are the results."""
        begun = shown()
        await agent.start(begun)
        turns = [await agent.act(begun)]
        turns.extend([await agent.act(shown(result)) for result in results])
        return turns

    return played
