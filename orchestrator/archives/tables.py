"""What archives read and write in the orchestrator's tables, one statement each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from psycopg.types.json import Jsonb

from ..packing import packed, unpacked
from ..records import Snapshot, Start
from ..snapshots import SNAPSHOT_COLUMNS, snapshot_of
from ..store import Store, start_values
from ..trace import canonical
from .models import Facts

#: What is written goes unless it is adopted within this time: longer than any import takes, with all its calls.
RESERVED_FOR = "10 minutes"
RECORDS_AT_ONCE = 50

#: The snapshot counts as used, so that it does not go for its age while it is exported.
_TOUCH = f"""
UPDATE orchestrator.snapshots SET used_at = clock_timestamp() WHERE number = %(number)s
RETURNING {SNAPSHOT_COLUMNS}, chain, lineage, due
"""  # noqa: S608

_RECORDS = """
SELECT record FROM orchestrator.steps
WHERE world = ANY(%(worlds)s) AND step > %(after)s ORDER BY step LIMIT %(limit)s
"""

#: A layer that is garbage from the start: should this process die, it goes like any layer that nobody has.
_RESERVE = f"""
INSERT INTO orchestrator.garbage (layer, due_at)
SELECT nextval('orchestrator.worlds'), clock_timestamp() + interval '{RESERVED_FOR}'
RETURNING layer
"""

_REMEMBER = """
INSERT INTO orchestrator.steps (world, step, record)
SELECT %(world)s, step, record FROM unnest(%(steps)s::int[], %(records)s::bytea[]) AS told(step, record)
"""

#: Whoever takes the layer out of the garbage has it, in the same instant; no row where it was late, or without base.
_ADOPT = f"""
WITH base AS (
    UPDATE orchestrator.bases SET used_at = clock_timestamp() WHERE digest = %(base)s AND ready RETURNING layer
), kept AS (
    DELETE FROM orchestrator.garbage g USING base
    WHERE g.layer = %(layer)s AND due_at > clock_timestamp() AND NOT reaped
    RETURNING g.layer
)
INSERT INTO orchestrator.snapshots
    (name, pinned, episode, chain, lineage, base, scenario, version, seed, chaos, size, profile, mode, max_steps, step,
    sim_now, due, total, hash, chaos_now, faults)
SELECT %(name)s, %(pinned)s, %(episode)s, ARRAY[base.layer, kept.layer], ARRAY[kept.layer], %(base)s, %(scenario)s,
    %(version)s, %(seed)s, %(chaos)s, %(size)s, %(profile)s, %(mode)s, %(max_steps)s, %(step)s, %(sim_now)s, %(due)s,
    %(total)s::numeric, %(hash)s, %(chaos_now)s, %(faults)s
FROM base, kept
RETURNING {SNAPSHOT_COLUMNS}
"""  # noqa: S608


@dataclass(frozen=True)
class Whole:
    """A snapshot with what leads to its rows and records on this stack."""

    snapshot: Snapshot
    chain: Sequence[int]
    lineage: Sequence[int]
    due: Mapping[str, int | None]


@dataclass(frozen=True)
class Reserved:
    """A layer to write into, and the life of the database in which it was given out."""

    layer: int
    life: str


class ArchiveTables:
    """The orchestrator's tables, as archives need them.

    Every method raises `Outage` where the database does not answer, or crashed since a layer was reserved: it may have
    given that to another by now.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def whole(self, number: int) -> Whole | None:
        """Return a snapshot with its chain, or None; it counts as used now."""
        row = await self._store.one(_TOUCH, {"number": number})
        return Whole(snapshot_of(row[:-3]), *row[-3:]) if row else None

    async def records(self, lineage: Sequence[int], after: int) -> list[dict[str, Any]]:
        """Return the next few records of these worlds after a step, in order."""
        values = {"worlds": list(lineage), "after": after, "limit": RECORDS_AT_ONCE}
        return [orjson.loads(unpacked(stored)) for (stored,) in await self._store.all(_RECORDS, values)]

    async def reserve(self) -> Reserved:
        """Return a new layer, which is reaped unless it is adopted soon."""
        async with self._store.connection() as connection:
            row = await (await connection.execute(_RESERVE)).fetchone()
            assert row is not None
            return Reserved(row[0], connection.life)

    async def remember(self, reserved: Reserved, records: Sequence[Mapping[str, Any]]) -> None:
        """Keep records of steps under the number of the world that a layer stands for."""
        for start in range(0, len(records), RECORDS_AT_ONCE):
            some = records[start : start + RECORDS_AT_ONCE]
            values = {
                "world": reserved.layer,
                "steps": [record["step"] for record in some],
                "records": [packed(canonical(record)) for record in some],
            }
            async with self._store.connection() as connection:
                connection.refuse_another(reserved.life)
                await connection.execute(_REMEMBER, values)

    async def adopt(
        self,
        reserved: Reserved,
        facts: Facts,
        start: Start,
        faults: Mapping[str, int],
        *,
        name: str | None,
        pinned: bool,
    ) -> Snapshot | None:
        """Make a reserved layer a snapshot's; None where the layer or the base is gone.

        `faults` says how many faults of its episode reached each state.
        """
        values = {
            **start_values(start),
            "layer": reserved.layer,
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
            connection.refuse_another(reserved.life)
            row = await (await connection.execute(_ADOPT, values)).fetchone()
            return snapshot_of(row) if row else None
