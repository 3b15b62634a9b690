"""The orchestrator's tables as archives use them, one statement per operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from psycopg.types.json import Jsonb

from ...protocol.records import Snapshot, Start
from ...protocol.trace import stored
from ...storage.episode_rows import start_values
from ...storage.packing import packed, unpacked
from ...storage.snapshot_rows import SNAPSHOT_COLUMNS, snapshot_of
from ...storage.store import Store
from .models import SnapshotFacts

#: The time after which an unadopted layer is reaped; longer than any import takes, including all its calls.
RESERVED_FOR = "10 minutes"
RECORDS_AT_ONCE = 50

#: Marks the snapshot as used, so that it does not expire during the export.
_TOUCH = f"""
UPDATE orchestrator.snapshots SET used_at = clock_timestamp() WHERE id = %(snapshot)s
RETURNING {SNAPSHOT_COLUMNS}, chain, lineage, due
"""  # noqa: S608

_RECORDS = """
SELECT record FROM orchestrator.steps
WHERE world = ANY(%(worlds)s) AND step > %(after)s ORDER BY step LIMIT %(limit)s
"""

#: A layer that starts as garbage: if this process dies, it is reaped like any unowned layer.
_RESERVE = f"""
INSERT INTO orchestrator.garbage (layer, due_at)
SELECT nextval('orchestrator.worlds'), clock_timestamp() + interval '{RESERVED_FOR}'
RETURNING layer
"""

_REMEMBER = """
INSERT INTO orchestrator.steps (world, step, record)
SELECT %(world)s, step, record FROM unnest(%(steps)s::int[], %(records)s::bytea[]) AS told(step, record)
"""

#: Adopts a layer by removing it from the garbage. No row: the layer was already reaped, or the base is gone.
_ADOPT = f"""
WITH base AS (
    UPDATE orchestrator.bases SET used_at = clock_timestamp() WHERE digest = %(base)s AND ready RETURNING layer
), kept AS (
    DELETE FROM orchestrator.garbage g USING base
    WHERE g.layer = %(layer)s AND due_at > clock_timestamp() AND NOT reaped
    RETURNING g.layer
)
INSERT INTO orchestrator.snapshots
    (id, name, pinned, episode, chain, lineage, base, scenario, version, seed, chaos, size, profile, mode, max_steps,
    step, sim_now, due, total, hash, chaos_now, faults)
SELECT %(snapshot)s, %(name)s, %(pinned)s, %(episode)s,
    ARRAY[base.layer, kept.layer], ARRAY[kept.layer], %(base)s, %(scenario)s,
    %(version)s, %(seed)s, %(chaos)s, %(size)s, %(profile)s, %(mode)s, %(max_steps)s, %(step)s, %(sim_now)s, %(due)s,
    %(total)s::numeric, %(hash)s, %(chaos_now)s, %(faults)s
FROM base, kept
RETURNING {SNAPSHOT_COLUMNS}
"""  # noqa: S608


@dataclass(frozen=True)
class Whole:
    """A snapshot with everything needed to read its rows and records on this stack."""

    snapshot: Snapshot
    chain: Sequence[int]
    lineage: Sequence[int]
    due: Mapping[str, int | None]


@dataclass(frozen=True)
class Reserved:
    """A layer to write into, and the epoch of the database in which it was reserved."""

    layer: int
    epoch: str


class ArchiveTables:
    """The orchestrator's tables, as archives need them.

    Every method raises `Outage` if the database does not answer. The methods that use a reserved layer also
    raise it if the database has crashed since, because it may have given that layer to another import.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def whole(self, snapshot_id: str) -> Whole | None:
        """Return a snapshot with its chain, or None; it counts as used now."""
        row = await self._store.one(_TOUCH, {"snapshot": snapshot_id})
        return Whole(snapshot_of(row[:-3]), *row[-3:]) if row else None

    async def records(self, lineage: Sequence[int], after: int) -> list[dict[str, Any]]:
        """Return the next few records of these worlds after a step, in order."""
        values = {"worlds": list(lineage), "after": after, "limit": RECORDS_AT_ONCE}
        return [orjson.loads(unpacked(kept)) for (kept,) in await self._store.all(_RECORDS, values)]

    async def reserve(self) -> Reserved:
        """Return a new layer, which is reaped unless it is adopted soon."""
        async with self._store.connection() as connection:
            row = await (await connection.execute(_RESERVE)).fetchone()
            assert row is not None
            return Reserved(row[0], connection.epoch)

    async def remember(self, reserved: Reserved, records: Sequence[Mapping[str, Any]]) -> None:
        """Store records of steps under the number of the world that a layer stands for."""
        for start in range(0, len(records), RECORDS_AT_ONCE):
            batch = records[start : start + RECORDS_AT_ONCE]
            values = {
                "world": reserved.layer,
                "steps": [record["step"] for record in batch],
                "records": [packed(stored(record)) for record in batch],
            }
            async with self._store.connection() as connection:
                connection.refuse_stale(reserved.epoch)
                await connection.execute(_REMEMBER, values)

    async def adopt(
        self,
        reserved: Reserved,
        facts: SnapshotFacts,
        start: Start,
        faults: Mapping[str, int],
        *,
        name: str | None,
        pinned: bool,
    ) -> Snapshot | None:
        """Turn a reserved layer into a snapshot; None if the layer or the base is gone.

        `faults` counts the faults of its episode that reached each state.
        """
        values = {
            **start_values(start),
            "layer": reserved.layer,
            "snapshot": self._store.names.snapshot(),
            "name": name,
            "pinned": pinned,
            "episode": facts.episode_id,
            "base": facts.base,
            "step": facts.step,
            "sim_now": facts.sim_now,
            "due": Jsonb(facts.due),
            "total": facts.total,
            "hash": facts.hash,
            "chaos_now": None if facts.chaos_now is None else Jsonb(facts.chaos_now.model_dump()),
            "faults": Jsonb(faults),
        }
        async with self._store.connection() as connection:
            connection.refuse_stale(reserved.epoch)
            row = await (await connection.execute(_ADOPT, values)).fetchone()
            return snapshot_of(row) if row else None
