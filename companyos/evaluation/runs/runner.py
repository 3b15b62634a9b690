"""Plays all episodes of a run that are not yet in its folder, several at once."""

import asyncio
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil

from ..stored_json import FolderUnusable
from .comparison import OracleSteps
from .connection import TrainerConnection
from .folder import RunFolder
from .outages import Say
from .play import PlayedEpisode, PlayEpisode, blank_record
from .records import EpisodeEnding, EpisodeRecord
from .request import EpisodeTask, RunRequest
from .stops import AgentGone, RunStopped

#: After this many episodes in a row without a step, the agent's endpoint is considered gone.
GONE_AFTER = 3
#: How often a session plays an episode in which the environment fails.
MOST_ATTEMPTS = 3

Watch = Callable[[EpisodeRecord], None]


class RunSession:
    """One session of a run: from its start or resumption until it is done or stopped.

    Args:
        request: What the run plays.
        folder: Where it is recorded.
        connection: The server.
        play: Plays each episode.
        watch: Called with every finished episode.
        say: Told what a person who watches the run should know.
        retry_errors: Whether to play the episodes again that ended in an agent error.
        attempts: How often to play an episode in which the environment fails.
    """

    def __init__(
        self,
        request: RunRequest,
        folder: RunFolder,
        connection: TrainerConnection,
        play: PlayEpisode,
        watch: Watch = lambda record: None,
        *,
        say: Say = lambda text: None,
        retry_errors: bool = False,
        attempts: int = MOST_ATTEMPTS,
    ) -> None:
        self._request = request
        self._folder = folder
        self._play = play
        self._watch = watch
        self._say = say
        self._oracle = OracleSteps(request, folder, connection)
        self._began = time.monotonic()
        self._spent_usd = sum(record.usage.cost_usd or 0.0 for record in folder.records.values())
        self.tasks = deque(tasks_left(request, folder.records.values(), retry_errors=retry_errors))
        self._most_attempts = attempts
        self._attempts: Counter[str] = Counter()
        self._unavailable = 0

    async def play(self) -> None:
        """Play all episodes that are left, or as many as the budgets allow.

        Raises:
            ServerGone: The server stayed away.
            AgentGone: The agent cannot be asked.
            RunStopped: The server refuses what the run asks for, or the folder cannot be written.
        """
        await play_together([self], self._request.concurrency)

    @property
    def is_over(self) -> bool:
        """Whether no further episode begins: all were played, or a budget is spent."""
        return not self.tasks or self._is_spent()

    async def play_next(self) -> None:
        """Play the next episode."""
        task = self.tasks.popleft()
        self._attempts[task.key] += 1
        self._keep(task, await self._played(task))

    async def _played(self, task: EpisodeTask) -> PlayedEpisode:
        try:
            played = await self._play(await self._limited(task))
            steps = await self._oracle_steps(task, played.record)
        except RunStopped:
            raise
        except Exception as defect:  # noqa: BLE001 - one episode that cannot be played must not end the others
            return self._failed(task, defect)
        return replace(played, record=replace(played.record, oracle_steps=steps))

    def _failed(self, task: EpisodeTask, defect: Exception) -> PlayedEpisode:
        self._say(f"{task.key} could not be played:\n{''.join(traceback.format_exception(defect))}")
        record = blank_record(self._request, task)
        return PlayedEpisode(replace(record, environment_failure=f"{type(defect).__name__}: {defect}"))

    async def _limited(self, task: EpisodeTask) -> EpisodeTask:
        ratio = self._request.budgets.steps_over_oracle
        longest = None if ratio is None else await self._oracle.longest(task)
        return task if ratio is None or longest is None else replace(task, max_steps=ceil(ratio * longest))

    async def _oracle_steps(self, task: EpisodeTask, record: EpisodeRecord) -> int | None:
        if self._request.agent.kind == "oracle":
            return record.steps if record.success else None
        compares = self._request.oracle or self._request.budgets.steps_over_oracle is not None
        return await self._oracle.of(task) if compares and record.is_scored else None

    def _keep(self, task: EpisodeTask, played: PlayedEpisode) -> None:
        record = played.record
        try:
            self._folder.keep(record, played.trajectory, played.trace)
        except FolderUnusable as failure:
            raise RunStopped(f"{failure}.") from None
        self._spent_usd += record.usage.cost_usd or 0.0
        if not record.is_scored and self._attempts[task.key] < self._most_attempts:
            self._say(f"{task.key} is played again: {record.environment_failure}")
            self.tasks.append(task)
            return
        self._watch(record)
        self._unavailable = self._unavailable + 1 if played.agent_unavailable else 0
        if self._unavailable >= GONE_AFTER:
            raise AgentGone(record.agent_error)

    def _is_spent(self) -> bool:
        """Return whether the run's cost or time budget is spent."""
        budgets = self._request.budgets
        minutes = (time.monotonic() - self._began) / 60
        is_late = budgets.minutes is not None and minutes >= budgets.minutes
        return is_late or (budgets.usd is not None and self._spent_usd >= budgets.usd)


async def play_together(sessions: Sequence[RunSession], concurrency: int) -> None:
    """Play the sessions of several runs instance by instance, so that each company is loaded once.

    Raises:
        RunStopped: As `RunSession.play` does.
    """

    async def seat() -> None:
        while going := [session for session in sessions if not session.is_over]:
            session = going[0] if len(going) == 1 else min(going, key=lambda one: one.tasks[0].instance)
            await session.play_next()

    try:
        async with asyncio.TaskGroup() as seats:
            for _ in range(concurrency):
                seats.create_task(seat())
    except* RunStopped as stopped:
        raise _first(stopped) from None


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
