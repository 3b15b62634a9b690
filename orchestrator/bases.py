"""Bases: starting companies, loaded once into every service, and no more of them than are to stay.

Whoever loads one too many has another forgotten first, so that loading cannot outrun forgetting. A base goes in three
steps: it is retired, so that no episode is opened over it any more; what was under way at that time comes to its end;
and if then nobody uses it, the services forget it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from companyos.scenario import Instance

from .gateway import Gateway
from .store import Store

#: Bases loaded at once, and forgotten at once; each takes a connection here and one in every service.
AT_ONCE = 2
#: Bases retired in a round of housekeeping, at most.
BATCH = 64
#: Share of the bases that housekeeping has forgotten ahead, so that who loads one seldom has to.
AHEAD = 16

_IN_USE = """
EXISTS (SELECT 1 FROM orchestrator.episodes e WHERE e.base = b.digest AND NOT e.done)
    OR EXISTS (SELECT 1 FROM orchestrator.snapshots s WHERE s.base = b.digest)"""

_TOUCH = "UPDATE orchestrator.bases SET used_at = clock_timestamp() WHERE digest = ANY(%(digests)s)"

#: Retires the base that is unused for longest, where there are so many that one more would be too many.
_RETIRE_ONE = f"""
UPDATE orchestrator.bases SET ready = false, retired = true WHERE digest = (
    SELECT digest FROM orchestrator.bases b
    WHERE ready AND digest <> ALL(%(held)s::text[]) AND NOT ({_IN_USE})
        AND (SELECT count(*) FROM orchestrator.bases) >= %(most)s
    ORDER BY used_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING digest
"""  # noqa: S608

#: Retires those above the number to keep that nobody uses, longest unused first; and those that somebody began to load
#: and never had ready. The last ones used stay: another process is about to open an episode over them, it may be.
_RETIRE = f"""
WITH surplus AS (SELECT digest FROM orchestrator.bases WHERE ready ORDER BY used_at DESC OFFSET %(keep)s)
UPDATE orchestrator.bases b SET ready = false, retired = true
WHERE (digest IN (SELECT digest FROM surplus) AND used_at < clock_timestamp() - interval '2 seconds'
        OR NOT ready AND NOT retired AND used_at < clock_timestamp() - interval '10 minutes')
    AND digest <> ALL(%(held)s::text[]) AND NOT ({_IN_USE})
"""  # noqa: S608

_RETIRED = f"""
SELECT digest FROM orchestrator.bases b WHERE retired AND NOT ({_IN_USE}) LIMIT %(limit)s
"""  # noqa: S608

_IS_TO_GO = f"""
SELECT 1 FROM orchestrator.bases b WHERE digest = %(digest)s AND retired AND NOT ({_IN_USE})
"""  # noqa: S608

_FORGET = "DELETE FROM orchestrator.bases WHERE digest = %(digest)s"


class Bases:
    """The bases of this stack, as one orchestrator process has them loaded and forgotten.

    Args:
        most: The most that stay loaded, but for those in use.

    Attributes:
        used: Digests of those used since the last round of housekeeping.
    """

    def __init__(self, store: Store, gateway: Gateway, *, most: int) -> None:
        self._store = store
        self._gateway = gateway
        self._most = most
        self._held: Counter[str] = Counter()
        self._loading, self._forgetting = asyncio.Semaphore(AT_ONCE), asyncio.Semaphore(AT_ONCE)
        self.used: set[str] = set()

    @contextmanager
    def held(self, digest: str) -> Iterator[None]:
        """Keep this process from retiring a base while an episode is being opened over it."""
        self._held[digest] += 1
        try:
            yield
        finally:
            self._held -= Counter([digest])

    async def load(
        self, digest: str, instance: Instance, services: Sequence[str], *, faults: Mapping[str, Any] | None
    ) -> None:
        """Make sure that every service has a base, and what goes wrong with events there.

        Raises:
            Outage: A service cannot take it.
        """
        async with self._loading:
            await self._make_room()
            async with self._store.base_locked(digest) as locked:
                layer = await self._store.base_layer(digest, locked=locked)
                given = {"layer": layer, "start": instance.start, "faults": faults}
                loads = [
                    self._load_into(service, digest, {**given, "rows": instance.rows.get(service, {})})
                    for service in services
                ]
                loaded = dict(zip(services, await asyncio.gather(*loads), strict=True))
                if any(created for _, created in loaded.values()):
                    # Of a base that is loaded for the first time there are none.
                    await self._store.lose_worlds(digest, "a service lost the episode's world")
                dues = {name: due for name, (due, _) in loaded.items()}
                await self._store.base_ready(digest, dues, locked=locked)

    async def tidy(self) -> None:
        """Forget what is above the number to keep, a few more ahead, and what others retired and left."""
        used, self.used = self.used, set()
        if used:
            await self._store.run(_TOUCH, {"digests": sorted(used)})
        keep = self._most - self._most // AHEAD
        await self._store.run(_RETIRE, {"keep": keep, "held": self._all_held})
        await self._forget(await self._store.all(_RETIRED, {"limit": BATCH}))

    @property
    def _all_held(self) -> list[str]:
        return sorted(self._held)

    async def _make_room(self) -> None:
        """Have the base unused for longest forgotten, where one more would be too many and any is unused."""
        await self._forget(await self._store.all(_RETIRE_ONE, {"most": self._most, "held": self._all_held}))

    async def _forget(self, retired: Iterable[tuple[Any, ...]]) -> None:
        digests = [digest for (digest,) in retired]
        if digests:
            # Whoever saw them ready has opened its episode by then.
            await self._store.outlive_statements()
            await asyncio.gather(*map(self._forget_one, digests))

    async def _forget_one(self, digest: str) -> None:
        async with self._forgetting, self._store.base_locked(digest) as locked:
            if await locked.rows(_IS_TO_GO, {"digest": digest}):
                gateway = self._gateway
                await asyncio.gather(*(gateway.forget_base(name, digest) for name in gateway.services))
                await locked.rows(_FORGET, {"digest": digest})

    async def _load_into(
        self, service: str, digest: str, given: Mapping[str, Any]
    ) -> tuple[int | None, bool]:
        """Return when its first due event is, and whether the service had to load it."""
        known = await self._gateway.find_base(service, digest)
        if known is not None and known["layer"] == given["layer"]:
            return known["next_due"], False
        if known is not None:
            await self._gateway.forget_base(service, digest)
        return await self._gateway.load_base(service, digest, **given), True
