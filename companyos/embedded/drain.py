"""Graceful shutdown of a replica: it accepts no connections, answers pending requests, and redirects clients.

Once asked to stop, it accepts no new connections. The next response on a kept-alive HTTP connection includes
`Connection: close`, and a WebSocket is closed with 1012 (service restart) after its pending message is answered.
Clients then reconnect and reach another replica.
"""

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NamedTuple, cast

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .listeners.connections import Listener
from .listeners.early_frames import EarlyFrames
from .listeners.replies import STOPPING

#: How long a kept-alive connection may stay idle before it is closed.
LINGER_S = 1.0
#: How long the process may take to leave, in seconds.
LEAVE_S = 25
POLL_S = 0.02
#: How often the `Date` header is renewed.
TICK_S = 1.0
SERVICE_RESTART = 1012
CLOSE = (b"connection", b"close")


class Drain:
    """An ASGI application that can be drained."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        """Store the application's factory; `load` calls it."""
        self._make = make
        self._begun = False
        self._idle: set[asyncio.Task[object]] = set()
        self._sockets: set[asyncio.Task[object]] = set()

    def load(self) -> ASGIApp:
        """Create the application and return it wrapped in this object."""
        self._app = self._make()
        return self

    @property
    def app(self) -> Any:
        """The application, once it is created."""
        return self._app

    def begin(self) -> None:
        """Start draining: disconnect clients after their next response, or at once if a WebSocket is idle."""
        self._begun = True
        for task in self._idle:
            task.cancel()

    def interrupt(self) -> None:
        """Cancel what WebSockets still wait for, so that each can say so before it is closed."""
        for task in self._sockets:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._answered(scope, receive, self._telling(send))
            case "websocket":
                task = asyncio.current_task()
                assert task is not None
                self._sockets.add(task)
                task.add_done_callback(self._sockets.discard)
                await self._app(scope, self._leaving(receive, send), send)
            case _:
                await self._app(scope, receive, send)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application; a request that it cannot finish before the process ends is refused, with a hint."""
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if started or not self._begun:
                raise
            headers, body = STOPPING.content(scope["headers"])
            await send({"type": "http.response.start", "status": STOPPING.status, "headers": headers})
            await send({"type": "http.response.body", "body": body})

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
            if task := asyncio.current_task():
                self._sockets.discard(task)
            await send({"type": "websocket.close", "code": SERVICE_RESTART})
            return {"type": "websocket.disconnect", "code": SERVICE_RESTART}

        return leaving

    async def _unless_leaving(self, receive: Receive) -> Message | None:
        """Return the next message, or None if draining starts first."""
        task = asyncio.current_task()
        assert task is not None
        self._idle.add(task)
        try:
            return await receive()
        except asyncio.CancelledError:
            # One cancellation came from `begin`. Any other means that the connection must end.
            if not self._begun or task.uncancel():
                raise
            return None
        finally:
            self._idle.discard(task)


class SecondApp(NamedTuple):
    """An additional application that a process serves on a separate listener."""

    drain: Drain
    listener: socket.socket
    limits: Listener


class Server(uvicorn.Server):
    """One process of the stack, which drains before it stops."""

    def __init__(
        self, drain: Drain, limits: Listener, *, second: SecondApp | None = None, **options: Any
    ) -> None:
        """Configure the server; `options` are passed to uvicorn."""
        self._options: dict[str, Any] = {"ws": EarlyFrames, **options}
        super().__init__(uvicorn.Config(drain.load, factory=True, http=_protocol(limits), **self._options))
        self._drains = [drain]
        self._limits = [limits]
        self._second = second
        self._wake: Callable[[], object] = lambda: None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note that the process must stop, and do so at once; one that cannot is ended by an alarm."""
        signal.alarm(LEAVE_S)
        super().handle_exit(sig, frame)
        self._wake()

    async def main_loop(self) -> None:
        """Wait for the signal to stop; uvicorn's own loop wakes an idle process ten times a second."""
        loop, stopping = asyncio.get_running_loop(), asyncio.Event()
        self._wake = lambda: loop.call_soon_threadsafe(stopping.set)
        while not await self.on_tick(0):
            for limits in self._limits:
                limits.enforce(loop.time())
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), TICK_S)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the first application, then accept connections for the second."""
        await super().startup(sockets)
        if self._second is not None:
            self._drains.append(self._second.drain)
            self._limits.append(self._second.limits)
            await self._serve_second(*self._second)
        for limits in self._limits:
            limits.announce()

    async def _serve_second(self, drain: Drain, listener: socket.socket, limits: Listener) -> None:
        # A separate configuration, so no connection on this listener can reach the first application.
        config = uvicorn.Config(
            drain.load,
            factory=True,
            http=_protocol(limits),
            **{**self._options, "ws": "none", "lifespan": "off"},
        )
        config.load()

        def protocol() -> asyncio.Protocol:
            return config.http_protocol_class(  # type: ignore[call-arg]
                config=config, server_state=self.server_state, app_state=self.lifespan.state
            )

        loop = asyncio.get_running_loop()
        self.servers.append(await loop.create_server(protocol, sock=listener, backlog=config.backlog))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, drain the clients, then close the remaining connections."""
        for server in self.servers:
            server.close()
        for drain in self._drains:
            drain.begin()
        await self._linger()
        for drain in self._drains:
            drain.interrupt()
        # Their last messages must leave before uvicorn closes the WebSockets.
        await asyncio.sleep(POLL_S)
        await super().shutdown(sockets)

    async def _linger(self) -> None:
        ends = time.monotonic() + LINGER_S
        while self.server_state.connections and not self.force_exit and time.monotonic() < ends:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)


def _protocol(limits: Listener) -> type[asyncio.Protocol]:
    # uvicorn only ever calls it.
    return cast(type[asyncio.Protocol], limits.protocol)
