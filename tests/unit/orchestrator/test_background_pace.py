"""The jobs of an idle process run more rarely, and never stop."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from orchestrator.maintenance import background_jobs
from orchestrator.maintenance.background_jobs import IDLE_FACTOR, BackgroundJobs
from orchestrator.runtime.in_flight import InFlight

ROUNDS = 4


class EnoughPauses(Exception):
    """The test has seen what it needs."""


async def rounds_in(pauses: int, flight: InFlight, monkeypatch: pytest.MonkeyPatch, *, busy: bool) -> int:
    """Return how often a job runs while its process pauses this often, and works in each pause if it is busy."""
    rounds = 0

    async def job() -> None:
        nonlocal rounds
        rounds += 1

    async def pause(_seconds: float) -> None:
        nonlocal pauses
        pauses -= 1
        if pauses < 0:
            raise EnoughPauses
        if busy:
            async with flight.slot():
                pass

    monkeypatch.setattr(background_jobs, "asyncio", SimpleNamespace(sleep=pause))
    components: Any = SimpleNamespace(in_flight=flight)
    with pytest.raises(EnoughPauses):
        await BackgroundJobs(components, capacity=None, settings=None)._every(1.0, job)  # type: ignore[arg-type]
    return rounds - 1


@pytest.mark.parametrize(("busy", "expected"), [(True, ROUNDS * IDLE_FACTOR), (False, ROUNDS)])
def test_an_idle_process_does_its_chores_more_rarely(
    monkeypatch: pytest.MonkeyPatch, busy: bool, expected: int
) -> None:
    flight = InFlight(most=1, queue_s=1.0)

    assert asyncio.run(rounds_in(ROUNDS * IDLE_FACTOR, flight, monkeypatch, busy=busy)) == expected
