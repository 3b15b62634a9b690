"""Sessions in the orchestrator's tables: which episode a trainer's session id stands for, on every replica.

A socket may hold a session. It says so again every few seconds; where its replica died it falls silent, and soon after
another socket may have the session.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .store import Store

#: How long a session stays with a socket that says nothing.
HELD_S = 10.0

_FREE = "(held_until IS NULL OR held_until < clock_timestamp())"
_COLUMNS = f"id, episode, NOT {_FREE}, closing"
_HOLD = f"clock_timestamp() + interval '{HELD_S} seconds'"

_CREATE = f"""
INSERT INTO orchestrator.sessions (id, episode, holder, held_until)
SELECT %(id)s, %(episode)s, %(holder)s::text, CASE WHEN %(holder)s::text IS NOT NULL THEN {_HOLD} END
WHERE (SELECT count(*) FROM orchestrator.sessions) < %(limit)s
RETURNING {_COLUMNS}
"""  # noqa: S608

_COUNT = "SELECT count(*) FROM orchestrator.sessions"

_USE = f"""
UPDATE orchestrator.sessions SET used_at = clock_timestamp() WHERE id = %(id)s RETURNING {_COLUMNS}
"""  # noqa: S608

_ATTACH = f"""
UPDATE orchestrator.sessions SET used_at = clock_timestamp(), holder = %(holder)s, held_until = {_HOLD}
WHERE id = %(id)s AND {_FREE} AND NOT closing
RETURNING {_COLUMNS}
"""  # noqa: S608

_HOLD_ON = f"""
UPDATE orchestrator.sessions SET used_at = clock_timestamp(), held_until = {_HOLD} WHERE holder = ANY(%(holders)s)
"""  # noqa: S608

_LET_GO = f"""
UPDATE orchestrator.sessions SET used_at = clock_timestamp(), holder = NULL, held_until = NULL
WHERE id = %(id)s AND holder = %(holder)s
RETURNING {_COLUMNS}
"""  # noqa: S608

_PLAY = "UPDATE orchestrator.sessions SET episode = %(episode)s WHERE id = %(id)s"

#: Deletes a session, or has it end with its socket; the last column tells which.
_CLOSE = f"""
WITH gone AS (
    DELETE FROM orchestrator.sessions WHERE id = %(id)s AND {_FREE} RETURNING {_COLUMNS}
), later AS (
    UPDATE orchestrator.sessions SET closing = true WHERE id = %(id)s AND NOT {_FREE} RETURNING {_COLUMNS}
)
SELECT * FROM gone UNION ALL SELECT * FROM later
"""  # noqa: S608

_FORGET = "DELETE FROM orchestrator.sessions WHERE id = %(id)s"

#: Deletes what nobody used for so long, or was to end with a socket that fell silent; those unused for longest first.
_PRUNE = f"""
DELETE FROM orchestrator.sessions WHERE id = ANY(ARRAY(
    -- Looked for once: an IN may be planned to look again for each row, past those that it has deleted by then.
    SELECT id FROM orchestrator.sessions
    WHERE {_FREE} AND (closing OR used_at < clock_timestamp() - make_interval(secs => %(idle_s)s))
    ORDER BY used_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED))
RETURNING {_COLUMNS}
"""  # noqa: S608


@dataclass(frozen=True)
class SessionRow:
    """A session as the database knows it.

    Attributes:
        id: Names the session to JSON-RPC.
        episode_id: The episode its steps go to, or None before the first reset.
        attached: Whether a socket holds it.
        closing: Whether it ends when its socket leaves.
    """

    id: str
    episode_id: str | None
    attached: bool
    closing: bool


class SessionRows:
    """The sessions that can be named; every method raises `Outage` where the database does not answer."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(
        self, *, limit: int, episode_id: str | None = None, holder: str | None = None
    ) -> SessionRow | None:
        """Return a new session, of a socket where one is to hold it; None where there are `limit` already."""
        values = {"id": secrets.token_hex(16), "episode": episode_id, "holder": holder, "limit": limit}
        return await self._one(_CREATE, values)

    async def count(self) -> int:
        """Return how many there are."""
        row = await self._store.one(_COUNT, {})
        return int(row[0]) if row else 0

    async def use(self, session_id: str) -> SessionRow | None:
        """Return a session and note that it is used; None where there is none."""
        return await self._one(_USE, {"id": session_id})

    async def attach(self, session_id: str, holder: str) -> SessionRow | None:
        """Give a session to a socket; None where there is none, or another socket has it."""
        return await self._one(_ATTACH, {"id": session_id, "holder": holder})

    async def hold_on(self, holders: Sequence[str]) -> None:
        """Say that these sockets still have theirs."""
        await self._store.run(_HOLD_ON, {"holders": list(holders)})

    async def let_go(self, session_id: str, holder: str) -> SessionRow | None:
        """Take a session back from its socket; None where it is gone, or another's by now."""
        return await self._one(_LET_GO, {"id": session_id, "holder": holder})

    async def play(self, session_id: str, episode_id: str) -> None:
        """Note which episode a session plays."""
        await self._store.run(_PLAY, {"id": session_id, "episode": episode_id})

    async def close(self, session_id: str) -> SessionRow | None:
        """Forget a session, or mark it for the moment its socket leaves; None where there is none."""
        return await self._one(_CLOSE, {"id": session_id})

    async def forget(self, session_id: str) -> None:
        """Forget a session, whoever has it."""
        await self._store.run(_FORGET, {"id": session_id})

    async def prune(self, *, idle_s: float, limit: int) -> list[SessionRow]:
        """Forget up to `limit` sessions that nobody used for `idle_s` seconds and return them."""
        rows = await self._store.all(_PRUNE, {"idle_s": idle_s, "limit": limit})
        return [SessionRow(*row) for row in rows]

    async def _one(self, statement: str, values: dict[str, Any]) -> SessionRow | None:
        row = await self._store.one(statement, values)
        return SessionRow(*row) if row else None
