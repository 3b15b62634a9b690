"""`companyos run --ray`: Ray workers play the episodes, and this process records the results."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import typer

from companyos.embedded.errors import StackError
from companyos.embedded.settings import settings_in_force
from companyos.evaluation.runs import EpisodeTask, RunRequest
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import PlayedEpisode, PlayEpisode, playing_here
from companyos.evaluation.runs.stops import RunStopped
from companyos.integrations.ray.tasks import RayTasks, WorkersLost

from ..commands.run_options import AgentOptions
from .agents import ChosenAgent, chosen_agent
from .contradictions import EACH_NODE
from .stack import TrainerAddress

#: Settings of which each cell needs its own.
OF_ONE_STACK: Final = frozenset(
    {"COMPANYOS_CELL", "COMPANYOS_HOST", "COMPANYOS_AGENT_HOST", "COMPANYOS_AGENT_PORT"}
)


@dataclass(frozen=True)
class WorkerOrder:
    """Everything that a worker needs to play one episode.

    Attributes:
        url: The trainer API, as workers reach it.
        run: The name of the run.
    """

    url: str
    token: str | None
    agent: AgentOptions
    request: RunRequest
    run: str
    task: EpisodeTask


@contextmanager
def cells_for_run(count: str, token: str | None) -> Iterator[TrainerAddress]:
    """Yield cells on the nodes of Ray, with the settings that this command was given.

    Raises:
        StackError: The cells cannot be had on this cluster.
    """
    from companyos.integrations.ray.cells import Cells, CellsNotStarted

    try:
        with Cells.start(
            None if count == EACH_NODE else int(count), settings=_settings_for_cells(token)
        ) as cells:
            yield TrainerAddress(",".join(cells.urls), cells.token, is_ours=True)
    except CellsNotStarted as failure:
        raise StackError(str(failure)) from None


def _settings_for_cells(token: str | None) -> dict[str, str]:
    """Return the given settings that all cells may share."""
    given = {name: os.environ[name] for name in settings_in_force() if name not in OF_ONE_STACK}
    return given | ({"COMPANYOS_TRAINER_TOKEN": token} if token else {})


@contextmanager
def playing_on_ray(
    url: str, token: str | None, agent: AgentOptions, request: RunRequest, run: str
) -> Iterator[PlayEpisode]:
    """Yield a function that plays an episode in a Ray worker, which creates the agent itself."""
    with RayTasks() as tasks:

        async def play(task: EpisodeTask) -> PlayedEpisode:
            try:
                return await tasks.call(played, WorkerOrder(url, token, agent, request, run, task))
            except WorkersLost as lost:
                raise RunStopped(f"Ray could not play {task.key}: {lost}") from None

        yield play


def played(order: WorkerOrder) -> PlayedEpisode:
    """Play an episode in this process, from its reset to its grade.

    Raises:
        RunStopped: The agent cannot be created here, or the server refuses what the run asks for.
    """
    try:
        agent = chosen_agent(order.agent)
    except typer.BadParameter as failure:
        raise RunStopped(f"A worker of Ray cannot make the agent: {failure.message}.") from None
    return asyncio.run(_played(order, agent))


async def _played(order: WorkerOrder, agent: ChosenAgent) -> PlayedEpisode:
    async with TrainerConnection(order.url, order.token, limit=1) as connection:
        return await playing_here(order.request, order.run, connection, agent.source)(order.task)
