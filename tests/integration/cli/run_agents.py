"""Agents that fail in every way agents do."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from companyos.evaluation.agents.turn import AgentFailed, AgentTurn
from companyos.sdk.scenario import Observation

WAIT = {"tool_name": "wait", "arguments": {"seconds": 60}}


class Saying:
    """Says one thing in every turn."""

    system_prompt = "You work here."
    tools: Sequence[Mapping[str, Any]] = ()

    def __init__(self, said: Any) -> None:
        self._turn = AgentTurn(said, text="Hm.")

    async def start(self, observation: Observation) -> None:
        """Know everything already."""

    async def act(self, observation: Observation) -> AgentTurn:
        """Say it."""
        return self._turn

    async def close(self) -> None:
        """Hold nothing."""


class FailingAt(Saying):
    """Waits for a few turns and then fails."""

    def __init__(self, turns: int) -> None:
        super().__init__(WAIT)
        self._left = turns

    async def act(self, observation: Observation) -> AgentTurn:
        """Wait, or fail."""
        self._left -= 1
        if self._left < 0:
            raise AgentFailed("the endpoint refused")
        return await super().act(observation)


class Hanging(Saying):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__(WAIT)

    async def act(self, observation: Observation) -> AgentTurn:
        """Take for ever."""
        await asyncio.sleep(3600)
        raise AssertionError


def unmakeable() -> Saying:
    """Fail to make an agent."""
    raise AgentFailed("cannot be made")
