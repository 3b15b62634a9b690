"""Background jobs of an orchestrator process: listening, expiry, garbage collection, folding, metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from ..protocol.problems import EXPIRED, Outage
from ..runtime.capacity import Capacity
from ..runtime.components import Components
from ..runtime.settings import Settings
from ..storage import statements
from ..storage.session_rows import SessionRows
from ..storage.snapshot_rows import SnapshotRows

TIDY_EVERY_S = 1.0
EXPIRE_EVERY_S = 60.0
COUNT_EVERY_S = 2.0
FOLD_EVERY_S = 1.0
#: How much rarer the jobs of an idle process run. Another replica may leave work behind, so they do not stop.
IDLE_FACTOR = 3
BATCH = 200
CANCEL_AGAIN_S = 0.1
#: An episode idle for this long is ended early when capacity runs out.
CROWDED_IDLE_S = 900.0

log = structlog.get_logger(__name__)


class BackgroundJobs:
    """The background tasks of an orchestrator process."""

    def __init__(self, components: Components, capacity: Capacity, settings: Settings) -> None:
        self._components = components
        self._capacity = capacity
        self._settings = settings
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, *others: Coroutine[Any, Any, None]) -> None:
        """Start the jobs, and others that end with them."""
        components = self._components
        components.metrics.show_capacity(self._capacity)
        work = [
            components.catalogs.keep_asking(),
            components.barrier.listen(),
            components.settlements.send(),
            self._every(COUNT_EVERY_S, self._capacity.count),
            self._every(TIDY_EVERY_S, self.tidy),
            self._every(EXPIRE_EVERY_S, self.prune),
            self._every(FOLD_EVERY_S, self.fold),
            *others,
        ]
        self._tasks = [asyncio.create_task(one) for one in work]

    async def stop(self) -> None:
        """Stop the jobs."""
        # redis-py can swallow a cancellation while it connects, so one is not always enough.
        while pending := [task for task in self._tasks if not task.done()]:
            for task in pending:
                task.cancel()
            await asyncio.wait(pending, timeout=CANCEL_AGAIN_S)

    async def tidy(self) -> None:
        """Collect garbage and evict bases, before too much accumulates in a busy stack."""
        await asyncio.gather(self._components.garbage.clear(), self._components.bases.tidy())

    async def fold(self) -> None:
        """Fold long chains of layers, which does not change what reads return."""
        snapshots, gateway = SnapshotRows(self._components.store), self._components.gateway
        for layers in await snapshots.long_chains(BATCH):
            *lower, into = layers
            await asyncio.gather(*(gateway.fold(name, lower, into) for name in gateway.services))
            await snapshots.shorten(layers)

    async def prune(self) -> None:
        """End idle episodes, and delete surplus ones, abandoned sessions and unused progress."""
        await self._expire()
        await self.tidy()
        await self._forget_sessions()
        await self._components.progress_cache.forget_unused()

    async def _forget_sessions(self) -> None:
        store = self._components.store
        for session in await SessionRows(store).prune(idle_s=self._settings.idle_s, limit=BATCH):
            if session.episode_id is not None:
                await store.abandon_episode(session.episode_id, session.id)

    async def _expire(self) -> None:
        idle_s = self._settings.idle_s
        if self._capacity.is_crowded:
            idle_s = min(idle_s, CROWDED_IDLE_S)
        values = {"idle_s": idle_s, "why": f"{EXPIRED}: unused for {idle_s:g} s"}
        for scenario, count in await self._components.store.all(statements.EXPIRE, values, patient=True):
            self._components.metrics.episodes.labels(scenario, "invalid").inc(count)

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        flight = self._components.in_flight
        while True:
            begun = flight.begun
            try:
                await work()
            except Outage as outage:
                log.info("background_job_waits", reason=str(outage))
            except Exception:
                # Process boundary: one failure in the background must not stop the job for good.
                log.exception("background_job_failed")
            await asyncio.sleep(seconds)
            for _ in range(IDLE_FACTOR - 1):
                if flight.begun == begun:
                    await asyncio.sleep(seconds)
