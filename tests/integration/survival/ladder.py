"""Rungs as a training climbs them: oracles play them in a batch, and each success opens the next."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companyos.cli.train.command import PAUSES_S
from companyos.client.batch import CompanyosBatch
from companyos.training.rollouts import Rollout, play_oracle
from companyos.training.rungs import Rungs, RungStarts
from tests.families import SOME

from .killer import Pulse

CALLS_LEFT: Final = (2, 4)
TASKS: Final = [
    {"scenario": name, "seed": seed, "chaos": 0, "rewards": "drill", "tools": "scenario"}
    for name in SOME
    for seed in (0, 1)
]


@dataclass
class Climb:
    """What came of it: the episodes, the hash chains of all their steps, and the last rung that is open."""

    episodes: list[Rollout]
    hashes: list[list[str]]
    top: int


def climb(url: str, beat: Callable[[], object] = lambda: None) -> Climb:
    """Play the tasks on the last open rung, until all are open."""
    hashes: list[list[str]] = []

    class Recording(CompanyosBatch):
        def step(self, actions: Any) -> Any:
            results: Mapping[int, Any] = super().step(actions)
            hashes.append([result.metadata["trace_hash"] for result in results.values()])
            beat()
            return results

    batch = Recording(url, len(TASKS), pauses_s=PAUSES_S)
    rungs, starts, episodes = Rungs(CALLS_LEFT), RungStarts(batch, CALLS_LEFT), list[Rollout]()
    for number in range(len(CALLS_LEFT)):
        assert rungs.top == number
        played = play_oracle(batch, starts.options(TASKS, [number] * len(TASKS)))
        rungs.learn(number, sum(bool(each.success) for each in played) / len(played))
        episodes += played
    batch.close()
    return Climb(episodes, hashes, rungs.top)


async def climb_until(over: threading.Event, url: str, pulse: Pulse) -> list[Climb]:
    """Climb over and over; the last climb is finished when it is over."""
    loop = asyncio.get_running_loop()

    def climb_on() -> list[Climb]:
        climbs = []
        while not over.is_set():
            climbs.append(climb(url, lambda: asyncio.run_coroutine_threadsafe(pulse.beat(), loop).result()))
        return climbs

    return await asyncio.to_thread(climb_on)
