"""The interface of an agent that `companyos run` plays: it may wait for a model, and says what each turn used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from companyos.scenario import Observation


@dataclass(frozen=True)
class Usage:
    """What a turn used.

    Attributes:
        prompt_tokens: Tokens sent, including those the endpoint had cached.
        completion_tokens: Tokens received.
        cached_tokens: Those of `prompt_tokens` that were cached.
        cost_usd: Price in US dollars; None if no price is known.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True)
class AgentTurn:
    """An agent's response to one observation.

    Attributes:
        output: What the agent said, in any form that `CompanyosEnv.step` takes; no call becomes an invalid action.
        text: What it said beside the call, such as its reasoning.
        usage: What the turn used.
        omitted_results: Tool results left out of the prompt so that it fits the context budget.
    """

    output: Any
    text: str = ""
    usage: Usage = Usage()
    omitted_results: int = 0


class AgentFailed(Exception):
    """The agent cannot go on: its program ended, its endpoint refused, its code raised. The environment is fine."""


class AsyncAgent(Protocol):
    """Plays one episode at a time; a run makes one for each episode in progress.

    Attributes:
        system_prompt: The instructions the agent plays under; empty for programs.
        tools: The tools as the agent sees them, in OpenAI function format; known after `start`.
    """

    system_prompt: str
    tools: Sequence[Mapping[str, Any]]

    async def start(self, observation: Observation) -> None:
        """Begin an episode; `observation` is the one from reset, with the tools.

        Raises:
            AgentFailed: It cannot play.
        """

    async def act(self, observation: Observation) -> AgentTurn:
        """Answer the latest observation, at first the one from reset.

        Raises:
            AgentFailed: It cannot go on; the episode counts as an agent error.
        """

    async def close(self) -> None:
        """Release what it holds."""
