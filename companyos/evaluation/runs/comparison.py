"""The oracle's steps on the instances of a run, each played once."""

import asyncio
from functools import partial

from companyos.client import CompanyosError
from companyos.scenario import find

from ..agents import Oracle
from ..agents.turn import AgentFailed
from .connection import TrainerConnection
from .folder import RunFolder
from .outages import Outages
from .players.scripted import ScriptedPlayer
from .request import EpisodeTask, RunRequest

Instance = tuple[str, int | str, int]


class OracleSteps:
    """Provides the oracle's number of steps, from the records of the run or by letting the oracle play.

    Args:
        request: What the run plays.
        folder: The run's records.
        connection: The server.
    """

    def __init__(self, request: RunRequest, folder: RunFolder, connection: TrainerConnection) -> None:
        self._request = request
        self._connection = connection
        self._outlast = Outages(connection.is_ready).outlast
        self._known: dict[Instance, asyncio.Task[int | None]] = {}
        self._longest: dict[tuple[str, int | str], asyncio.Task[int | None]] = {}
        self._seats = asyncio.Semaphore(request.concurrency)
        self._recorded = {record.instance: record.oracle_steps for record in folder.records.values()}

    async def of(self, task: EpisodeTask) -> int | None:
        """Return the oracle's steps; None if it did not solve the instance."""
        instance = (task.scenario, task.chaos_label, task.seed)
        if steps := self._recorded.get(instance):
            return steps
        if instance not in self._known:
            self._known[instance] = asyncio.create_task(self._played(task))
        return await asyncio.shield(self._known[instance])

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
            return await self._steps_on(task)

    async def _steps_on(self, task: EpisodeTask) -> int | None:
        env, agent = self._connection.environment(), ScriptedPlayer(Oracle(find(task.scenario)))
        try:
            options = self._request.reset_options(task)
            result = await self._outlast(lambda: env.reset(**options))
            first = result.observation["step"]
            await agent.start(result.observation)
            while not result.done:
                action = (await agent.act(result.observation)).output
                result = await self._outlast(partial(env.step, action))
            await env.close()
        except (CompanyosError, AgentFailed):
            # The compared episode uses the same server, and reports what is wrong with it.
            return None
        return result.observation["step"] - first if result.metadata["success"] else None
