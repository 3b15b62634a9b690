"""Garbage collection of unread layers, and of episodes and records beyond the number to keep.

A layer is dropped when nothing can reach it anymore, some seconds after its last step. If too many layers
wait, the oldest are dropped ahead of time and inspected again later, because an abandoned call or a
redelivered event may have written into them. If many episodes end between two collections, the next one to
end waits for a collection. At most a few hundred layers therefore remain, at any rate of steps.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ..protocol.problems import Outage
from ..services.gateway import Gateway
from ..storage import statements
from ..storage.store import Store

#: The most layers that may wait, and the most episodes that may end before the next waits for a collection.
MOST_WAITING = 64
#: How far ahead of its time a layer may be dropped; any earlier, a call might still be writing into it.
AHEAD_S = 10.0
#: Layers inspected in one transaction, which must be short because it holds back vacuuming.
BATCH = 64
#: The longest wait for a collection; while a service is down, its garbage accumulates instead.
PATIENCE_S = 5.0


class GarbageCollector:
    """The garbage of this stack's episodes, collected by one orchestrator process.

    Args:
        keep: Finished episodes to keep.
        idle_s: Seconds after which an unused snapshot is deleted.
    """

    def __init__(self, store: Store, gateway: Gateway, *, keep: int, idle_s: float) -> None:
        self._store = store
        self._gateway = gateway
        self._surplus = {"keep": keep, "idle_s": idle_s}
        self._left = 0
        self._clearing: asyncio.Task[None] | None = None

    async def added(self) -> None:
        """Note that an episode left its layers; if many did, wait until these are collected."""
        self._left += 1
        if self._left > MOST_WAITING:
            # The episode has ended in any case, and background jobs report the outage.
            with suppress(TimeoutError, Outage):
                async with asyncio.timeout(PATIENCE_S):
                    await self.clear()

    async def clear(self) -> None:
        """Delete surplus episodes and drop unowned layers; concurrent callers share one run."""
        if self._clearing is None or self._clearing.done():
            self._clearing = asyncio.create_task(self._clear())
        await asyncio.shield(self._clearing)

    async def stop(self) -> None:
        """Stop collecting; the next collection resumes where this one ended."""
        if self._clearing is not None:
            self._clearing.cancel()
            await asyncio.wait([self._clearing])

    async def reap(self) -> None:
        """Make the services drop the layers that no world needs and whose time has come."""
        while await self._reap_some(BATCH) == BATCH:
            pass

    async def _clear(self) -> None:
        self._left = 0
        await self._store.run(statements.PRUNE, self._surplus, patient=True)
        await self.reap()
        while (surplus := await self._waiting() - MOST_WAITING) > 0:
            if not await self._reap_some(min(surplus, BATCH), ahead_s=AHEAD_S):
                break  # another replica is collecting

    async def _waiting(self) -> int:
        [[count]] = await self._store.all(statements.WAITING, {})
        return int(count)

    async def _reap_some(self, limit: int, *, ahead_s: float = 0.0) -> int:
        """Inspect some layers that were left, drop the unowned ones, and return how many were inspected.

        A layer with other owners stays; the last one to leave schedules it again. After a crash in between, layers are
        dropped again, which has no effect.
        """
        async with self._store.connection(patient=True) as connection, connection.transaction():
            rows = await connection.rows(statements.GARBAGE, {"limit": limit, "ahead": ahead_s})
            unread = [layer for layer, is_read, *_ in rows if not is_read]
            if unread:
                gateway = self._gateway
                await asyncio.gather(*(gateway.reap(service, unread) for service in gateway.services))
            forgotten = [layer for layer, _, is_reported, _ in rows if not is_reported]
            await connection.rows(statements.FORGET_STEPS, {"worlds": forgotten})
            for statement, due in ((statements.CLEARED, True), (statements.LOOKED_AT, False)):
                await connection.rows(
                    statement, {"layers": [layer for layer, *_, is_due in rows if is_due is due]}
                )
        return len(rows)
