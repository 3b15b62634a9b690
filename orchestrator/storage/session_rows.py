"""Sessions in the orchestrator's tables: a trainer's session id and its episode, for all replicas.

A socket may hold a session, and confirms that every few seconds. If its replica dies, the confirmations stop,
and another socket may soon take the session.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from . import names
from .store import Store

#: How long a socket holds a session without confirmation.
HELD_S = 10.0

_FREE = "(held_until IS NULL OR held_until < clock_timestamp())"
_COLUMNS = f"id, episode, NOT {_FREE}, closing, episode_uid"
_HOLD = f"clock_timestamp() + interval '{HELD_S} seconds'"

_CREATE = f"""
INSERT INTO orchestrator.sessions (id, episode, episode_uid, holder, held_until)
SELECT %(id)s, %(episode)s, %(uid)s, %(holder)s::text, CASE WHEN %(holder)s::text IS NOT NULL THEN {_HOLD} END
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

_PLAY = "UPDATE orchestrator.sessions SET episode = %(episode)s, episode_uid = %(uid)s WHERE id = %(id)s"

#: Deletes a session, or marks it to end with its socket; the last column shows which.
_CLOSE = f"""
WITH gone AS (
    DELETE FROM orchestrator.sessions WHERE id = %(id)s AND {_FREE} RETURNING {_COLUMNS}
), later AS (
    UPDATE orchestrator.sessions SET closing = true WHERE id = %(id)s AND NOT {_FREE} RETURNING {_COLUMNS}
)
SELECT * FROM gone UNION ALL SELECT * FROM later
"""  # noqa: S608

_LIVE = f"""
WITH dead AS (DELETE FROM orchestrator.replicas WHERE alive_until < clock_timestamp() - interval '1 hour')
INSERT INTO orchestrator.replicas (id, alive_until) VALUES (%(replica)s, {_HOLD})
ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
"""  # noqa: S608

_DIE = "DELETE FROM orchestrator.replicas WHERE id = %(replica)s"

_FORGET = "DELETE FROM orchestrator.sessions WHERE id = %(id)s"

#: Deletes sessions unused for too long, or marked to end with a socket that is gone; longest unused first.
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
    """A session's row.

    Attributes:
        id: The session's id in JSON-RPC.
        episode_id: The episode its steps go to, or None before the first reset.
        attached: Whether a socket holds it.
        closing: Whether it ends when its socket leaves.
        episode_uid: The `uid` of that episode.
    """

    id: str
    episode_id: str | None
    attached: bool
    closing: bool
    episode_uid: str | None = None


class Pulse:
    """The heartbeat of this replica, by which its sockets hold the names of the episodes they play."""

    def __init__(self, store: Store) -> None:
        self.replica = secrets.token_hex(8)
        self._store = store
        self._until = 0.0

    async def beat(self) -> None:
        """Send a heartbeat unless one was just sent; raises `Outage` if the database does not answer."""
        now = monotonic()
        if now < self._until:
            return
        await self._store.run(_LIVE, {"replica": self.replica})
        self._until = now + HELD_S / 4

    async def end(self) -> None:
        """Report that this replica is gone."""
        if self._until:
            await self._store.run(_DIE, {"replica": self.replica})


class SessionRows:
    """The sessions with an id; every method raises `Outage` if the database does not answer.

    Attributes:
        pulse: The heartbeat of this replica.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.pulse = Pulse(store)

    async def create(
        self,
        *,
        limit: int,
        episode_id: str | None = None,
        uid: str | None = None,
        holder: str | None = None,
    ) -> SessionRow | None:
        """Return a new session, held by a socket if one is given; None if there are already `limit` sessions."""
        values = {"episode": episode_id, "uid": uid, "holder": holder, "limit": limit}
        return await self._one(_CREATE, {"id": self._store.names.session(), **values})

    async def count(self) -> int:
        """Return the number of sessions."""
        row = await self._store.one(_COUNT, {})
        return int(row[0]) if row else 0

    async def use(self, session_id: str) -> SessionRow | None:
        """Return a session and note its use; None if it does not exist."""
        return await self._one(_USE, {"id": session_id})

    async def attach(self, session_id: str, holder: str) -> SessionRow | None:
        """Give a session to a socket; None if it does not exist, or another socket holds it."""
        return await self._one(_ATTACH, {"id": session_id, "holder": holder})

    async def hold_on(self, holders: Sequence[str]) -> None:
        """Confirm that these sockets still hold their sessions."""
        await self._store.run(_HOLD_ON, {"holders": list(holders)})

    async def let_go(self, session_id: str, holder: str) -> SessionRow | None:
        """Release a session from its socket; None if it is gone, or another socket holds it."""
        return await self._one(_LET_GO, {"id": session_id, "holder": holder})

    async def play(self, session_id: str, episode_id: str, uid: str | None) -> None:
        """Note the episode that a session plays."""
        await self._store.run(_PLAY, {"id": session_id, "episode": episode_id, "uid": uid})

    async def hold(self, player: str, episode_id: str, uid: str | None) -> None:
        """Give a player the name of an episode that it continues."""
        await self._store.run(names.HOLD, {"player": player, "id": episode_id, "uid": uid})

    async def rename(self, player: str, now: str, episode_id: str) -> None:
        """Let a player that got the id `now` keep the name of its episode, unless another holds that by now."""
        await self._store.run(names.RENAME, {"player": player, "now": now, "id": episode_id})

    async def release(self, player: str, episode_id: str) -> None:
        """Release the name of an episode that continues without its player."""
        await self._store.run(names.RELEASE, {"player": player, "id": episode_id})

    async def close(self, session_id: str) -> SessionRow | None:
        """Delete a session, or mark it to end with its socket; None if it does not exist."""
        return await self._one(_CLOSE, {"id": session_id})

    async def forget(self, session_id: str) -> None:
        """Delete a session, even if a socket holds it."""
        await self._store.run(_FORGET, {"id": session_id})

    async def prune(self, *, idle_s: float, limit: int) -> list[SessionRow]:
        """Delete up to `limit` sessions that were unused for `idle_s` seconds and return them."""
        rows = await self._store.all(_PRUNE, {"idle_s": idle_s, "limit": limit})
        return [SessionRow(*row) for row in rows]

    async def _one(self, statement: str, values: dict[str, Any]) -> SessionRow | None:
        row = await self._store.one(statement, values)
        return SessionRow(*row) if row else None
