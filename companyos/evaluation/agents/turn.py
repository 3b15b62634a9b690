"""The interface of the agents that `companyos run` plays; they may await a model and report its usage."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from companyos.client.model_output import clean_text
from companyos.sdk.scenario import Observation


@dataclass(frozen=True)
class Usage:
    """The usage of a turn.

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
        output: The agent's output, in any form that `CompanyosEnv.step` accepts; without a call it is an
            invalid action.
        text: What it said in addition to the call.
        reasoning: What it reasoned before it spoke, where that can be told apart.
        usage: The usage of the turn.
        omitted_results: Tool results left out of the prompt so that it fits the context budget.
        same_message: Whether the call is a further one of the message that held the previous turn's call.
        hint: What would make the agent play as it is meant to, for the person who runs it.
    """

    output: Any
    text: str = ""
    usage: Usage = Usage()
    omitted_results: int = 0
    same_message: bool = False
    reasoning: str = ""
    hint: str = ""

    def __post_init__(self) -> None:
        """Clean the texts, whichever agent they come from: no file can hold half a surrogate pair."""
        for name in ("text", "reasoning", "hint"):
            object.__setattr__(self, name, clean_text(getattr(self, name)))


class AgentFailed(Exception):
    """The agent cannot continue: its program ended, its endpoint refused or its code raised an error.

    Args:
        message: Why.
        usage: What the turn used that failed.
    """

    def __init__(self, message: str, usage: Usage = Usage()) -> None:
        super().__init__(clean_text(message))
        self.usage = usage


class AgentGaveUp(AgentFailed):
    """The agent stops on purpose before the episode has ended, because it does not know how to continue."""


class AgentUnavailable(AgentFailed):
    """No episode can be played: the agent cannot be created, or its endpoint refuses or answers no request."""


#: What an agent's code that is called, not awaited, can raise to end its own episode; Ctrl-C ends the whole run.
ENDS_OF_A_CALL: Final = (Exception, SystemExit, GeneratorExit, asyncio.CancelledError)
#: The same of code that is awaited: whoever waits for it may cancel or close it.
ENDS_OF_A_COROUTINE: Final = (Exception, SystemExit)


class AsyncAgent(Protocol):
    """Plays one episode at a time; a run creates one agent for each episode in progress.

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
            AgentFailed: It cannot continue; the episode counts as an agent error.
        """

    async def close(self) -> None:
        """Release what it holds."""
