"""Ladders in the orchestrator's tables, where every replica finds them, and one that was killed finds them again."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.types.json import Jsonb

from .store import Store

_FIND = "SELECT rungs, milestones FROM orchestrator.ladders WHERE place = %(place)s"

_KEEP = """
INSERT INTO orchestrator.ladders (place, rungs, milestones) VALUES (%(place)s, %(rungs)s, %(milestones)s)
ON CONFLICT (place) DO UPDATE SET rungs = excluded.rungs, milestones = excluded.milestones
"""

_FORGET = "DELETE FROM orchestrator.ladders WHERE place = %(place)s AND rungs = %(rungs)s"


class LadderRows:
    """The snapshots along oracles' solutions, and the milestones that held at each, by place.

    Every method raises `Outage` if the database does not answer.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, place: str) -> tuple[list[str], list[tuple[str, ...]]] | None:
        """Return the rungs and their milestones, or None; some of the snapshots may be gone."""
        row = await self._store.one(_FIND, {"place": place})
        return (row[0], [tuple(names) for names in row[1]]) if row else None

    async def keep(self, place: str, rungs: Sequence[str], milestones: Sequence[tuple[str, ...]]) -> None:
        """Note the rungs of a place and their milestones, instead of those before."""
        values = {"place": place, "rungs": list(rungs), "milestones": Jsonb([*milestones])}
        await self._store.run(_KEEP, values)

    async def forget(self, place: str, rungs: Sequence[str]) -> None:
        """Forget the rungs of a place, unless it has others by now."""
        await self._store.run(_FORGET, {"place": place, "rungs": list(rungs)})
