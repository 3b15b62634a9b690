"""Snapshots, restores and forks in the orchestrator's tables: bookkeeping, one statement each.

A world is a chain of layers. Freezing the last layer means that its episode continues in a new layer above
it; from then on, any number of chains may share the frozen one. Nothing is copied and no service is called,
so the cost depends neither on the company's size nor on the number of changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.errors import UniqueViolation

from ..protocol.problems import Outage
from ..protocol.records import Episode, Snapshot, Start
from .episode_rows import episode_of, put_of, start_of, start_values
from .names import FREE, Name
from .statements import EPISODE_COLUMNS, LEAVE, LEAVE_EPISODE, UNCLAIMED
from .store import Store, record_of

#: Trainers may have used the ids drawn for branches; more retries than this mean another problem.
ATTEMPTS = 5

_START = "scenario, version, seed, chaos, size, profile, mode, max_steps"
_KEPT = f"chain, lineage, base, {_START}, step, sim_now, due, total, hash, chaos_now, faults"
SNAPSHOT_COLUMNS = (
    f"number, id, name, pinned, episode, cardinality(chain), base, {_START}, step, sim_now, total, hash, "
    "chaos_now, faults"
)

#: Puts a new layer above an episode's last one, unless that is empty. Not during a step.
_FREEZE = """
next AS (SELECT nextval('orchestrator.worlds') AS layer),
frozen AS (
    UPDATE orchestrator.episodes e SET
        lineage = CASE WHEN step = begun THEN lineage ELSE lineage || world END,
        chain = CASE WHEN step = begun THEN chain ELSE chain || layer END,
        world = CASE WHEN step = begun THEN world ELSE layer END,
        begun = step, used_at = clock_timestamp()
    FROM next WHERE id = %(id)s AND NOT done AND claim_action IS NULL
    RETURNING e.*
)"""

_TAKE = f"""
WITH {_FREEZE}
INSERT INTO orchestrator.snapshots (id, name, pinned, episode, {_KEPT})
SELECT %(snapshot)s, %(name)s, %(pinned)s, id, trim_array(chain, 1), lineage, base, {_START}, step, sim_now, due,
    total, hash, chaos_now, faults
FROM frozen
RETURNING {SNAPSHOT_COLUMNS}
"""  # noqa: S608

_FORK = f"""
WITH {_FREEZE}, fresh AS MATERIALIZED (
    SELECT nextval('orchestrator.worlds') AS number, name, agent
    FROM unnest(%(names)s::text[], %(agents)s::text[]) AS branch (name, agent)
)
INSERT INTO orchestrator.episodes (id, agent, world, {_KEPT}, begun, origin)
SELECT fresh.name, fresh.agent, number, trim_array(chain, 1) || number, lineage, base, {_START}, step, sim_now, due,
    total, hash, chaos_now, faults, step, jsonb_build_object('kind', 'fork', 'episode_id', id, 'step', step)
FROM frozen, fresh
RETURNING id
"""  # noqa: S608

#: Locks the snapshot, so that it is not dropped before its layers are in another chain.
_HELD = """
kept AS (
    UPDATE orchestrator.snapshots SET used_at = clock_timestamp() WHERE id = %(snapshot)s RETURNING *
), next AS (SELECT nextval('orchestrator.worlds') AS layer FROM kept)"""

_CONTINUED = """
world = {new}.world, chain = {new}.chain, lineage = {new}.lineage, base = {new}.base, scenario = {new}.scenario,
version = {new}.version, seed = {new}.seed, chaos = {new}.chaos, size = {new}.size, profile = {new}.profile,
mode = {new}.mode, max_steps = {new}.max_steps, step = {new}.step, begun = {new}.step, sim_now = {new}.sim_now,
due = {new}.due, total = {new}.total, hash = {new}.hash, origin = {new}.origin, chaos_now = {new}.chaos_now,
faults = {new}.faults, done = false, terminated = false, truncated = false, success = NULL, invalid = NULL"""

#: Opens an episode that continues from a snapshot, in place of one of the same id. Where `hash` is given, it begins a
#: new part of the episode, under its own options.
_OPEN = f"""
WITH {_HELD}, replaced AS (
    SELECT e.chain, e.lineage, e.claim_action FROM orchestrator.episodes e, kept WHERE e.id = %(id)s AND {FREE}
), left_behind AS ({LEAVE_EPISODE.format(who="replaced")})
INSERT INTO orchestrator.episodes AS e (id, agent, world, {_KEPT}, begun, player, origin)
SELECT %(id)s, %(agent)s, layer, chain || layer, lineage, base, scenario, version, seed,
    coalesce(%(chaos)s, chaos), size, coalesce(%(profile)s, profile), coalesce(%(mode)s, mode),
    coalesce(%(max_steps)s, max_steps), step, sim_now, due, CASE WHEN %(hash)s::text IS NULL THEN total ELSE 0 END,
    coalesce(%(hash)s, hash), chaos_now, faults, step, %(player)s,
    jsonb_build_object('kind', 'reset', 'snapshot_id', %(snapshot)s::text, 'step', step)
FROM kept, next
ON CONFLICT (id) DO UPDATE SET {_CONTINUED.format(new="excluded")}, player = excluded.player,
    agent = excluded.agent, {UNCLAIMED}
WHERE {FREE}
RETURNING world
"""  # noqa: S608

#: Restores an episode to a snapshot of its company, unless a step is under way; an abandoned step does not count.
_RESTORE = f"""
WITH {_HELD}, before AS (
    SELECT e.id AS whose, e.chain, e.lineage, e.step FROM orchestrator.episodes e, kept
    WHERE e.id = %(id)s AND e.base = kept.base AND (claim_action IS NULL
        OR (claim_since < clock_timestamp() - make_interval(secs => %(after_s)s)
            AND e.used_at < clock_timestamp() - make_interval(secs => %(after_s)s)))
    FOR UPDATE OF e
), target AS (
    SELECT whose, layer AS world, kept.chain || layer AS chain, kept.lineage, base, {_START}, kept.step, sim_now, due,
        total, hash, kept.chaos_now, kept.faults, jsonb_build_object('kind', 'restore',
            'snapshot_id', %(snapshot)s::text, 'step', kept.step, 'from_step', before.step) AS origin
    FROM kept, next, before
), restored AS (
    UPDATE orchestrator.episodes e SET {_CONTINUED.format(new="target")}, {UNCLAIMED}
    FROM target WHERE e.id = whose
    RETURNING e.*
), left_behind AS ({LEAVE.format(who="before", after="10 seconds")})
SELECT {EPISODE_COLUMNS} FROM restored
"""  # noqa: S608

_FIND = f"SELECT {SNAPSHOT_COLUMNS} FROM orchestrator.snapshots WHERE id = %(snapshot)s"  # noqa: S608

_RECORDS = """
SELECT record FROM orchestrator.snapshots AS kept
JOIN orchestrator.steps AS played ON played.world = ANY(kept.lineage) AND played.step <= kept.step
WHERE kept.id = %(snapshot)s ORDER BY played.step
"""

_LIST = f"""
SELECT {SNAPSHOT_COLUMNS} FROM orchestrator.snapshots
WHERE number > %(after)s AND (%(name)s::text IS NULL OR name = %(name)s)
ORDER BY number LIMIT %(limit)s
"""  # noqa: S608

_DROP = f"""
WITH dropped AS (DELETE FROM orchestrator.snapshots WHERE id = %(snapshot)s RETURNING chain, lineage),
left_behind AS ({LEAVE.format(who="dropped", after="10 seconds")})
SELECT 1 FROM dropped
"""  # noqa: S608

#: The frozen parts of long chains, without the base.
_LONG = """
SELECT layers FROM (
    SELECT chain[2:cardinality(chain) - 1] AS layers FROM orchestrator.episodes
    WHERE cardinality(chain) > 8 AND NOT done
    UNION SELECT chain[2:] FROM orchestrator.snapshots WHERE cardinality(chain) > 8) AS frozen
ORDER BY cardinality(layers) DESC LIMIT %(limit)s
"""

_SHORTER = """
SET chain = chain[1] || chain[cardinality(%(layers)s::bigint[]) + 1:]
WHERE chain @> %(layers)s::bigint[] AND chain[2:cardinality(%(layers)s::bigint[]) + 1] = %(layers)s::bigint[]"""

#: Folded layers stay until no call made with the old chain can still be under way. The one they were folded into is
#: looked at as well: the last world that read it may have gone meanwhile.
_FOLDED = LEAVE.format(
    who="(SELECT %(layers)s::bigint[] AS chain, '{}'::bigint[] AS lineage) AS folded", after="10 minutes"
)

_SHORTEN_SNAPSHOTS = f"WITH shortened AS (UPDATE orchestrator.snapshots {_SHORTER}) {_FOLDED}"

_SHORTEN_EPISODES = f"""
WITH shortened AS (UPDATE orchestrator.episodes {_SHORTER} AND lineage <> '{{}}') {_FOLDED}
"""


class SnapshotRows:
    """The snapshots, and the episodes that branch from them.

    Every method raises `Outage` if the database does not answer.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def take(self, episode_id: str, *, name: str | None, pinned: bool) -> Snapshot | None:
        """Snapshot an episode's world; None if the episode is done, gone or in the middle of a step."""
        values = {"id": episode_id, "name": name, "pinned": pinned, "snapshot": self._store.names.snapshot()}
        row = await self._store.one(_TAKE, values)
        return snapshot_of(row) if row else None

    async def fork(self, episode_id: str, count: int) -> list[Name]:
        """Open `count` episodes that continue from another, and return them; none if `take` would return None."""
        for _ in range(ATTEMPTS):
            try:
                names = [self._store.names.episode() for _ in range(count)]
                return names if await self._store.all(_FORK, _branches(episode_id, names)) else []
            except UniqueViolation:
                continue
        raise Outage("database", "the ids made for the branches are taken")

    async def open(self, snapshot_id: str, name: Name, start: Start, first_hash: str | None) -> bool:
        """Open an episode that continues from a snapshot.

        Args:
            snapshot_id: The snapshot.
            name: The episode's name.
            start: Its start.
            first_hash: The hash of its start if it begins a new part; None if it goes on as before.

        Returns:
            False without the snapshot, or if another holds the name.
        """
        options = {**start_values(start), "hash": first_hash}
        chosen = ("chaos", "profile", "mode", "max_steps", "hash")
        begun = {option: options[option] if first_hash else None for option in chosen}
        values = {"snapshot": snapshot_id, **name.values, **begun}
        return await self._store.one(_OPEN, values) is not None

    async def restore(self, snapshot_id: str, episode_id: str, *, after_s: float) -> Episode | None:
        """Restore an episode to a snapshot; a step that nobody sent for `after_s` seconds is abandoned.

        Returns:
            The restored episode; None if it or the snapshot is gone, they are of two companies, or a step is under way.
        """
        values = {"snapshot": snapshot_id, "id": episode_id, "after_s": after_s}
        row = await self._store.one(_RESTORE, values)
        return episode_of(row) if row else None

    async def find(self, snapshot_id: str) -> Snapshot | None:
        """Return a snapshot, or None."""
        row = await self._store.one(_FIND, {"snapshot": snapshot_id})
        return snapshot_of(row) if row else None

    async def with_records(self, snapshot_id: str) -> tuple[Snapshot, list[dict[str, Any]]] | None:
        """Return a snapshot and the records of the steps before it, oldest first, or None."""
        values = {"snapshot": snapshot_id}
        async with self._store.connection() as connection:
            found, records = await connection.together((_FIND, values), (_RECORDS, values))
        return (snapshot_of(found[0]), [record_of(row) for row in records]) if found else None

    async def listed(self, *, after: int, name: str | None, limit: int) -> Sequence[Snapshot]:
        """Return up to `limit` snapshots with numbers after `after`, oldest first, optionally of one name."""
        rows = await self._store.all(_LIST, {"after": after, "name": name, "limit": limit})
        return [snapshot_of(row) for row in rows]

    async def drop(self, snapshot_id: str) -> bool:
        """Delete a snapshot; return whether it existed. Episodes that continue from it are unaffected."""
        return await self._store.one(_DROP, {"snapshot": snapshot_id}) is not None

    async def long_chains(self, limit: int) -> list[list[int]]:
        """Return the frozen layers of up to `limit` long chains, each without its base."""
        return [row[0] for row in await self._store.all(_LONG, {"limit": limit})]

    async def shorten(self, layers: Sequence[int]) -> None:
        """Remove all but the last of these layers from every chain that begins with them.

        The last one must already hold their combined content. A chain that ends among them is unchanged.
        """
        await self._store.run(_SHORTEN_SNAPSHOTS, {"layers": list(layers)})
        await self._store.run(_SHORTEN_EPISODES, {"layers": list(layers)})


def _branches(episode_id: str, names: Sequence[Name]) -> dict[str, Any]:
    return {
        "id": episode_id,
        "names": [name.id for name in names],
        "agents": [name.values["agent"] for name in names],
    }


def snapshot_of(row: Sequence[Any]) -> Snapshot:
    """Return the snapshot from a row of `SNAPSHOT_COLUMNS`."""
    number, snapshot_id, name, pinned, episode, layers, base = row[:7]
    as_stored: Sequence[Any] = (*row[15:19], put_of(row[19]), row[20])
    return Snapshot(number, snapshot_id, name, pinned, episode, layers, base, start_of(row[7:15]), *as_stored)
