"""Plays a model's episode on a running stack, as a run does, and keeps what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companyos.client import AsyncCompanyosEnv
from companyos.evaluation.agents.turn import AgentFailed, AgentTurn, AsyncAgent
from companyos.sdk.scenario import Observation


@dataclass
class Played:
    """An episode: its turns, what it ended with, and why the agent gave up, if it did."""

    observation: Mapping[str, Any]
    turns: list[AgentTurn] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""
    grade: Mapping[str, Any] = field(default_factory=dict)


async def play(
    url: str, agent: AsyncAgent, before: Callable[[Observation], None] | None = None, **reset: Any
) -> Played:
    """Play one episode to its end, or until the agent fails; `before` is called before each of its turns."""
    async with AsyncCompanyosEnv(url) as env:
        result = await env.reset(**reset)
        played = Played(result.observation)
        try:
            await agent.start(result.observation)
            while not result.done:
                if before is not None:
                    before(result.observation)
                played.turns.append(await agent.act(result.observation))
                result = await env.step(played.turns[-1].output)
                played.rewards.append(result.reward or 0.0)
        except AgentFailed as failure:
            played.failure = str(failure)
        played.metadata, played.grade = result.metadata, await env.grade()
        return played
