"""`companyos run --ray`: Ray workers play the episodes, and this process records the results."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from companyos.evaluation.runs import EpisodeTask, RunRequest
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import PlayedEpisode, PlayEpisode, playing_here
from companyos.evaluation.runs.stops import RunStopped
from companyos.integrations.ray_tasks import RayTasks, WorkersLost

from ..commands.run_options import AgentOptions
from .agents import ChosenAgent, chosen_agent


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
