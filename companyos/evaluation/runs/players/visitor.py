"""An agent that connects by itself and plays through the agent API while the run only watches."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from companyos.client import Observation as ShownObservation
from companyos.client import Record, Result, StepsLost
from companyos.sdk.scenario import Observation

from ...agents.turn import AgentFailed, AgentTurn
from ..connection import EpisodeEnv
from ..outages import Outages
from ..request import EpisodeTask
from .scripted import functions_of

#: Seconds between two polls of an episode.
LOOK_S: Final = 0.5

#: Announces an episode: its task, the URL of its MCP server, and its token.
Announce = Callable[[EpisodeTask, str, str], None]


class VisitingPlayer:
    """Announces an episode and waits until an agent has played it.

    Args:
        task: The episode.
        announce: Called with the URL and the token of the episode.
    """

    system_prompt = ""

    def __init__(self, task: EpisodeTask, announce: Announce) -> None:
        self._task = task
        self._announce = announce
        self.tools: Sequence[Mapping[str, Any]] = ()

    async def start(self, observation: Observation) -> None:
        """Begin an episode."""
        self.tools = functions_of(observation)

    async def act(self, observation: Observation) -> AgentTurn:
        """Never act, because the agent plays by itself."""
        raise AgentFailed("the agent plays by itself")

    async def close(self) -> None:
        """Do nothing, because there is nothing to release."""

    async def visit(
        self, first: Result, env: EpisodeEnv, outages: Outages, *, most_steps: int | None, patience_s: float
    ) -> Sequence[Result]:
        """Wait until the episode is over, or has taken `most_steps`, and return its steps.

        Raises:
            AgentFailed: The server has no agent API, or no step was taken for `patience_s` seconds.
            StepsLost: A crash of the server lost steps that the agent had taken.
        """
        metadata = first.metadata
        if "agent_token" not in metadata:
            raise AgentFailed("the server has no agent API; agents of kind mcp need one")
        self._announce(self._task, metadata["agent_urls"]["mcp"], metadata["agent_token"])
        steps, since = first.observation["step"], time.monotonic()
        while not (state := await outages.outlast(lambda: env.attach(metadata["episode_id"])))["done"]:
            if most_steps is not None and state["step_count"] >= most_steps:
                break
            if state["step_count"] < steps:
                raise StepsLost.since(steps, state["step_count"])
            if state["step_count"] > steps:
                steps, since = state["step_count"], time.monotonic()
            if time.monotonic() - since > patience_s:
                raise AgentFailed(f"nobody took a step for {patience_s:g} s")
            await asyncio.sleep(LOOK_S)
        return list(steps_of(await outages.outlast(env.trace)))


def steps_of(trace: Sequence[Mapping[str, Any]]) -> Iterator[Result]:
    """Yield the results of the steps of a trace, with the action in `metadata.action`."""
    for record in trace[1:]:
        metadata = {
            "action": record["action"],
            "invalid": record["invalid"] is not None,
            "truncated": record["truncated"],
        }
        observation = ShownObservation(record["observation"])
        yield Result(observation, record["reward"], record["done"], Record(metadata))
