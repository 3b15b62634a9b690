"""A stream of new seeds: unannounced, prefetched, and prefetched while others are being prefetched."""

import asyncio
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from .figures import Measurement, percentile
from .trainer import COMMENT, Call, Episode, Trainer

SESSIONS = 16
#: Episodes that each session plays of a batch.
EPISODES = 4
SCENARIO = "vendor_onboarding"
POLL_S = 0.01
#: The goals, on a machine with nothing else to do.
RESET_P95_MS = 80.0
PREFETCHED_P95_MS = 10.0
STEP_P99_TO_P50 = 4.0


@dataclass
class Times:
    """The times of resets and steps, in seconds."""

    resets: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)


async def new_seeds(trainer: Trainer, batches: int) -> list[Measurement]:
    """Play batches of new seeds in all modes in turns, so that noise affects all equally."""
    seeds = itertools.count(int(time.time()) * 1000)
    alone, usual, before, known, meanwhile = (Times() for _ in range(5))
    await _batch(trainer, _take(seeds), Times())
    for _ in range(batches):
        await _batch(trainer, _take(seeds), alone, sessions=1)
        await _batch(trainer, _take(seeds), usual)
        prefetched = await _announced(trainer, _take(seeds))
        await _batch(trainer, prefetched, before)
        await _batch(trainer, prefetched, known)
        first, second = await _announced(trainer, _take(seeds)), _take(seeds)
        preparing = asyncio.create_task(_announced(trainer, second))
        await _batch(trainer, first, meanwhile)
        await preparing
    return [
        *_figures("new seeds, one session", alone, reset_goal_ms=None, sessions=1),
        *_figures("new seeds", usual, reset_goal_ms=RESET_P95_MS),
        *_figures("new seeds, prefetched", before, reset_goal_ms=PREFETCHED_P95_MS),
        *_figures("the same seeds again", known, reset_goal_ms=None),
        _compared(before, known),
        *_figures("new seeds, prefetched, others meanwhile", meanwhile, reset_goal_ms=None),
    ]


def _take(seeds: Iterator[int]) -> list[int]:
    return list(itertools.islice(seeds, SESSIONS * EPISODES))


async def _batch(trainer: Trainer, seeds: list[int], times: Times, sessions: int = SESSIONS) -> None:
    rest = iter(seeds)

    async def session() -> None:
        for seed in rest:
            await play_episode(trainer, seed, times)

    await asyncio.gather(*(session() for _ in range(sessions)))


async def _announced(trainer: Trainer, seeds: list[int]) -> list[int]:
    """Announce seeds and return them once they are prepared; a trainer would spend this time learning."""
    accepted = await trainer.post("/prefetch", {"scenario": SCENARIO, "seeds": seeds, "chaos": 0})
    if accepted["refused"]:
        raise RuntimeError(f"a prefetch of {len(seeds)} seeds was answered {accepted}")
    while await trainer.metric("companyos_prefetching"):
        await asyncio.sleep(POLL_S)
    return seeds


async def play_episode(trainer: Trainer, seed: int, times: Times) -> None:
    """Play a short episode of a seed and add the times of its reset and steps."""
    started = time.perf_counter()
    episode = await trainer.reset(seed=seed)
    times.resets.append(time.perf_counter() - started)
    for call in _seven_calls(episode):
        started = time.perf_counter()
        await episode.step(call)
        times.steps.append(time.perf_counter() - started)
    await trainer.close_episode(episode.id)


def _seven_calls(episode: Episode) -> list[Call]:
    """Return calls that every company accepts: five reads and two writes."""
    return [
        episode.read(),
        ("ticketdesk_list_tickets", {"limit": 20}),
        episode.write(),
        ("datahub_list_people", {"limit": 10}),
        ("approvalflow_list_approvals", {"limit": 10}),
        ("ticketdesk_add_comment", {"ticket_id": episode.ticket, "body": f"{COMMENT} Twice."}),
        episode.read(),
    ]


def _compared(prefetched: Times, known: Times) -> Measurement:
    """Compare a prefetched reset with the reset of a known seed, as a ratio that does not depend on load."""
    first, again = (percentile(times.resets, 0.5) * 1e3 for times in (prefetched, known))
    detail = f"medians, {first:.2f} ms / {again:.2f} ms"
    return Measurement("reset of a prefetched seed / of a known one", first / again, "x", 1.3, detail=detail)


def _figures(
    name: str, times: Times, *, reset_goal_ms: float | None, sessions: int = SESSIONS
) -> list[Measurement]:
    reset_p50, reset_p95 = (percentile(times.resets, share) * 1e3 for share in (0.5, 0.95))
    step_p50, step_p99 = (percentile(times.steps, share) * 1e3 for share in (0.5, 0.99))
    how = f"{sessions} sessions at once" if sessions > 1 else "one session"
    resets = f"p50 {reset_p50:.2f}, n {len(times.resets)}, {how}"
    steps = f"p50 {step_p50:.2f} ms, p99 {step_p99:.2f} ms, n {len(times.steps)}, {how}"
    return [
        Measurement(f"{name}: reset p95", reset_p95, "ms", reset_goal_ms, detail=resets),
        Measurement(f"{name}: step p99 / p50", step_p99 / step_p50, "x", STEP_P99_TO_P50, detail=steps),
    ]
