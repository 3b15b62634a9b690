"""Plays all episodes of a run that are not yet in its folder, several at once."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import ceil

from .comparison import OracleSteps
from .connection import TrainerConnection
from .folder import RunFolder
from .play import PlayedEpisode, PlayEpisode, RunStopped
from .records import EpisodeEnding, EpisodeRecord
from .request import EpisodeTask, RunRequest

#: After this many episodes in a row without any response, the server or the agent's endpoint is considered gone.
GONE_AFTER = 3

Watch = Callable[[EpisodeRecord], None]


class ServerGone(RunStopped):
    """The server stopped answering in the middle of a run."""


class AgentGone(RunStopped):
    """The agent cannot be asked, so every further episode would fail without a step."""


class RunSession:
    """One session of a run: from its start or resumption until it is done or stopped.

    Args:
        request: What the run plays.
        folder: Where it is recorded.
        connection: The server.
        play: Plays each episode.
        watch: Called with every finished episode.
        retry_errors: Whether to play the episodes again that ended in an agent error.
    """

    def __init__(
        self,
        request: RunRequest,
        folder: RunFolder,
        connection: TrainerConnection,
        play: PlayEpisode,
        watch: Watch | None = None,
        *,
        retry_errors: bool = False,
    ) -> None:
        self._request = request
        self._folder = folder
        self._play = play
        self._watch = watch
        self._oracle = OracleSteps(request, folder, connection)
        self._began = time.monotonic()
        self._spent_usd = sum(record.usage.cost_usd or 0.0 for record in folder.records.values())
        self._tasks = tasks_left(request, folder.records.values(), retry_errors=retry_errors)
        self._unanswered = 0
        self._unavailable = 0

    async def play(self) -> None:
        """Play all episodes that are left, or as many as the budgets allow.

        Raises:
            ServerGone: The server no longer responds.
            AgentGone: The agent cannot be asked.
            RunStopped: The server refuses what the run asks for.
        """
        tasks = iter(self._tasks)
        try:
            async with asyncio.TaskGroup() as seats:
                for _ in range(self._request.concurrency):
                    seats.create_task(self._seat(tasks))
        except* RunStopped as stopped:
            raise _first(stopped) from None

    async def _seat(self, tasks: Iterator[EpisodeTask]) -> None:
        while not self._is_spent() and (task := next(tasks, None)):
            self._keep(await self._played(task))

    async def _played(self, task: EpisodeTask) -> PlayedEpisode:
        played = await self._play(await self._limited(task))
        steps = await self._oracle_steps(task, played.record)
        return replace(played, record=replace(played.record, oracle_steps=steps))

    async def _limited(self, task: EpisodeTask) -> EpisodeTask:
        ratio = self._request.budgets.steps_over_oracle
        longest = None if ratio is None else await self._oracle.longest(task)
        return task if ratio is None or longest is None else replace(task, max_steps=ceil(ratio * longest))

    async def _oracle_steps(self, task: EpisodeTask, record: EpisodeRecord) -> int | None:
        if self._request.agent.kind == "oracle":
            return record.steps if record.success else None
        compares = self._request.oracle or self._request.budgets.steps_over_oracle is not None
        return await self._oracle.of(task) if compares and record.is_scored else None

    def _keep(self, played: PlayedEpisode) -> None:
        self._folder.keep(played.record, played.trajectory, played.trace)
        self._spent_usd += played.record.usage.cost_usd or 0.0
        if self._watch is not None:
            self._watch(played.record)
        self._unanswered = self._unanswered + 1 if played.server_gone else 0
        if self._unanswered >= GONE_AFTER:
            raise ServerGone(played.record.environment_failure)
        self._unavailable = self._unavailable + 1 if played.agent_unavailable else 0
        if self._unavailable >= GONE_AFTER:
            raise AgentGone(played.record.agent_error)

    def _is_spent(self) -> bool:
        """Return whether the run's cost or time budget is spent."""
        budgets = self._request.budgets
        minutes = (time.monotonic() - self._began) / 60
        is_late = budgets.minutes is not None and minutes >= budgets.minutes
        return is_late or (budgets.usd is not None and self._spent_usd >= budgets.usd)


def tasks_left(
    request: RunRequest, records: Iterable[EpisodeRecord], *, retry_errors: bool = False
) -> list[EpisodeTask]:
    """Return the episodes to play: those without a record, and those in which the environment failed.

    Args:
        request: What the run plays.
        records: The recorded episodes.
        retry_errors: Whether those that ended in an agent error are played again as well.
    """
    again = {EpisodeEnding.ENVIRONMENT_FAILURE, *([EpisodeEnding.AGENT_ERROR] if retry_errors else [])}
    done = {record.key for record in records if record.ended not in again}
    return [task for task in request.tasks() if task.key not in done]


def _first(stopped: BaseExceptionGroup[RunStopped]) -> RunStopped:
    failure = stopped.exceptions[0]
    return _first(failure) if isinstance(failure, BaseExceptionGroup) else failure
