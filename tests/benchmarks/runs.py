"""The overhead of `companyos run` over the plain client, on the same episodes of the oracle."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from companyos.client import AsyncCompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.evaluation.runs import AgentSpec, EpisodeTask, RunFolder, RunRequest
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import playing_here
from companyos.evaluation.runs.players.scripted import scripted_source
from companyos.evaluation.runs.runner import RunSession
from companyos.sdk.scenario import find, load_scenarios

from .figures import Measurement, percentile

AT_ONCE = 64
ROUNDS = 3


async def overhead_of_runs(url: str, seeds: int, rounds: int = ROUNDS) -> Measurement:
    """Measure the time of episodes as a run divided by their time with the client alone, 64 at once."""
    request = RunRequest(
        agent=AgentSpec("oracle", "oracle"),
        scenarios={name: scenario.version for name, scenario in load_scenarios().items()},
        seeds=tuple(range(seeds)),
        chaos=(0,),
        concurrency=AT_ONCE,
    )
    # The companies are loaded before anything is timed.
    await with_the_client(url, request)
    times: dict[Callable[[str, RunRequest], Awaitable[None]], list[float]] = {
        with_the_client: [],
        as_a_run: [],
    }
    for _ in range(rounds):
        for way, found in times.items():
            began = time.perf_counter()
            await way(url, request)
            found.append(time.perf_counter() - began)
    client_s, run_s = (percentile(found, 0.5) for found in times.values())
    episodes = len(list(request.tasks()))
    detail = f"{episodes} episodes: {run_s:.2f} s as a run, {client_s:.2f} s with the client"
    return Measurement(
        "companyos run / the client, 64 episodes at once", run_s / client_s, "x", 1.15, detail=detail
    )


async def with_the_client(url: str, request: RunRequest) -> None:
    """Play every episode of a request with clients, without recording anything."""
    tasks = request.tasks()
    await asyncio.gather(*(_seat(url, request, tasks) for _ in range(AT_ONCE)))


async def as_a_run(url: str, request: RunRequest) -> None:
    """Play every episode of a request as a run, into a folder."""
    with (
        tempfile.TemporaryDirectory(prefix="companyos-bench-run-") as folder,
        RunFolder.open(Path(folder) / "run", request, {"name": "bench"}) as kept,
    ):
        async with TrainerConnection(url, limit=AT_ONCE) as connection:
            playing = playing_here(request, "run", connection, scripted_source("oracle"))
            await RunSession(request, kept, connection, playing).play()


async def _seat(url: str, request: RunRequest, tasks: Iterator[EpisodeTask]) -> None:
    async with AsyncCompanyosEnv(url) as env:
        for task in tasks:
            agent = Oracle(find(task.scenario))
            result = await env.reset(**request.reset_options(task))
            agent.start(result.observation)
            while not result.done:
                result = await env.step(agent.act(result.observation))
