"""The oracle's steps on the instances of a run, each played once."""

import asyncio
from dataclasses import replace

from .connection import TrainerConnection
from .folder import RunFolder
from .play import playing_here
from .players.scripted import scripted_source
from .request import Budgets, Door, EpisodeTask, Instance, RunRequest
from .stops import RunRefused


class OracleSteps:
    """Provides the oracle's number of steps, from the records of the run or by letting the oracle play.

    Args:
        request: What the run plays.
        folder: The run's records.
        connection: The server.
    """

    def __init__(self, request: RunRequest, folder: RunFolder, connection: TrainerConnection) -> None:
        self._request = request
        plain = replace(request, budgets=Budgets(), door=Door.TOOLS)
        oracle = scripted_source("oracle")
        self._play = playing_here(plain, "oracle", connection, oracle, keeps=lambda record: False)
        self._known: dict[Instance, asyncio.Task[int | None]] = {}
        self._longest: dict[tuple[str, int | str], asyncio.Task[int | None]] = {}
        self._seats = asyncio.Semaphore(request.concurrency)
        self._recorded = {record.instance: record.oracle_steps for record in folder.records.values()}

    async def of(self, task: EpisodeTask) -> int | None:
        """Return the oracle's steps; None if it did not solve the instance."""
        if steps := self._recorded.get(task.instance):
            return steps
        if task.instance not in self._known:
            self._known[task.instance] = asyncio.create_task(self._played(task))
        return await asyncio.shield(self._known[task.instance])

    async def longest(self, task: EpisodeTask) -> int | None:
        """Return the oracle's most steps on any instance of the task's scenario and chaos; None if it solved none."""
        level = (task.scenario, task.chaos_label)
        if level not in self._longest:
            self._longest[level] = asyncio.create_task(self._longest_of(level))
        return await asyncio.shield(self._longest[level])

    async def _longest_of(self, level: tuple[str, int | str]) -> int | None:
        tasks = [one for one in self._request.tasks() if one.repeat == 0]
        alike = [one for one in tasks if (one.scenario, one.chaos_label) == level]
        steps = await asyncio.gather(*map(self.of, alike))
        return max((count for count in steps if count is not None), default=None)

    async def _played(self, task: EpisodeTask) -> int | None:
        async with self._seats:
            try:
                record = (await self._play(task)).record
            except RunRefused:
                # The compared episode uses the same server, and reports what is wrong with it.
                return None
        return record.steps if record.success else None
