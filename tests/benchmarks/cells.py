"""Measures cells: the cost of their router, several of them behind it, and many episodes that step now and then.

One stack is reached by its own address and through a router, in turns, so nothing differs but the router. Episodes
that step once per period are an open loop: a step is due whether or not others are late, and its time counts from when
it was due.
"""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp

from companyos.cells.haproxy import configuration
from tests.routers import routed, until_routed

from .figures import Measurement, percentile
from .machine import RunningStack, cpu_s, started_stack
from .measurements import IN_FLIGHT, at_once
from .peers import Play, echo_play, echo_server, open_socket
from .trainer import Trainer

NAMES: Final = ("cell-a", "cell-b", "cell-c", "cell-d")
COUNTS: Final = (1, 2, 4)
ROUNDS: Final = 5
TURN_S: Final = 3.0
#: Between two steps of an episode, in seconds: most of it is the model's.
PERIOD_S: Final = 20.0
STEP_TIMEOUT_S: Final = 60.0
TRAJECTORY_STEPS, TRAJECTORIES = 50, 10_000
ALONE, ECHO = "one stack, no router", "OpenEnv's echo (tool)"
ECHO_KIND: Final = "tool"
#: How a step may fail; anything else is a mistake of the benchmark.
FAILURES: Final = (RuntimeError, aiohttp.ClientError, TimeoutError)


@dataclass(frozen=True)
class Site:
    """A place to play: how an episode begins there, which returns its step, and the processes that serve it."""

    begin: Callable[[], Awaitable[Play]]
    pids: list[int]
    router: list[int] = field(default_factory=list)


@dataclass
class Pace:
    """What a site did in all rounds.

    Attributes:
        rates: Steps per second with many sessions, by round.
        cpu_s: Processor time of all its processes per step then, by round.
        router_s: The router's part of it.
        steps: Times of steps with one session, in seconds.
        trajectories: Times of a reset and the steps that follow it, in seconds.
    """

    rates: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    router_s: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    trajectories: list[float] = field(default_factory=list)


async def cells(folder: Path, episodes: int, seconds: float) -> list[Measurement]:
    """Measure every site: in turns as fast as it goes, then one after the other with many episodes that step slowly.

    Args:
        folder: Where the homes of the stacks are made.
        episodes: How many episodes step once per period.
        seconds: How long each site plays them.
    """
    # An echo's episode is a connection of its own, at both of its ends.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    load_before = os.getloadavg()[0]
    async with _sites(folder, episodes) as sites:
        paces = await _in_turns(sites, TURN_S)
        slow = [
            figure
            for name, site in sites.items()
            for figure in await _step_slowly(name, site, episodes, seconds)
        ]
    load = f"load before {load_before:.1f}, after {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors"
    return [
        *_router_figures(paces),
        *_pace_figures(paces),
        *slow,
        Measurement("load", load_before, "", detail=load),
    ]


@asynccontextmanager
async def _sites(folder: Path, episodes: int) -> AsyncIterator[dict[str, Site]]:
    """Start the cells, a router for each number of them, and an echo."""
    async with AsyncExitStack() as opened:
        limits, connector = aiohttp.ClientTimeout(total=STEP_TIMEOUT_S), aiohttp.TCPConnector(limit=0)
        session = await opened.enter_async_context(aiohttp.ClientSession(connector=connector, timeout=limits))
        ports = {"COMPANYOS_PORT": "0", "COMPANYOS_AGENT_PORT": "0"}
        stacks = {
            name: opened.enter_context(started_stack(folder / name, COMPANYOS_CELL=name, **ports))
            for name in NAMES
        }
        first = stacks[NAMES[0]]
        sites = {ALONE: Site(_episodes_at(first.url, session), first.pids)}
        for count in COUNTS:
            some = {name: stacks[name] for name in NAMES[:count]}
            url, pid = await _router(opened, folder / f"{count}.cfg", some)
            pids = [pid, *(pid for stack in some.values() for pid in stack.pids)]
            sites[_cells_name(count)] = Site(_episodes_at(url, session), pids, [pid])
        echo = opened.enter_context(echo_server(ECHO_KIND, episodes + IN_FLIGHT + ROUNDS))

        async def begin_echo() -> Play:
            return await echo_play(await open_socket(session, opened, echo.url), ECHO_KIND)

        yield {**sites, ECHO: Site(begin_echo, [echo.pid])}


async def _router(opened: AsyncExitStack, path: Path, stacks: dict[str, RunningStack]) -> tuple[str, int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = configuration({name: stack.url for name, stack in stacks.items()}, port=port)
    router = await opened.enter_async_context(routed(path, text, port))
    await until_routed(router.url)
    return router.url, router.pid


def _episodes_at(url: str, session: aiohttp.ClientSession) -> Callable[[], Awaitable[Play]]:
    trainer = Trainer(url, session)

    async def begin() -> Play:
        return (await trainer.reset()).next_step

    return begin


async def _in_turns(sites: dict[str, Site], seconds: float) -> dict[str, Pace]:
    """Let each site play some seconds with many sessions and with one, and a trajectory, several times in turns."""
    paces = {name: Pace() for name in sites}
    plays = {name: [await site.begin() for _ in range(IN_FLIGHT)] for name, site in sites.items()}
    for _ in range(ROUNDS):
        for name, site in sites.items():
            pace, before, of_router = paces[name], cpu_s(site.pids), cpu_s(site.router)
            rate, times = await at_once(plays[name], seconds)
            pace.cpu_s.append((cpu_s(site.pids) - before) / len(times))
            pace.router_s.append((cpu_s(site.router) - of_router) / len(times))
            pace.rates.append(rate)
            pace.steps += (await at_once(plays[name][:1], seconds))[1]
            pace.trajectories.append(await _trajectory_s(site))
    return paces


async def _trajectory_s(site: Site) -> float:
    began = time.perf_counter()
    play = await site.begin()
    for _ in range(TRAJECTORY_STEPS):
        await play()
    return time.perf_counter() - began


async def _step_slowly(name: str, site: Site, episodes: int, seconds: float) -> list[Measurement]:
    """Let episodes step once per period, evenly spread over it, and report failures and times."""
    plays = [await site.begin() for _ in range(episodes)]
    failed, times = await open_loop(plays, PERIOD_S, seconds)
    p50, p99 = (percentile(times, share) * 1e3 for share in (0.5, 0.99))
    what = f"{episodes:,} stepping episodes, {name}"
    rate = f"{episodes / PERIOD_S:.0f} steps/s due for {seconds:.0f} s"
    return [
        Measurement(f"{what}: failed steps", float(failed), "", 0.0, detail=f"of {len(times):,}, {rate}"),
        Measurement(f"{what}: step p99", p99, "ms", 1000.0, detail=f"p50 {p50:.1f} ms"),
    ]


async def open_loop(plays: Sequence[Play], period_s: float, seconds: float) -> tuple[int, list[float]]:
    """Repeat each action once per period; return how many failed, and the time of each since it was due."""
    began, failed = time.perf_counter(), 0
    times: list[float] = []

    async def keep_playing(play: Play, due: float) -> None:
        nonlocal failed
        while due < seconds:
            await asyncio.sleep(max(0.0, began + due - time.perf_counter()))
            try:
                await play()
            except FAILURES:
                failed += 1
            times.append(time.perf_counter() - began - due)
            due += period_s

    share = period_s / len(plays)
    await asyncio.gather(*(keep_playing(play, number * share) for number, play in enumerate(plays)))
    return failed, times


def _router_figures(paces: dict[str, Pace]) -> list[Measurement]:
    """Compare the stack behind its router with the same stack without."""
    alone, behind = paces[ALONE], paces[_cells_name(1)]
    rates, costs, steps = (
        [percentile(values, 0.5) for values in (pair[0], pair[1])]
        for pair in ((behind.rates, alone.rates), (behind.cpu_s, alone.cpu_s), (behind.steps, alone.steps))
    )
    own_ms = percentile(behind.router_s, 0.5) * 1e3
    return [
        Measurement("router: its own processor time per step", own_ms, "ms"),
        Measurement(
            "router: steps/s behind it / without", rates[0] / rates[1], "x", 0.9, lower_is_better=False
        ),
        Measurement("router: processor time per step behind it / without", costs[0] / costs[1], "x", 1.1),
        Measurement("router: step p50 behind it / without, one session", steps[0] / steps[1], "x", 1.1),
    ]


def _pace_figures(paces: dict[str, Pace]) -> list[Measurement]:
    figures = []
    for name, pace in paces.items():
        rate, cpu, step, trajectory = (
            percentile(values, 0.5) for values in (pace.rates, pace.cpu_s, pace.steps, pace.trajectories)
        )
        detail = f"{cpu * 1e3:.2f} ms of processor time a step, {IN_FLIGHT} in flight; p50 of one {step * 1e3:.1f} ms"
        hours = trajectory * TRAJECTORIES / 3600
        what = f"worker-hours per {TRAJECTORIES:,} trajectories of {TRAJECTORY_STEPS} steps, {name}"
        figures += [
            Measurement(f"steps/s, {name}", rate, "/s", lower_is_better=False, detail=detail),
            Measurement(what, hours, "h", detail=f"{trajectory:.2f} s each, reset included, one session"),
        ]
    return figures


def _cells_name(count: int) -> str:
    return f"{count} cell{'s' if count > 1 else ''} behind the router"
