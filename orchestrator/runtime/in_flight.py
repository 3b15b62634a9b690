"""Limits on work in flight: a number of concurrent steps and resets, and one step at a time per episode."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from ..protocol.problems import Outage, Refusal
from .metrics import OrchestratorMetrics

STEP_IN_PROGRESS = "step_in_progress"


class InFlight:
    """The running steps and resets of this process.

    Args:
        most: The most concurrent steps and resets; others queue.
        queue_s: Longest wait in the queue.

    Attributes:
        begun: Steps, resets and other work that held a slot so far.
    """

    def __init__(self, *, most: int, queue_s: float) -> None:
        self._slots = asyncio.Semaphore(most)
        self._queue_s = queue_s
        self._busy: set[str] = set()
        self.begun = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the slots while the block runs.

        Raises:
            Refusal: 429 too_busy; no slot became free in time.
        """
        if self._slots.locked():
            await self._queue()
        else:
            await self._slots.acquire()
        self.begun += 1
        try:
            yield
        finally:
            self._slots.release()

    async def _queue(self) -> None:
        try:
            async with asyncio.timeout(self._queue_s):
                await self._slots.acquire()
        except TimeoutError:
            detail = f"Too much is in flight; nothing became free in {self._queue_s:g} s. Send the same request again."
            raise Refusal(429, "too_busy", detail, retryable=True) from None

    @contextmanager
    def alone(self, episode_id: str) -> Iterator[None]:
        """Exclude other steps of an episode while the block runs.

        Raises:
            Refusal: 409 step_in_progress; another step is running.
        """
        if episode_id in self._busy:
            raise step_in_progress()
        self._busy.add(episode_id)
        try:
            yield
        finally:
            self._busy.remove(episode_id)


def step_in_progress() -> Refusal:
    """Return the refusal of a step while another one is running."""
    detail = "A step of this episode is being played. Wait for its answer, or send that same step again."
    return Refusal(409, STEP_IN_PROGRESS, detail, retryable=True)


@asynccontextmanager
async def working(flight: InFlight, metrics: OrchestratorMetrics, work: str) -> AsyncIterator[None]:
    """Hold a slot and time the work while the block runs; an outage in it is counted and becomes a refusal."""
    async with flight.slot():
        with metrics.timed(work):
            try:
                yield
            except Outage as outage:
                metrics.outages.labels(outage.part).inc()
                raise outage.refusal() from outage
