"""One episode of a run: played, graded and recorded, even if the agent or the environment fails."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from companyos.client import CompanyosError, Refused, Result, Unavailable
from companyos.client.model_output import MAX_RAW
from companyos.sdk.simtime import from_iso

from ..agents.reported_usage import sum_of
from ..agents.turn import AgentFailed, AgentGaveUp, AgentTurn, AgentUnavailable, AsyncAgent
from .connection import EpisodeEnv, TrainerConnection
from .grades import ending_of, graded
from .outages import Outages
from .players.doors import environment_of
from .players.scripted import AgentSource
from .players.visitor import VisitingPlayer
from .records import EpisodeEnding, EpisodeRecord
from .request import EpisodeTask, RunRequest
from .stops import RunRefused
from .trajectory import TrajectoryWriter

T = TypeVar("T")

#: Statuses of refusals that are not about the action sent.
_NOT_THE_ACTION: Final = frozenset({401, 403, 404, 409, 429})
#: Longest wait for an episode or an agent to be closed, in seconds.
_CLOSE_S: Final = 10.0


@dataclass(frozen=True)
class PlayedEpisode:
    """A finished episode with the files that exist for it.

    Attributes:
        agent_unavailable: Whether the agent could not take a step, for a reason that is not about the episode.
    """

    record: EpisodeRecord
    trajectory: Mapping[str, Any] | None = None
    trace: str | None = None
    agent_unavailable: bool = False


#: Plays one episode, in this process or in another.
PlayEpisode = Callable[[EpisodeTask], Awaitable[PlayedEpisode]]
#: Whether the files of an episode are wanted besides its record.
Keeps = Callable[[EpisodeRecord], bool]


def playing_here(
    request: RunRequest,
    run: str,
    connection: TrainerConnection,
    source: AgentSource,
    outages: Outages | None = None,
    *,
    keeps: Keeps = lambda record: True,
) -> PlayEpisode:
    """Return a function that plays the episodes of a run in this process.

    Args:
        request: What the run plays.
        run: The name of the run.
        connection: The server.
        source: Makes the agent of each episode.
        outages: How the run outlasts those of the server, if not silently and for the usual time.
        keeps: Which episodes leave a trajectory and a trace.
    """
    outages = outages or Outages(connection.is_ready)

    async def play(task: EpisodeTask) -> PlayedEpisode:
        env = environment_of(request, connection)
        player = EpisodePlayer(request, run, task, env, outages, keeps)
        return await player.play(lambda: source(task))

    return play


class EpisodePlayer:
    """Plays one episode.

    Args:
        request: What the run plays.
        run: The name of the run.
        task: The episode.
        env: A client of its own for the episode.
        outages: How the run outlasts those of the server.
        keeps: Whether the episode leaves a trajectory and a trace.
    """

    def __init__(
        self,
        request: RunRequest,
        run: str,
        task: EpisodeTask,
        env: EpisodeEnv,
        outages: Outages,
        keeps: Keeps,
    ) -> None:
        self._request = request
        self._run = run
        self._task = task
        self._env = env
        self._outages, self._outlast = outages, outages.outlast
        self._keeps = keeps
        self._began = time.perf_counter()
        self._writer: TrajectoryWriter | None = None
        self._sim_now = ""
        self._first_step = 0
        self._agent: AsyncAgent | None = None
        self._record = blank_record(request, task)
        self._agent_unavailable = False

    async def play(self, make: Callable[[], AsyncAgent]) -> PlayedEpisode:
        """Play the episode to its end, and record failures of the agent and of the environment.

        Args:
            make: Makes the agent.

        Raises:
            RunRefused: The server does not accept what every reset of the run asks for.
            ServerGone: The server stayed away.
        """
        trace = None
        try:
            trace = await self._played(make)
        except CompanyosError as failure:
            failed = f"{type(failure).__name__}: {failure}"
            self._note(ended=EpisodeEnding.ENVIRONMENT_FAILURE, environment_failure=failed, success=False)
        finally:
            if self._agent is not None:
                await _closed(self._agent.close())
            await _closed(self._env.close())
        self._note(wall_s=round(time.perf_counter() - self._began, 3))
        writer = self._writer if self._keeps(self._record) else None
        trajectory = writer.document(self._record, self._run) if writer else None
        return PlayedEpisode(self._record, trajectory, trace, self._agent_unavailable)

    async def _played(self, make: Callable[[], AsyncAgent]) -> str | None:
        result = await self._reset()
        first = result.observation
        self._sim_now, self._first_step = first["sim_now"], first["step"]
        self._note(episode_id=result.metadata["episode_id"], max_steps=first["steps_remaining"])
        try:
            self._agent = agent = make()
            await self._in_time(agent.start(first))
            self._writer = TrajectoryWriter(self._request.agent, agent, result)
            if isinstance(agent, VisitingPlayer):
                result = await self._visited(agent, result)
            while not (result.done or self._is_spent(result)):
                turn = await self._in_time(agent.act(result.observation))
                result = await self._step(turn)
            self._note(ended=ending_of(result) if result.done else EpisodeEnding.BUDGET)
        except AgentFailed as failure:
            self._agent_unavailable = isinstance(failure, AgentUnavailable) and not self._record.steps
            usage = sum_of(self._record.usage, failure.usage)
            ended = EpisodeEnding.GAVE_UP if isinstance(failure, AgentGaveUp) else EpisodeEnding.AGENT_ERROR
            self._note(ended=ended, agent_error=str(failure), usage=usage)
        self._note(sim_elapsed_s=from_iso(self._sim_now) - from_iso(first["sim_now"]))
        return await self._graded()

    async def _reset(self) -> Result:
        options = self._request.reset_options(self._task)
        try:
            return await self._outlast(lambda: self._env.reset(**options))
        except Refused as refusal:
            if 400 <= refusal.status < 500 and not isinstance(refusal, Unavailable):
                raise RunRefused(str(refusal)) from refusal
            raise

    async def _step(self, turn: AgentTurn) -> Result:
        """Play a turn; an output that the server rejects as an action counts as an invalid action."""
        action = self._env.action_of(turn.output)
        try:
            result = await self._outlast(lambda: self._env.step(action))
        except Refused as refusal:
            if refusal.status in _NOT_THE_ACTION or not 400 <= refusal.status < 500:
                raise
            action = {"type": "invalid", "raw": json.dumps(action, default=str)[:MAX_RAW]}
            result = await self._outlast(lambda: self._env.step(action))
        self._add(turn, action, result)
        return result

    async def _visited(self, agent: VisitingPlayer, first: Result) -> Result:
        """Let an agent that connects by itself play, and return the last result."""
        most = self._request.budgets.steps
        results = await agent.visit(
            first,
            self._env,
            self._outages,
            most_steps=None if most is None else self._first_step + most,
            patience_s=self._request.turn_timeout_s,
        )
        for result in results:
            self._add(AgentTurn(result.metadata["action"]), result.metadata["action"], result)
        return results[-1] if results else first

    def _add(self, turn: AgentTurn, action: Mapping[str, Any], result: Result) -> None:
        self._count(turn, action, result)
        self._sim_now = result.observation["sim_now"]
        if self._writer is not None:
            self._writer.add(turn, action, result)

    def _count(self, turn: AgentTurn, action: Mapping[str, Any], result: Result) -> None:
        is_invalid = action.get("type") == "invalid"
        self._note(
            usage=sum_of(self._record.usage, turn.usage),
            steps=self._steps(result),
            invalid_actions=self._record.invalid_actions + is_invalid,
            refused_calls=self._record.refused_calls + (bool(result.observation["error"]) and not is_invalid),
            omitted_results=max(self._record.omitted_results, turn.omitted_results),
            hints=tuple(dict.fromkeys([*self._record.hints, *filter(None, [turn.hint])])),
        )

    def _is_spent(self, result: Result) -> bool:
        budgets, usage = self._request.budgets, self._record.usage
        steps, tokens = self._steps(result), usage.prompt_tokens + usage.completion_tokens
        return (budgets.steps is not None and steps >= budgets.steps) or (
            budgets.tokens is not None and tokens >= budgets.tokens
        )

    def _steps(self, result: Result) -> int:
        """Return the steps of the agent, which do not include those before a start."""
        return int(result.observation["step"]) - self._first_step

    async def _in_time(self, answer: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._request.turn_timeout_s):
                return await answer
        except TimeoutError:
            message = f"the agent took longer than {self._request.turn_timeout_s:g} s for a turn"
            raise AgentFailed(message) from None

    async def _graded(self) -> str | None:
        """Record the grade and return the trace, if it is kept."""
        card = await self._outlast(self._env.grade)
        self._note(**graded(card))
        return await self._outlast(self._env.trace_lines) if self._keeps(self._record) else None

    def _note(self, **parts: Any) -> None:
        self._record = replace(self._record, **parts)


def blank_record(request: RunRequest, task: EpisodeTask) -> EpisodeRecord:
    """Return the record of an episode in which nothing has been played."""
    return EpisodeRecord(
        key=task.key,
        scenario=task.scenario,
        version=request.scenarios[task.scenario],
        seed=task.seed,
        pair=task.seed // 2,
        chaos=task.chaos_label,
        repeat=task.repeat,
        episode_id="",
        ended=EpisodeEnding.ENVIRONMENT_FAILURE,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


async def _closed(closing: Awaitable[None]) -> None:
    """Close an agent or an episode; failures are ignored, because both expire by themselves."""
    with suppress(AgentFailed, CompanyosError, OSError, TimeoutError):
        async with asyncio.timeout(_CLOSE_S):
            await closing
