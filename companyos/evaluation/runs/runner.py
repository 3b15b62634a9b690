"""Plays all episodes of a run that its folder does not hold yet, several at once."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

from .connection import TrainerConnection
from .folder import RunFolder
from .play import EpisodePlayer, PlayedEpisode
from .players import AgentSource
from .records import EpisodeEnding, EpisodeRecord
from .request import EpisodeTask, RunRequest

#: After so many episodes in a row without any answer, the server is taken for gone.
GONE_AFTER = 3


class ServerGone(Exception):
    """The server stopped answering in the middle of a run. What was played is on record."""


Watch = Callable[[EpisodeRecord], Any]


class RunSession:
    """One session of a run: from its start or resumption until it is done or stopped.

    Args:
        request: What the run plays.
        folder: Where it is recorded.
        connection: The server.
        source: Makes the agent of each episode.
        watch: Called with every finished episode.
    """

    def __init__(
        self,
        request: RunRequest,
        folder: RunFolder,
        connection: TrainerConnection,
        source: AgentSource,
        watch: Watch | None = None,
    ) -> None:
        self._request = request
        self._folder = folder
        self._connection = connection
        self._source = source
        self._watch = watch
        self._began = time.monotonic()
        self._unanswered = 0

    def left(self) -> list[EpisodeTask]:
        """Return the episodes to play: those without a record, and those in which the environment failed."""
        known = self._folder.records
        return [
            task
            for task in self._request.tasks()
            if task.key not in known or known[task.key].ended is EpisodeEnding.ENVIRONMENT_FAILURE
        ]

    async def play(self) -> None:
        """Play all episodes that are left, or as many as the budgets allow.

        Raises:
            ServerGone: The server does not answer any more.
        """
        tasks = iter(self.left())
        try:
            async with asyncio.TaskGroup() as seats:
                for _ in range(self._request.concurrency):
                    seats.create_task(self._seat(tasks))
        except* ServerGone as gone:
            raise gone.exceptions[0] from None

    async def _seat(self, tasks: Iterator[EpisodeTask]) -> None:
        for task in tasks:
            if self._is_spent():
                return
            self._keep(await self._played(task))

    async def _played(self, task: EpisodeTask) -> PlayedEpisode:
        run = self._folder.path.name
        player = EpisodePlayer(self._request, run, task, self._connection.environment())
        return await player.play(self._source(task))

    def _keep(self, played: PlayedEpisode) -> None:
        self._folder.keep(played.record, played.trajectory, played.trace)
        if self._watch is not None:
            self._watch(played.record)
        self._unanswered = self._unanswered + 1 if played.server_gone else 0
        if self._unanswered >= GONE_AFTER:
            raise ServerGone(played.record.environment_failure)

    def _is_spent(self) -> bool:
        budgets = self._request.budgets
        if budgets.minutes is not None and time.monotonic() - self._began >= 60 * budgets.minutes:
            return True
        costs = (record.usage.cost_usd or 0.0 for record in self._folder.records.values())
        return budgets.usd is not None and sum(costs) >= budgets.usd
