"""Concurrent trainers over HTTP and WebSockets, blocking and async, for tests that disturb the stack."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from companyos.client import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios

SCENARIOS = sorted(load_scenarios().values(), key=lambda scenario: scenario.name)
#: The modes of a trainer: the transport of the steps, and whether the client is async.
WAYS = [("http", False), ("websocket", False), ("http", True), ("websocket", True)]


class Crowd:
    """Trainers by number: what they play is the same in every crowd."""

    def __init__(self, count: int) -> None:
        self.stop = threading.Event()
        self._pool = ThreadPoolExecutor(count)
        self._playing: list[Future[list[str]]] = []

    def join(self, url: str, count: int) -> None:
        """Have the trainers play at `url` until `stop` is set, each to the end of an episode, and at least one."""
        self._playing = [self._pool.submit(_play_on, url, number, self.stop) for number in range(count)]

    @property
    def hashes(self) -> list[set[str]]:
        """The hash of each trace, by trainer; raises what went wrong for any of them."""
        return [set(each.result()) for each in self._playing]

    def leave(self) -> None:
        """Wait for the last episodes."""
        self.stop.set()
        self._pool.shutdown()


@contextmanager
def crowd(url: str, count: int = 8) -> Iterator[Crowd]:
    """Have trainers play while the body runs; what came of it can be read afterwards."""
    trainers = Crowd(count)
    trainers.join(url, count)
    try:
        yield trainers
    finally:
        trainers.leave()


def undisturbed(url: str, count: int = 8) -> list[set[str]]:
    """Return what `Crowd.hashes` must be: the trace of each trainer's episode, played in peace."""
    with CompanyosEnv(url) as env:
        return [{_play(env, number)} for number in range(count)]


def _play_on(url: str, number: int, stop: threading.Event) -> list[str]:
    via, awaited = WAYS[number % len(WAYS)]
    if awaited:
        return asyncio.run(_play_on_awaited(url, number, stop, via))
    hashes = []
    with CompanyosEnv(url, via=via) as env:
        while not hashes or not stop.is_set():
            hashes.append(_play(env, number))
    return hashes


def _play(env: CompanyosEnv, number: int) -> str:
    scenario = SCENARIOS[number % len(SCENARIOS)]
    oracle = Oracle(scenario)
    result = env.reset(scenario=scenario.name, seed=number)
    oracle.start(result.observation)
    while not result.done:
        result = env.step(oracle.act(result.observation))
    return str(result.metadata["trace_hash"])


async def _play_on_awaited(url: str, number: int, stop: threading.Event, via: str) -> list[str]:
    scenario, hashes = SCENARIOS[number % len(SCENARIOS)], []
    async with CompanyosEnv(url, via=via) as env:
        while not hashes or not stop.is_set():
            oracle = Oracle(scenario)
            result = await env.reset(scenario=scenario.name, seed=number)
            oracle.start(result.observation)
            while not result.done:
                result = await env.step(oracle.act(result.observation))
            hashes.append(str(result.metadata["trace_hash"]))
    return hashes
