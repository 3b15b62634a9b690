"""The base cache: generated companies, loaded once into every service and evicted beyond a limit.

A load beyond the limit evicts first, so that loading cannot outrun eviction. Eviction takes three steps: the base is
retired, so that no new episode opens over it; statements already under way finish; then, if it is still unused, the
services forget it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from companyos.sdk.scenario import Instance

from ..protocol.problems import CallRejected
from ..services.gateway import Gateway
from ..storage.store import Store

#: Bases loaded concurrently, and removed concurrently; each takes a connection here and one in every service.
AT_ONCE = 2
#: Most bases retired in one round of background work.
BATCH = 64
#: One base in so many is evicted ahead of need, so that a load rarely waits for an eviction.
AHEAD = 16

_IN_USE = """
EXISTS (SELECT 1 FROM orchestrator.episodes e WHERE e.base = b.digest AND NOT e.done)
    OR EXISTS (SELECT 1 FROM orchestrator.snapshots s WHERE s.base = b.digest)"""

_TOUCH = "UPDATE orchestrator.bases SET used_at = clock_timestamp() WHERE digest = ANY(%(digests)s)"

#: Retires the least recently used base if one more would exceed the limit.
_RETIRE_ONE = f"""
UPDATE orchestrator.bases SET ready = false, retired = true WHERE digest = (
    SELECT digest FROM orchestrator.bases b
    WHERE ready AND digest <> ALL(%(held)s::text[]) AND NOT ({_IN_USE})
        AND (SELECT count(*) FROM orchestrator.bases) >= %(most)s
    ORDER BY used_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING digest
"""  # noqa: S608

#: Retires unused bases beyond the number to keep, least recently used first, and abandoned loads. The most recently
#: used ones stay, because another process may be about to open an episode over them.
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

_USED = f"SELECT count(*) FROM orchestrator.bases b WHERE {_IN_USE}"  # noqa: S608

_READY = "SELECT digest FROM orchestrator.bases WHERE ready AND digest = ANY(%(digests)s)"

_FORGET = "DELETE FROM orchestrator.bases WHERE digest = %(digest)s"


class BaseCache:
    """The bases of this stack, loaded and evicted by one orchestrator process.

    Args:
        most: Most bases kept loaded, not counting those in use.

    Attributes:
        used: Digests of the bases used since the last round of background work.
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
        """Load a base, with its plan of event faults, into every service that lacks it.

        Raises:
            Outage: A service cannot accept it.
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
                    # A base that is loaded for the first time has no worlds.
                    await self._store.lose_worlds(digest, "a service lost the episode's world")
                dues = {name: due for name, (due, _) in loaded.items()}
                await self._store.base_ready(digest, dues, locked=locked)

    async def tidy(self) -> None:
        """Evict bases beyond the limit, a few more ahead of need, and any that other processes retired."""
        used, self.used = self.used, set()
        if used:
            await self._store.run(_TOUCH, {"digests": sorted(used)})
        await self._store.run(_RETIRE, {"keep": self._bases_kept, "held": self._all_held})
        await self._forget(await self._store.all(_RETIRED, {"limit": BATCH}))

    async def room(self) -> int:
        """Return how many bases can stay loaded in addition to those in use.

        Raises:
            Outage: The database does not answer.
        """
        [[used]] = await self._store.all(_USED, {})
        return max(0, self._bases_kept - int(used))

    async def ready(self, digests: Iterable[str]) -> set[str]:
        """Return those of these bases that are loaded.

        Raises:
            Outage: The database does not answer.
        """
        return {digest for (digest,) in await self._store.all(_READY, {"digests": sorted(digests)})}

    @property
    def _bases_kept(self) -> int:
        """The number of bases that remain after eviction ahead of need."""
        return self._most - self._most // AHEAD

    @property
    def _all_held(self) -> list[str]:
        return sorted(self._held)

    async def _make_room(self) -> None:
        """Evict the least recently used base if one more would exceed the limit."""
        await self._forget(await self._store.all(_RETIRE_ONE, {"most": self._most, "held": self._all_held}))

    async def _forget(self, retired: Iterable[tuple[Any, ...]]) -> None:
        digests = [digest for (digest,) in retired]
        if digests:
            # By then, every statement that saw the base ready has opened its episode.
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
        """Return the instant of the base's first due event, and whether the service had to load it."""
        try:
            return await self._gateway.load_base(service, digest, **given)
        except CallRejected:
            # The service has it in another layer, from before the orchestrator lost its own tables.
            await self._gateway.forget_base(service, digest)
            return await self._gateway.load_base(service, digest, **given)
