"""A run whose episodes workers play: the same records as without them, and the same failures told.

Ray itself is not needed here: `stubs` has what a run uses of it, under the same names. `make adapters` compares on Ray.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companyos.cli.commands.run_options import AgentOptions
from companyos.evaluation.runs import AgentSpec, Budgets, Run, RunFolder, RunRequest, read_run
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import playing_here
from companyos.evaluation.runs.players.scripted import scripted_source
from companyos.evaluation.runs.runner import RunSession
from companyos.evaluation.runs.stops import RunRefused, RunStopped
from companyos.sdk import stackpath
from companyos.sdk.scenario import find

STUBS = Path(__file__).parent / "stubs"
PLAYED = "vendor_onboarding"
REQUEST = RunRequest(
    agent=AgentSpec("oracle", "oracle"),
    scenarios={PLAYED: find(PLAYED).version},
    seeds=(0, 1, 2),
    chaos=(2,),
    guidance="none",
    concurrency=2,
)
ORACLE = AgentOptions("oracle")


@pytest.fixture(scope="module")
def on_ray() -> Iterator[Any]:
    """The part of the command line that lets workers play, with the stub for Ray."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(STUBS))
        from companyos.cli.run import ray_workers

        yield ray_workers
    for name in (
        "ray",
        "ray.exceptions",
        "companyos.integrations.ray.tasks",
        "companyos.cli.run.ray_workers",
    ):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
async def here(url: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run as this process plays it."""
    out = tmp_path_factory.mktemp("here") / "run"
    async with TrainerConnection(url) as connection:
        with RunFolder.open(out, REQUEST, {"name": "test"}) as folder:
            play = playing_here(REQUEST, "run", connection, scripted_source("oracle"))
            await RunSession(REQUEST, folder, connection, play).play()
    return read_run(out)


async def played_on_ray(on_ray: Any, url: str, out: Path, request: RunRequest = REQUEST) -> Run:
    async with TrainerConnection(url) as connection:
        with (
            RunFolder.open(out, request, {"name": "test"}) as folder,
            on_ray.playing_on_ray(url, None, ORACLE, request, out.name) as play,
        ):
            await RunSession(request, folder, connection, play).play()
    return read_run(out)


async def test_workers_leave_the_records_trajectories_and_traces_of_a_run_without_them(
    on_ray: Any, here: Run, url: str, tmp_path: Path
) -> None:
    spent = replace(REQUEST, budgets=Budgets(minutes=0.0))
    begun = await played_on_ray(on_ray, url, tmp_path / "run", spent)

    found = await played_on_ray(on_ray, url, tmp_path / "run")

    assert begun.episodes == ()
    assert contents(found) == contents(here)
    assert all(record.success for record in found.episodes)


def contents(run: Run) -> dict[str, Any]:
    """Return what a folder holds of each episode, but for real time and the episode's id."""
    return {
        record.key: (record.decisive(), run.trajectory(record.key), hashes(run, record.key))
        for record in run.episodes
    }


def hashes(run: Run, key: str) -> list[str]:
    return [step["hash"] for step in run.trace(key)]


async def test_a_worker_raises_what_the_server_refuses(on_ray: Any, url: str, tmp_path: Path) -> None:
    refused = replace(REQUEST, tools=("no_such_tool",))

    with pytest.raises(RunRefused, match="no_such_tool"):
        await played_on_ray(on_ray, url, tmp_path / "run", refused)

    assert read_run(tmp_path / "run").episodes == ()


def test_a_worker_that_cannot_make_the_agent_says_so(on_ray: Any, url: str) -> None:
    agent = AgentOptions("python", target="nowhere:act")
    order = on_ray.WorkerOrder(url, None, agent, REQUEST, "run", next(REQUEST.tasks()))

    with pytest.raises(RunStopped, match="cannot make the agent: nowhere cannot be imported"):
        on_ray.played(order)


async def test_workers_that_die_stop_the_run(on_ray: Any) -> None:
    with on_ray.RayTasks() as tasks, pytest.raises(on_ray.WorkersLost, match="terminated"):
        await tasks.call(os._exit, 1)


def test_the_command_line_lets_workers_play(here: Run, url: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    chosen = ("--agent", "oracle", PLAYED, "--seeds", "1", "--chaos", "2", "--ray")

    ended = subprocess.run(
        stackpath.program("run", *chosen, "--url", url, "--out", str(out)),
        capture_output=True,
        text=True,
        env=stackpath.environment(PYTHONPATH=f"{STUBS}:{stackpath.environment()['PYTHONPATH']}"),
        timeout=120,
    )

    assert ended.returncode == 0, ended.stderr
    assert "1/1 done" in ended.stderr
    (record,) = read_run(out).episodes
    assert contents(read_run(out))[record.key] == contents(here)[record.key]
