"""The facade of the orchestrator: every request of a trainer is one method here, and answers are JSON-ready."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from .options import ResetOptions as ResetOptions
from .problems import Refusal as Refusal
from .settings import Settings


@dataclass(frozen=True)
class Reply:
    """What a reset or a step answers: the observation for the agent, the rest for the trainer.

    Attributes:
        observation: `text`, `tool_name`, `result`, `error`, `step`, `steps_remaining`, `sim_now`,
            `elapsed_s` and, at reset, `tools`.
        reward: A finite number after a step, None at reset.
        done: Whether the episode takes no further step.
        metadata: For trainers only; at reset `episode_id`, `scenario`, `version`, `seed`, `chaos`,
            `trace_hash`, `ignored`; after a step `episode_id`, `episode_return`, `success`,
            `reward_breakdown`, `terminated`, `truncated`, `invalid`, `trace_hash`.
    """

    observation: dict[str, Any]
    reward: float | None
    done: bool
    metadata: dict[str, Any] = field(default_factory=dict)


class Episodes:
    """Episodes of one orchestrator process; any replica can serve any of them.

    Every method raises `Refusal` with a stable code when it cannot do what is asked.
    """

    async def reset(self, options: ResetOptions) -> Reply:
        """Start an episode and return its first observation.

        Raises:
            Refusal: 404 scenario_unknown, 409 episode_exists, 422 invalid_chaos or invalid_size,
                429 too_many_episodes, 503 service_unavailable.
        """
        raise NotImplementedError

    async def step(
        self, episode_id: str, action: Any, *, step: int | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Play one action; a step number that was played already returns its stored reply.

        Raises:
            Refusal: 404 episode_unknown, 409 step_out_of_order, step_in_progress or episode_done,
                422 invalid_action (not an action at all; costs nothing), 429 too_busy,
                503 service_unavailable or step_unsettled (send the same step again).
        """
        raise NotImplementedError

    async def state(self, episode_id: str) -> dict[str, Any]:
        """Return OpenEnv's state: episode_id, step_count, scenario, chaos, max_steps, done, sim_now."""
        raise NotImplementedError

    async def episode(self, episode_id: str) -> dict[str, Any]:
        """Return one episode as listed by `episodes`, with its options and outcome."""
        raise NotImplementedError

    async def episodes(
        self,
        *,
        scenario: str | None = None,
        done: bool | None = None,
        success: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """Return a page of episodes, oldest first: items, next_cursor and counts of all of them."""
        raise NotImplementedError

    async def trace(self, episode_id: str) -> list[dict[str, Any]]:
        """Return the records of the episode in order; record 0 is the reset."""
        raise NotImplementedError

    async def grade(self, episode_id: str) -> dict[str, Any]:
        """Return the grade card: every predicate with its verdict and the rows that prove it."""
        raise NotImplementedError

    async def close(self, episode_id: str) -> None:
        """Forget the episode; its world is reaped in the background."""
        raise NotImplementedError

    async def company(self, episode_id: str) -> dict[str, Any]:
        """Return the company as a person would look at it: clock, services, tables and last steps."""
        raise NotImplementedError

    def manifest(self) -> dict[str, Any]:
        """Return the tools in OpenAI function format: `tools`, a list of {type, function}."""
        raise NotImplementedError

    def scenarios(self) -> list[dict[str, Any]]:
        """Return name, version, title and summary of every scenario, by name."""
        raise NotImplementedError

    def scenario(self, name: str) -> dict[str, Any]:
        """Return the environment card of one scenario, with its README as `readme`.

        Raises:
            Refusal: 404 scenario_unknown, naming those there are.
        """
        raise NotImplementedError

    async def ready(self) -> dict[str, Any]:
        """Return `ready` (bool) and `parts`, what each dependency answers ("ok" or why not)."""
        raise NotImplementedError

    def metrics(self) -> bytes:
        """Return the process' metrics in Prometheus text format."""
        raise NotImplementedError


@asynccontextmanager
async def open_episodes(settings: Settings) -> AsyncIterator[Episodes]:
    """Connect to PostgreSQL, Redis and the services, and yield the facade until the process stops."""
    yield Episodes()
