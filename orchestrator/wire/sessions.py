"""Sessions: what a socket or a JSON-RPC client remembers between two messages, which is its episode.

A session is a convenience of one process. The episode itself is in the database, and can be reached by its id
over HTTP, or attached to by another socket, when a session is lost.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any

from ..episodes import Episodes
from ..problems import Refusal
from . import calls
from .models import NO_EPISODE

IDLE_S = 600.0


class AtCapacity(Exception):
    """No further session fits."""

    def __init__(self, active: int, limit: int) -> None:
        super().__init__(f"{active} of {limit} sessions are open; close one and connect again")
        self.active = active
        self.limit = limit


class SessionUnknown(Exception):
    """There is no session of that id, or another socket has it."""


class Session:
    """One trainer's current episode.

    Attributes:
        id: Names the session to JSON-RPC.
        episode_id: The episode its steps go to, or None before the first reset.
        of_socket: Whether it ends with the socket that holds it.
        attached: Whether a socket holds it now.
        closing: Whether it is to be closed when its socket leaves.
        used_at: When it was last used, on the event loop's clock.
    """

    def __init__(self, episodes: Episodes) -> None:
        self.id = secrets.token_hex(16)
        self.episode_id: str | None = None
        self.of_socket = False
        self.attached = False
        self.closing = False
        self.used_at = 0.0
        self._episodes = episodes
        self._unfinished = False

    def take(self, state: Mapping[str, Any]) -> None:
        """Continue the episode whose state this is."""
        self.episode_id = state["episode_id"]
        self._unfinished = not state["done"]

    async def reset(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Start an episode in place of the current one, which is closed unless it is finished."""
        started = await calls.reset(self._episodes, wanted)
        episode_id = started["metadata"]["episode_id"]
        if episode_id != self.episode_id:
            await self.abandon()
        self.episode_id = episode_id
        self._unfinished = True
        return started

    async def step(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """Play `action` in the current episode."""
        played = await calls.step(self._episodes, self.episode_id, action)
        self._unfinished = not played["done"]
        return played

    async def state(self) -> dict[str, Any]:
        """Return the state of the current episode, or that there is none."""
        return NO_EPISODE if self.episode_id is None else await self._episodes.state(self.episode_id)

    async def abandon(self) -> None:
        """Close the current episode if it is unfinished; a finished one stays to be looked at."""
        if self.episode_id is None or not self._unfinished:
            return
        self._unfinished = False
        try:
            await self._episodes.close(self.episode_id)
        except Refusal:
            # Closed by another hand, or out of reach for now: either way this session is done with it.
            pass


class Sessions:
    """The sessions of one process, at most `limit` of them."""

    def __init__(self, episodes: Episodes, *, limit: int) -> None:
        self.episodes = episodes
        self.limit = limit
        self._open: dict[str, Session] = {}

    async def create(self) -> Session:
        """Return a new session, which stays until it is closed.

        Raises:
            AtCapacity: There are too many, none of them idle.
        """
        if len(self._open) >= self.limit:
            await self._make_room()
        session = Session(self.episodes)
        self._open[session.id] = session
        self._touch(session)
        return session

    async def create_for_socket(self, episode_id: str | None) -> Session:
        """Return a new session that ends with its socket; it continues an episode if one is named.

        Raises:
            AtCapacity: There are too many, none of them idle.
            Refusal: 404 episode_unknown.
        """
        state = None if episode_id is None else await self.episodes.state(episode_id)
        session = await self.create()
        session.attached = session.of_socket = True
        if state is not None:
            session.take(state)
        return session

    def get(self, session_id: str) -> Session:
        """Return an open session.

        Raises:
            SessionUnknown: There is none of that id here.
        """
        if session := self._open.get(session_id):
            self._touch(session)
            return session
        raise SessionUnknown(f"Unknown session_id: {session_id}")

    def attach(self, session_id: str) -> Session:
        """Give an open session to a socket, the only one it may have.

        Raises:
            SessionUnknown: There is none of that id here, or a socket has it already.
        """
        session = self.get(session_id)
        if session.attached:
            raise SessionUnknown(f"Session {session_id} already has an attached WebSocket")
        session.attached = True
        return session

    async def leave(self, session: Session, *, cleanly: bool) -> None:
        """Take a session back from its socket.

        A socket's own session ends here. If the connection was cut, its episode goes on all the same and can
        be reached by its id.
        """
        session.attached = False
        self._touch(session)
        if session.closing or (session.of_socket and cleanly):
            await self.close(session)
        elif session.of_socket:
            self._open.pop(session.id, None)

    async def close(self, session: Session) -> None:
        """Forget a session, and its episode unless that is finished."""
        self._open.pop(session.id, None)
        await session.abandon()

    async def _make_room(self) -> None:
        idle = [session for session in self._open.values() if not session.attached]
        oldest = min(idle, key=lambda session: session.used_at, default=None)
        if oldest is None or oldest.used_at + IDLE_S > asyncio.get_running_loop().time():
            raise AtCapacity(len(self._open), self.limit)
        await self.close(oldest)

    def _touch(self, session: Session) -> None:
        session.used_at = asyncio.get_running_loop().time()
