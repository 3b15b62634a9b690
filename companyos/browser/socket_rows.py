"""What OpenEnv's sessions ask of the orchestrator's tables, where every session is that of one socket."""

from __future__ import annotations

from typing import Any

from orchestrator.protocol.problems import Refusal


class SocketPulse:
    """The life of this process, of which no other has to know."""

    replica = "browser"

    async def beat(self) -> None:
        """Do nothing: nobody else could take the episodes of this process over."""

    async def end(self) -> None:
        """Do nothing, for the same reason."""


class SocketRows:
    """Sessions that end with their sockets. One with an id, for other connections, there is none."""

    def __init__(self) -> None:
        self.pulse = SocketPulse()

    async def create(self, **_: Any) -> None:
        """Refuse a session with an id."""
        raise Refusal(
            422, "session_unsupported", "A browser has no sessions with an id: each WebSocket is one."
        )

    async def use(self, session_id: str) -> None:
        """Return None: no session has an id."""

    async def attach(self, session_id: str, holder: str) -> None:
        """Return None: no session has an id."""

    async def close(self, session_id: str) -> None:
        """Return None: no session has an id."""

    async def hold(self, player: str, episode_id: str, uid: str | None) -> None:
        """Do nothing: the name of an episode is held by its stack."""

    async def release(self, player: str, episode_id: str) -> None:
        """Do nothing: the episode goes on until its window is unused for too long."""

    async def hold_on(self, holders: list[str]) -> None:
        """Do nothing: no session has an id."""
