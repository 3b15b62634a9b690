"""How a replica leaves: it takes nothing new, answers what is under way, and sends its callers to the others.

From the moment it is asked to stop it accepts no connection; a kept HTTP connection gets its next answer with
`Connection: close`, and a WebSocket is closed with 1012 (service restart) once its message is answered. Callers then
connect again and meet another replica.
"""

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: How long a kept connection may stay unused before it is closed without a word.
LINGER_S = 1.0
POLL_S = 0.02
SERVICE_RESTART = 1012
CLOSE = (b"connection", b"close")


class Drain:
    """A whole application, and whether it is on its way out."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        """Name the factory of the application; `load` calls it."""
        self._make = make
        self._begun = False
        self._idle: set[asyncio.Task[object]] = set()

    def load(self) -> ASGIApp:
        """Make the application, and return it with this around it."""
        self._app = self._make()
        return self

    def begin(self) -> None:
        """Send callers elsewhere from now on: at their next answer, or at once where a socket is idle."""
        self._begun = True
        for task in self._idle:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._app(scope, receive, self._telling(send))
            case "websocket":
                await self._app(scope, self._leaving(receive, send), send)
            case _:
                await self._app(scope, receive, send)

    def _telling(self, send: Send) -> Send:
        async def telling(message: Message) -> None:
            if self._begun and message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), CLOSE]}
            await send(message)

        return telling

    def _leaving(self, receive: Receive, send: Send) -> Receive:
        connected = False

        async def leaving() -> Message:
            nonlocal connected
            if not connected:
                connected = True
                return await receive()
            if not self._begun and (message := await self._unless_leaving(receive)):
                return message
            await send({"type": "websocket.close", "code": SERVICE_RESTART})
            return {"type": "websocket.disconnect", "code": SERVICE_RESTART}

        return leaving

    async def _unless_leaving(self, receive: Receive) -> Message | None:
        """Return the next message, or None when the replica leaves before there is one."""
        task = asyncio.current_task()
        assert task is not None
        self._idle.add(task)
        try:
            return await receive()
        except asyncio.CancelledError:
            # One cancellation was ours; another is somebody's who wants this connection gone.
            if not self._begun or task.uncancel():
                raise
            return None
        finally:
            self._idle.discard(task)


class Server(uvicorn.Server):
    """One process of the stack; asked to stop, it drains first."""

    def __init__(self, drain: Drain, **options: Any) -> None:
        """Describe the server; `options` are uvicorn's."""
        super().__init__(uvicorn.Config(drain.load, factory=True, **options))
        self._drain = drain

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nothing new, let callers go, and then close what is left."""
        for server in self.servers:
            server.close()
        self._drain.begin()
        await self._linger()
        await super().shutdown(sockets)

    async def _linger(self) -> None:
        ends = time.monotonic() + LINGER_S
        while self.server_state.connections and not self.force_exit and time.monotonic() < ends:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
