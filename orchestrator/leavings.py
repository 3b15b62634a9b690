"""What episodes leave behind: layers that nobody has any more, and episodes and records above the number to keep.

All of it goes within a second or so. Where episodes end faster than that, whoever ends one too many waits until what
others left is gone: so there is never more of it than a few hundred layers, however fast a stack plays.

A layer is dropped as soon as nobody has it. What was still on its way to it then, a call that its caller gave up or an
event delivered twice, may write into it once more. So it is looked at a second time, when nothing can be on its way.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from . import statements
from .gateway import Gateway
from .problems import Outage
from .store import Store

#: Episodes that may leave something before the next one waits for it to be cleared.
MOST_WAITING = 64
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

    async def reap(self) -> None:
        """Have the services drop layers that no world needs any more."""
        while await self._reap_some() == BATCH:
            pass

    async def _clear(self) -> None:
        self._left = 0
        await self._store.run(statements.PRUNE, self._surplus)
        await self.reap()

    async def _reap_some(self) -> int:
        """Look at up to a batch of layers that somebody left, drop those nobody has, and return how many there were.

        A layer that others still have stays; who leaves it last has it looked at again. A crash in between drops
        layers again, which does nothing.
        """
        async with self._store.connection() as connection, connection.transaction():
            rows = await connection.rows(statements.GARBAGE, {"limit": BATCH})
            unread = [layer for layer, is_read, *_ in rows if not is_read]
            if unread:
                gateway = self._gateway
                await asyncio.gather(*(gateway.reap(service, unread) for service in gateway.services))
            forgotten = [layer for layer, _, is_told, _ in rows if not is_told]
            await connection.rows(statements.FORGET_STEPS, {"worlds": forgotten})
            again = [layer for layer, is_read, _, was_reaped in rows if not (is_read or was_reaped)]
            await connection.rows(statements.LOOK_AGAIN, {"layers": again})
            done = sorted({layer for layer, *_ in rows} - set(again))
            await connection.rows(statements.CLEARED, {"layers": done})
        return len(rows)
