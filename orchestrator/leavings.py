"""What episodes leave behind: layers that nobody has any more, and episodes and records above the number to keep.

A layer is dropped when nothing can be on its way to it any more, some seconds after its last step. Where so many wait
for that that they would take room, the oldest are dropped ahead, and looked at a second time when it is time: a call
that was given up or an event delivered twice may have written into them. And whoever ends one episode too many waits
until that is done. So there are never more than a few hundred layers left, however fast a stack plays.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from . import statements
from .gateway import Gateway
from .problems import Outage
from .store import Store

#: Layers that wait for their time; and episodes that may leave some before the next one waits for them to be cleared.
MOST_WAITING = 64
#: How long ahead of its time a layer may be dropped: where that is longer off, somebody may still be at work in it.
AHEAD_S = 10.0
#: Layers looked at in one transaction. It holds back vacuuming while it lasts, so it had better be short.
BATCH = 64
#: Nobody waits longer than this: where a service is away, what is left waits for it instead.
PATIENCE_S = 5.0


class Leavings:
    """What the episodes of this stack leave, as one orchestrator process clears it.

    Args:
        keep: Finished episodes to keep.
        idle_s: Seconds after which a snapshot that nobody used is dropped.
    """

    def __init__(self, store: Store, gateway: Gateway, *, keep: int, idle_s: float) -> None:
        self._store = store
        self._gateway = gateway
        self._surplus = {"keep": keep, "idle_s": idle_s}
        self._left = 0
        self._clearing: asyncio.Task[None] | None = None

    async def added(self) -> None:
        """Note that an episode left its layers; where many others did, return when those are cleared."""
        self._left += 1
        if self._left > MOST_WAITING:
            # It ended all the same, and housekeeping tells of an outage.
            with suppress(TimeoutError, Outage):
                async with asyncio.timeout(PATIENCE_S):
                    await self.clear()

    async def clear(self) -> None:
        """Forget surplus episodes and have what nobody has dropped; several who ask at once ask for the same."""
        if self._clearing is None or self._clearing.done():
            self._clearing = asyncio.create_task(self._clear())
        await asyncio.shield(self._clearing)

    async def stop(self) -> None:
        """Give up what is being cleared; whoever clears next begins where that ended."""
        if self._clearing is not None:
            self._clearing.cancel()
            await asyncio.wait([self._clearing])

    async def reap(self) -> None:
        """Have the services drop layers that no world needs any more; those whose time has come."""
        while await self._reap_some(BATCH) == BATCH:
            pass

    async def _clear(self) -> None:
        self._left = 0
        await self._store.run(statements.PRUNE, self._surplus)
        await self.reap()
        while (surplus := await self._waiting() - MOST_WAITING) > 0:
            if not await self._reap_some(min(surplus, BATCH), ahead_s=AHEAD_S):
                break  # another replica is at it

    async def _waiting(self) -> int:
        [[count]] = await self._store.all(statements.WAITING, {})
        return int(count)

    async def _reap_some(self, limit: int, *, ahead_s: float = 0.0) -> int:
        """Look at some layers that somebody left, drop those nobody has, and return how many were looked at.

        A layer that others still have stays; who leaves it last has it looked at again. A crash in between drops
        layers again, which does nothing.
        """
        async with self._store.connection() as connection, connection.transaction():
            rows = await connection.rows(statements.GARBAGE, {"limit": limit, "ahead": ahead_s})
            unread = [layer for layer, is_read, *_ in rows if not is_read]
            if unread:
                gateway = self._gateway
                await asyncio.gather(*(gateway.reap(service, unread) for service in gateway.services))
            forgotten = [layer for layer, _, is_told, _ in rows if not is_told]
            await connection.rows(statements.FORGET_STEPS, {"worlds": forgotten})
            for statement, due in ((statements.CLEARED, True), (statements.LOOKED_AT, False)):
                await connection.rows(
                    statement, {"layers": [layer for layer, *_, is_due in rows if is_due is due]}
                )
        return len(rows)
