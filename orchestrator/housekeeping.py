"""What goes on behind the episodes: listening, telling, removing what nobody needs, counting what is open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from . import statements
from .problems import EXPIRED, Outage, Refusal
from .sessions import SessionRows
from .settings import Settings
from .snapshots import Snapshots
from .steps import Parts
from .store import Store

TIDY_EVERY_S = 1.0
EXPIRE_EVERY_S = 60.0
COUNT_EVERY_S = 2.0
FOLD_EVERY_S = 1.0
BATCH = 200
CANCEL_AGAIN_S = 0.1
#: Where room runs out, an episode that nobody used for so long makes room, however long idle ones may stay otherwise.
CROWDED_IDLE_S = 900.0
CROWDED = 0.8

log = structlog.get_logger(__name__)


class Capacity:
    """How many episodes are open, as of the last count and what this process opened since."""

    def __init__(self, store: Store, most: int) -> None:
        self._store = store
        self._most = most
        self._open = 0

    @property
    def is_crowded(self) -> bool:
        """Whether room runs out."""
        return self._open > CROWDED * self._most

    def take(self, count: int = 1) -> None:
        """Make room for one more episode, or for several.

        Raises:
            Refusal: 429 too_many_episodes.
        """
        if self._open + count > self._most:
            detail = f"{self._most} episodes are open, the most there may be. Finish or close some first."
            raise Refusal(429, "too_many_episodes", detail, retryable=True)
        self._open += count

    async def count(self) -> None:
        """Count again."""
        self._open = await self._store.open_count()


class Housekeeping:
    """The background tasks of an orchestrator process."""

    def __init__(self, parts: Parts, capacity: Capacity, settings: Settings) -> None:
        self._parts = parts
        self._capacity = capacity
        self._settings = settings
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin."""
        parts = self._parts
        work = [
            parts.catalogs.keep_asking(),
            parts.barrier.listen(),
            parts.settlements.send(),
            _every(COUNT_EVERY_S, self._capacity.count),
            _every(TIDY_EVERY_S, self.tidy),
            _every(EXPIRE_EVERY_S, self.prune),
            _every(FOLD_EVERY_S, self.fold),
        ]
        self._tasks = [asyncio.create_task(one) for one in work]

    async def stop(self) -> None:
        """End."""
        # redis-py loses a cancellation that comes while it connects, so one is not always enough.
        while pending := [task for task in self._tasks if not task.done()]:
            for task in pending:
                task.cancel()
            await asyncio.wait(pending, timeout=CANCEL_AGAIN_S)

    async def tidy(self) -> None:
        """Forget what is too many and drop what that leaves, before much of it gathers in a busy stack."""
        await asyncio.gather(self._parts.leavings.clear(), self._parts.bases.tidy())

    async def fold(self) -> None:
        """Make long chains of layers short, which changes nothing that can be read through them."""
        snapshots, gateway = Snapshots(self._parts.store), self._parts.gateway
        for layers in await snapshots.long_chains(BATCH):
            *lower, into = layers
            await asyncio.gather(*(gateway.fold(name, lower, into) for name in gateway.services))
            await snapshots.shorten(layers)

    async def prune(self) -> None:
        """End idle episodes, forget what is too many or nobody needs, and sessions that were abandoned."""
        await self._expire()
        await self.tidy()
        await self._forget_sessions()
        await self._parts.companies.forget_unused()

    async def _forget_sessions(self) -> None:
        store = self._parts.store
        for session in await SessionRows(store).prune(idle_s=self._settings.idle_s, limit=BATCH):
            episode = await store.episode(session.episode_id) if session.episode_id else None
            if episode is not None and not episode.done:
                await store.close_episode(episode.id)

    async def _expire(self) -> None:
        idle_s = self._settings.idle_s
        if self._capacity.is_crowded:
            idle_s = min(idle_s, CROWDED_IDLE_S)
        values = {"idle_s": idle_s, "why": f"{EXPIRED}: unused for {idle_s:g} s"}
        for scenario, count in await self._parts.store.all(statements.EXPIRE, values):
            self._parts.metrics.episodes.labels(scenario, "invalid").inc(count)


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except Outage as outage:
            log.info("housekeeping_waits", reason=str(outage))
        except Exception:
            # Process boundary: what fails once in the background must not end it for good.
            log.exception("housekeeping_failed")
        await asyncio.sleep(seconds)
