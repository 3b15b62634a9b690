"""Sessions: the state of a WebSocket or a JSON-RPC client between two messages, which is its current episode.

A WebSocket's own session ends with it and stays in its process; the episode itself is in the database, and another
WebSocket, at any replica, can continue it by its id. A session with an id is in the database too: any replica serves
its calls, and a WebSocket at any replica may hold it, one at a time.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog

from ...episodes.facade import Episodes
from ...protocol.problems import Outage, Refusal, refusing_outages
from ...storage.session_rows import HELD_S, SessionRow, SessionRows
from ..messages.models import NO_EPISODE
from . import requests

IDLE_S = 600.0
HOLD_ON_EVERY_S = HELD_S / 4

log = structlog.get_logger(__name__)


class AtCapacity(Exception):
    """The limit on sessions is reached."""

    def __init__(self, active: int, limit: int) -> None:
        super().__init__(f"{active} of {limit} sessions are open; close one and connect again")
        self.active = active
        self.limit = limit


class SessionUnknown(Exception):
    """No session has that id, or another socket holds it."""


class Session:
    """One trainer's current episode.

    Attributes:
        id: The session's id in JSON-RPC; None if only its socket knows it.
        episode_id: The episode its steps go to, or None before the first reset.
        episode_uid: Its `uid`, so that no step goes to another that took its name.
        of_socket: Whether it ends with the socket that holds it.
        holder: The id of the socket that holds it, if any.
    """

    def __init__(
        self, episodes: Episodes, row: SessionRow | None = None, *, holder: str = "", of_socket: bool = False
    ) -> None:
        self.id = row.id if row else None
        self.episode_id = row.episode_id if row else None
        self.episode_uid = row.episode_uid if row else None
        self.of_socket = of_socket
        self.holder = holder
        self._episodes = episodes
        self._unfinished = self.episode_id is not None
        self._began = row is not None

    async def take(self, state: Mapping[str, Any]) -> None:
        """Continue the episode with this state, which does not end with this session, and hold its name."""
        self.episode_id, self.episode_uid = state["episode_id"], state["episode_uid"]
        self._began = False
        self._unfinished = not state["done"]
        if self._unfinished:
            await self._hold()

    async def is_named(self, session_id: str) -> None:
        """Use this id from now on, under which every replica knows the session."""
        player, self.id = self._player, session_id
        if self.episode_id is not None and self._unfinished and self._began:
            with refusing_outages():
                await self._episodes.sessions.rename(player, session_id, self.episode_id)

    async def reset(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Start an episode in place of the current one, which is closed unless it is finished."""
        with refusing_outages():
            await self._episodes.sessions.pulse.beat()
        started = await requests.reset(self._episodes, wanted, player=self.id or self._socket)
        episode_id = started["metadata"]["episode_id"]
        if episode_id != self.episode_id:
            await self.abandon()
        self.episode_id, self.episode_uid = episode_id, started["metadata"]["episode_uid"]
        self._began, self._unfinished = True, not started["done"]
        if self.id is not None:
            with refusing_outages():
                await self._episodes.sessions.play(self.id, episode_id, self.episode_uid)
        return started

    async def step(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """Play `action` in the current episode."""
        played = await requests.step(self._episodes, self.episode_id, action, uid=self.episode_uid)
        self._unfinished = not played["done"]
        return played

    async def state(self) -> dict[str, Any]:
        """Return the state of the current episode, or the state without one."""
        if self.episode_id is None:
            return NO_EPISODE
        return await self._episodes.state(self.episode_id, uid=self.episode_uid)

    async def release(self) -> None:
        """Release the name of the current episode, which continues without this session."""
        if self.episode_id is not None and self._unfinished:
            with refusing_outages():
                await self._episodes.sessions.release(self._player, self.episode_id)

    async def abandon(self) -> None:
        """Leave the current episode, which ends if it is unfinished and this session began it.

        A finished one stays readable, and one that began elsewhere continues.
        """
        if self.episode_id is None or not self._unfinished:
            return
        # If it is unreachable for now, it ends when it has been unused for long.
        with suppress(Refusal):
            if self._began:
                await self._episodes.abandon(self.episode_id, self._player)
            else:
                await self.release()
        self._unfinished = False

    @property
    def _player(self) -> str:
        return (self.id if self._began else None) or self._socket

    @property
    def _socket(self) -> str:
        return f"{self._episodes.sessions.pulse.replica}.{self.holder}"

    async def _hold(self) -> None:
        assert self.episode_id is not None
        with refusing_outages():
            await self._episodes.sessions.pulse.beat()
            await self._episodes.sessions.hold(self._player, self.episode_id, self.episode_uid)


class Sessions:
    """The sessions of one process' sockets, at most `limit`, and those with an id, which all replicas share.

    The latter are also limited to `limit`, which replicas that create sessions at the same instant may
    slightly exceed.
    """

    def __init__(self, episodes: Episodes, *, limit: int) -> None:
        self.episodes = episodes
        self.limit = limit
        self._held: dict[str, Session] = {}

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Keep confirming the sessions that this process' sockets hold while the block runs."""
        holding = asyncio.create_task(self._hold_on())
        try:
            yield
        finally:
            holding.cancel()
            with suppress(Outage):
                await self._rows.pulse.end()

    async def create(self) -> Session:
        """Return a new session, which stays until it is closed.

        Raises:
            AtCapacity: The limit is reached, and no session is idle.
            Refusal: 503 service_unavailable.
        """
        return Session(self.episodes, await self._create_row())

    async def create_for_socket(self, episode_id: str | None, episode_uid: str | None = None) -> Session:
        """Return a new session that ends with its socket; it continues an episode if one is named.

        Raises:
            AtCapacity: This process has too many sockets.
            Refusal: 404 episode_unknown, 409 episode_replaced (it has another `episode_uid`).
        """
        if len(self._held) >= self.limit:
            raise AtCapacity(len(self._held), self.limit)
        session = Session(self.episodes, holder=secrets.token_hex(8), of_socket=True)
        self._held[session.holder] = session
        try:
            if episode_id is not None:
                await session.take(await self.episodes.state(episode_id, uid=episode_uid))
        except BaseException:
            del self._held[session.holder]
            raise
        return session

    async def named(self, session: Session) -> str:
        """Return the id of a session; a socket's own session is known to every replica from now on.

        Raises:
            AtCapacity: The limit is reached, and no session is idle.
            Refusal: 503 service_unavailable.
        """
        if session.id is None:
            row = await self._create_row(
                episode_id=session.episode_id, uid=session.episode_uid, holder=session.holder
            )
            await session.is_named(row.id)
            return row.id
        return session.id

    async def get(self, session_id: str) -> Session:
        """Return a session for one call.

        Raises:
            SessionUnknown: No session has that id.
            Refusal: 503 service_unavailable.
        """
        with refusing_outages():
            row = await self._rows.use(session_id)
        return Session(self.episodes, _known_row(row, session_id))

    def passing(self, episode_id: str) -> Session:
        """Return a session for one call to an episode; it does not hold the episode's name."""
        session = Session(self.episodes)
        session.episode_id = episode_id
        return session

    async def attach(self, session_id: str) -> Session:
        """Give a session to a socket, which may hold only one.

        Raises:
            SessionUnknown: No session has that id, or a socket already holds it.
            Refusal: 503 service_unavailable.
        """
        holder = secrets.token_hex(8)
        with refusing_outages():
            row = await self._rows.attach(session_id, holder)
            if row is None:
                _known_row(await self._rows.use(session_id), session_id)
                raise SessionUnknown(f"Session {session_id} already has an attached WebSocket")
        session = self._held[holder] = Session(self.episodes, row, holder=holder)
        return session

    async def leave(self, session: Session, *, cleanly: bool) -> None:
        """Release a session from its socket.

        A socket's own session ends here. If the connection was cut, its episode continues and can be reached by its id.
        """
        self._held.pop(session.holder, None)
        closing = session.of_socket and cleanly
        try:
            if session.id is not None:
                with refusing_outages():
                    closing |= await self._let_go(session, session.id)
            if session.of_socket and not closing:
                await session.release()
        except Refusal as refusal:
            # The hold expires soon, because it is no longer confirmed.
            log.info("session_not_let_go", reason=refusal.detail)
        if closing:
            await session.abandon()

    async def close(self, session_id: str) -> bool:
        """Close a session and its unfinished episode; a session held by a socket ends when that leaves.

        Returns:
            Whether it has ended.

        Raises:
            SessionUnknown: No session has that id.
            Refusal: 503 service_unavailable.
        """
        with refusing_outages():
            row = _known_row(await self._rows.close(session_id), session_id)
        if not row.attached:
            await Session(self.episodes, row).abandon()
        return not row.attached

    @property
    def _rows(self) -> SessionRows:
        return self.episodes.sessions

    async def _create_row(self, **of_socket: str | None) -> SessionRow:
        with refusing_outages():
            for _ in range(2):
                if row := await self._rows.create(limit=self.limit, **of_socket):
                    return row
                for idle in await self._rows.prune(idle_s=IDLE_S, limit=1):
                    await Session(self.episodes, idle).abandon()
            raise AtCapacity(await self._rows.count(), self.limit)

    async def _let_go(self, session: Session, session_id: str) -> bool:
        """Release a session with an id; return whether this ends it."""
        if session.of_socket:
            await self._rows.forget(session_id)
            return False
        row = await self._rows.let_go(session_id, session.holder)
        if row is None or not row.closing:
            return False
        await self._rows.forget(session_id)
        return True

    async def _hold_on(self) -> None:
        while True:
            await asyncio.sleep(HOLD_ON_EVERY_S)
            holders = [session.holder for session in self._held.values() if session.id is not None]
            try:
                with refusing_outages():
                    if self._held:
                        await self._rows.pulse.beat()
                    if holders:
                        await self._rows.hold_on(holders)
            except Refusal as refusal:
                log.info("sessions_not_held", reason=refusal.detail)


def _known_row(row: SessionRow | None, session_id: str) -> SessionRow:
    if row is None:
        raise SessionUnknown(f"Unknown session_id: {session_id}")
    return row
