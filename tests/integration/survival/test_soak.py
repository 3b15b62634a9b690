"""A run whose stack is disturbed over and over records what a run in peace records."""

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.runs import AgentSpec, RunFolder, RunRequest, read_run
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.outages import Outages
from companyos.evaluation.runs.play import playing_here
from companyos.evaluation.runs.players.scripted import scripted_source
from companyos.evaluation.runs.runner import RunSession
from companyos.sdk.scenario import load_scenarios
from tests.disks import NoDisk, small_disk
from tests.families import ALL
from tests.sizes import size, whole_proof

from .disturbances import Disturber
from .killer import Pulse
from .stacks import Stack, stack_in
from .trainers import PlainTrainer

FAMILIES = size(["expense_report", "joint_purchase"], ALL)
REQUEST = RunRequest(
    agent=AgentSpec("oracle", "oracle"),
    scenarios={name: load_scenarios()[name].version for name in FAMILIES},
    seeds=tuple(range(size(3, 2))),
    chaos=(0, 1),
    concurrency=8,
)
#: Every disturbance comes once, and again until so much time has passed.
LASTS_S = size(0, 1800)
#: Between two disturbances, so many episodes are recorded, within so many seconds.
EPISODES, AGAIN_S = 2, 120.0
DISK_MB = 1024

log = logging.getLogger(__name__)
Records = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack as it is by default, on a small disk of its own where one can be mounted."""
    folder = tmp_path_factory.mktemp("soak")
    with ExitStack() as opened:
        try:
            disk = opened.enter_context(small_disk(folder / "disk", megabytes=DISK_MB))
        except NoDisk as reason:
            log.warning("The disk is never full: %s", reason)
            disk = folder
        yield opened.enter_context(stack_in(disk / "home", replicas=1))


@whole_proof
async def test_a_run_that_is_disturbed_records_what_a_run_in_peace_does(stack: Stack, tmp_path: Path) -> None:
    in_peace = await records(stack, tmp_path / "in peace", Pulse())
    pulse, over = Pulse(), asyncio.Event()
    disturber = Disturber(stack, random.Random(0), await a_token(stack))
    # A run that fails ends the disturbances, and is what is told.
    async with asyncio.TaskGroup() as group:
        playing = group.create_task(runs_until(over, stack, tmp_path, pulse))
        disturbed = await disturb(disturber, pulse)
        over.set()
    runs = playing.result()

    log.info("%s; %d runs, %d episodes", dict(disturbed), len(runs), pulse.steps)
    assert all(record["success"] for record in in_peace.values())
    assert [unlike for run in runs for unlike in differences(run, in_peace)] == []
    assert (await stack.get("/ready"))["ready"]


async def disturb(disturber: Disturber, pulse: Pulse) -> Counter[str]:
    """Disturb in turns for as long as told; return how often in which way."""
    ways = disturber.all
    if not disturber.stack.home.path.parent.is_mount():
        del ways["full disk"]
    ends, done = time.monotonic() + LASTS_S, Counter[str]()
    for name in cycle(ways):
        if len(done) == len(ways) and time.monotonic() > ends:
            break
        await pulse.after(EPISODES, within_s=AGAIN_S)
        log.info("disturbed by: %s", name)
        await ways[name]()
        done[name] += 1
    await disturber.rest()
    return done


async def runs_until(over: asyncio.Event, stack: Stack, folder: Path, pulse: Pulse) -> list[Records]:
    """Play the run again and again until it is over."""
    played: list[Records] = []
    while not over.is_set():
        played.append(await records(stack, folder / f"run {len(played)}", pulse))
    return played


async def records(stack: Stack, folder: Path, pulse: Pulse) -> Records:
    """Play the run, and return what is decisive of each record."""
    beats: set[asyncio.Task[None]] = set()

    def watch(record: Any) -> None:
        beats.add(asyncio.create_task(pulse.beat()))

    async with TrainerConnection(stack.url, limit=REQUEST.concurrency) as connection:
        with RunFolder.open(folder, REQUEST, {"name": "soak"}) as opened:
            outages = Outages(connection.is_ready, say=log.info)
            playing = playing_here(REQUEST, "soak", connection, scripted_source("oracle"), outages)
            await RunSession(REQUEST, opened, connection, playing, watch, say=log.info).play()
    return {record.key: record.decisive() for record in read_run(folder).episodes}


def differences(run: Records, in_peace: Records) -> list[str]:
    """Return in what a run differs from the one in peace."""
    return [
        f"{key}: {name} is {run.get(key, {}).get(name)!r}, in peace {value!r}"
        for key, record in in_peace.items()
        for name, value in record.items()
        if run.get(key, {}).get(name) != value
    ]


async def a_token(stack: Stack) -> str:
    """Return the token of an agent whose episode nobody plays."""
    trainer = PlainTrainer(stack.url)
    begun = await trainer.reset({"scenario": FAMILIES[0], "seed": 0})
    await trainer.close()
    return str(begun.metadata["agent_token"])
