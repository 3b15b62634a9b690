"""The measurements: resets, steps, throughput, and many open episodes, all over the trainer API."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence

from .figures import Measurement, percentile, timed, times_figure
from .machine import RunningStack, cpu_s, resident_kb, tables_kb
from .trainer import Episode, Trainer

IN_FLIGHT = 64
RESET_EVERY = 17
BRANCHES = 8
EPISODE_STEPS = 16
FIRST_STEPS = 50
PREPARATION = 2
SIZES = (200, 2_000, 20_000, 200_000)


async def resets(trainer: Trainer, count: int) -> list[Measurement]:
    """Measure resets of a known base, and of new seeds."""
    known = await timed(lambda: trainer.reset(seed=0), count)
    seeds = itertools.count(int(time.time()) * 1000)
    fresh = await timed(lambda: trainer.reset(seed=next(seeds)), max(20, count // 10), warm_up=2)
    return [
        times_figure("reset of a known base", known, 0.9),
        times_figure("reset of a new seed (default company)", fresh, 15.0),
    ]


async def resets_by_size(trainer: Trainer, count: int, sizes: tuple[int, ...] = SIZES) -> list[Measurement]:
    """Measure resets of a known base of growing size; rounds alternate sizes, so noise hits all equally."""
    times: dict[int, list[float]] = {size: [] for size in sizes}
    for size in sizes:
        await trainer.reset(seed=2, size=size)
    for _ in range(count):
        for size in sizes:
            times[size] += await timed(lambda size=size: trainer.reset(seed=2, size=size), 1, warm_up=0)  # type: ignore[misc]
    figures = [times_figure(f"reset at {size:,} rows", times[size]) for size in sizes]
    ratio = percentile(times[sizes[-1]], 0.5) / percentile(times[sizes[0]], 0.5)
    return [*figures, Measurement(f"reset at {sizes[-1]:,} rows / at {sizes[0]:,}", ratio, "x", 1.3)]


async def steps(trainer: Trainer, count: int) -> list[Measurement]:
    """Measure the steps of one session by kind."""
    kinds: list[list[float]] = []
    for kind in (Episode.read, Episode.write, Episode.settled):
        episode = await (await trainer.reset()).prepare()
        kinds.append(await timed(lambda episode=episode, kind=kind: episode.step(kind(episode)), count))  # type: ignore[misc]
    read, write, settled = kinds
    return [
        times_figure("step: read", read, 1.6),
        times_figure("step: write", write, 2.1),
        times_figure("step: write with a settled event", settled, 3.9),
        _growth(settled),
    ]


def _growth(settled: list[float]) -> Measurement:
    """Compare a settled write about a ticket with a long history with the first ones."""
    first, all_of_them = (percentile(times, 0.5) for times in (settled[:FIRST_STEPS], settled))
    detail = f"median of {len(settled)} about one ticket / of the first {FIRST_STEPS}"
    return Measurement(
        "settled write, growth with its ticket's past", all_of_them / first, "x", 1.1, detail=detail
    )


async def branches(trainer: Trainer, count: int) -> list[Measurement]:
    """Measure snapshot, restore and fork(8) in the middle of an episode, and close what they open."""
    episode = await (await trainer.reset()).prepare()
    await episode.step(episode.settled())
    kept = await episode.snapshot()
    snapshots = await timed(episode.snapshot, count, warm_up=2)
    restores = await timed(lambda: episode.restore(kept), count, warm_up=2)
    forks = await timed(lambda: episode.fork(BRANCHES), count // 4, warm_up=2)
    return [
        times_figure("snapshot", snapshots, 2.0),
        times_figure("restore", restores, 2.0),
        times_figure(f"fork({BRANCHES})", forks, 3.0),
    ]


async def room(trainer: Trainer, stack: RunningStack, count: int) -> Measurement:
    """Measure an open episode's storage in PostgreSQL and memory in the orchestrator, after its steps."""
    await _episodes(trainer, count // 4)
    before = tables_kb(stack), resident_kb(stack.pid_of("orchestrator"))
    for episode in await _episodes(trainer, count):
        for _ in range(EPISODE_STEPS - PREPARATION):
            await episode.next_step()
    after = tables_kb(stack), resident_kb(stack.pid_of("orchestrator"))
    tables, memory = ((now - then) / count for now, then in zip(after, before, strict=True))
    name = f"room of an open episode of {EPISODE_STEPS} steps"
    detail = f"PostgreSQL {tables:.1f}, orchestrator {memory:.1f}, n {count}"
    return Measurement(name, tables + memory, "KB", 28.0, detail=detail)


async def throughput(trainer: Trainer, stack: RunningStack, seconds: float) -> list[Measurement]:
    """Measure the mix of calls with 64 in flight and a reset every 17th call."""
    before = cpu_s(stack.pids)
    rate, times = await _in_flight(IN_FLIGHT, seconds, lambda: _player(trainer))
    cpu_ms = (cpu_s(stack.pids) - before) * 1e3 / len(times)
    p50, p99 = percentile(times, 0.5) * 1e3, percentile(times, 0.99) * 1e3
    detail = f"p50 {p50:.0f} ms, p99 {p99:.0f} ms, n {len(times)}"
    return [
        Measurement("steps/s, 64 in flight", rate, "/s", 900.0, lower_is_better=False, detail=detail),
        Measurement("processor time per step, all processes", cpu_ms, "ms", 1.8),
    ]


async def reset_throughput(trainer: Trainer, seconds: float) -> Measurement:
    """Measure resets of a known base with 64 in flight."""

    async def player() -> Callable[[], Awaitable[object]]:
        return trainer.reset

    rate, times = await _in_flight(IN_FLIGHT, seconds, player)
    detail = f"p50 {percentile(times, 0.5) * 1e3:.0f} ms, n {len(times)}"
    return Measurement("resets/s, 64 in flight", rate, "/s", 2500.0, lower_is_better=False, detail=detail)


async def open_episodes(trainer: Trainer, count: int, seconds: float) -> Measurement:
    """Compare throughput over many open episodes with that over 64, in turns, with 64 calls in flight."""
    few, many = [await _episodes(trainer, number) for number in (IN_FLIGHT, count)]
    rates: dict[str, list[float]] = {"few": [], "many": []}
    for _ in range(3):
        for name, episodes in (("few", few), ("many", many)):
            shares = iter([episodes[number::IN_FLIGHT] for number in range(IN_FLIGHT)])
            rate, _ = await _in_flight(
                IN_FLIGHT, seconds / 3, lambda shares=shares: _taking_turns(next(shares))
            )  # type: ignore[misc]
            rates[name].append(rate)
    ratio = percentile(rates["many"], 0.5) / percentile(rates["few"], 0.5)
    detail = f"{percentile(rates['many'], 0.5):.0f}/s against {percentile(rates['few'], 0.5):.0f}/s"
    name = f"steps/s at {count:,} open episodes / at {IN_FLIGHT}"
    return Measurement(name, ratio, "x", 0.95, lower_is_better=False, detail=detail)


async def _episodes(trainer: Trainer, count: int) -> list[Episode]:
    # Many episodes take few steps each, so each begins elsewhere in the mix.
    return [await (await trainer.reset()).prepare(number) for number in range(count)]


async def _player(trainer: Trainer) -> Callable[[], Awaitable[object]]:
    episode = await trainer.reset()
    calls = itertools.count(1)

    async def play() -> None:
        nonlocal episode
        if next(calls) % RESET_EVERY:
            await episode.next_step()
        else:
            episode = await trainer.reset()

    return play


async def _taking_turns(episodes: list[Episode]) -> Callable[[], Awaitable[object]]:
    turn = itertools.cycle(episodes)

    async def play() -> None:
        await next(turn).next_step()

    return play


async def _in_flight(
    number: int, seconds: float, player: Callable[[], Awaitable[Callable[[], Awaitable[object]]]]
) -> tuple[float, list[float]]:
    """Keep `number` players busy for some seconds; return actions per second and all times."""
    return await at_once([await player() for _ in range(number)], seconds)


async def at_once(
    plays: Sequence[Callable[[], Awaitable[object]]], seconds: float
) -> tuple[float, list[float]]:
    """Repeat these actions concurrently for some seconds; return actions per second and all times."""
    times: list[float] = []
    began = time.perf_counter()

    async def keep_playing(play: Callable[[], Awaitable[object]]) -> None:
        while time.perf_counter() - began < seconds:
            started = time.perf_counter()
            await play()
            times.append(time.perf_counter() - started)

    await asyncio.gather(*(keep_playing(play) for play in plays))
    return len(times) / (time.perf_counter() - began), times
