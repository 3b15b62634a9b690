"""The client's WebSocket transports: reset, step and state on a socket, the rest over HTTP."""

from __future__ import annotations

import json
import os
import socket as sockets
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from .server import Server
from .transport import Answer, AsyncHttpTransport, HttpTransport, Lost, Request, read_answer

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection as AsyncSocket
    from websockets.sync.client import ClientConnection as Socket

#: WebSocket close codes: for good, or before opening another socket for the same episode.
NORMAL, GOING_AWAY = 1000, 1001
OVER_THE_SOCKET = frozenset({"/reset", "/step", "/state"})


class _OneEpisode:
    """The episode of a socket: the server closes it when the socket is closed for good.

    Whatever concerns another episode therefore needs another socket.
    """

    _episode_id: str | None = None
    _is_left = False

    def forget_episode(self) -> None:
        """Leave the episode open, whatever happens to this transport."""
        self._is_left = True

    def _needs_another_socket(self, request: Request) -> bool:
        named = _continued(request).get("episode_id")
        return self._is_left or named not in (None, self._episode_id)

    def _start_over(self, request: Request) -> None:
        """Note the episode of a socket that is opened for this request; a reset names none that exists."""
        self._episode_id, self._is_left = _continued(request).get("episode_id"), False


class SocketTransport(_OneEpisode):
    """A WebSocket for reset, step and state, and HTTP for the rest.

    After a broken connection, the next request opens a new socket for its episode.
    """

    def __init__(self, server: Server) -> None:
        self._http = HttpTransport(server)
        self._server = server
        self._socket: Socket | None = None

    def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        from websockets.exceptions import WebSocketException

        if request.path not in OVER_THE_SOCKET:
            return self._http.send(request)
        try:
            if self._needs_another_socket(request):
                self._drop()
            socket = self._connected(request)
            socket.send(json.dumps(_message(request)))
            answer = _unwrapped(socket.recv(timeout=self._server.timeout_s))
        except (OSError, WebSocketException) as error:
            self._drop()
            return _refused_or_lost(error, self._server)
        self._episode_id = _episode_of(answer) or self._episode_id
        return answer

    def close(self) -> None:
        """Close the socket and the connection. The server then closes an unfinished episode."""
        self._drop(GOING_AWAY if self._is_left else NORMAL)
        self._http.close()

    def _connected(self, request: Request) -> Socket:
        from websockets.sync.client import connect

        if self._socket is None:
            self._start_over(request)
            url = _socket_url(self._server.url, _continued(request))
            with self._server.proxy_named():
                # Entered because websockets warns about connections used outside a context; `_drop` exits it.
                self._socket = connect(url, **self._server.socket_options).__enter__()
        return self._socket

    def _drop(self, code: int = GOING_AWAY) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close(code)


class AsyncSocketTransport(_OneEpisode):
    """A WebSocket on an event loop for reset, step and state, and HTTP for the rest."""

    def __init__(self, server: Server) -> None:
        self._http = AsyncHttpTransport(server)
        self._server = server
        self._socket: AsyncSocket | None = None

    async def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        import asyncio

        from websockets.exceptions import WebSocketException

        if request.path not in OVER_THE_SOCKET:
            return await self._http.send(request)
        try:
            if self._needs_another_socket(request):
                await self._drop()
            socket = await self._connected(request)
            await socket.send(json.dumps(_message(request)))
            async with asyncio.timeout(self._server.timeout_s):
                answer = _unwrapped(await socket.recv())
        except (OSError, WebSocketException) as error:
            await self._drop()
            return _refused_or_lost(error, self._server)
        except asyncio.CancelledError:
            # A late response would be mistaken for that of the next request on this socket.
            await self._drop()
            raise
        self._episode_id = _episode_of(answer) or self._episode_id
        return answer

    def abandon(self) -> None:
        """Cut the socket; the server keeps its episode for another one."""
        socket, self._socket = self._socket, None
        if socket is not None:
            _cut(socket)
        self._http.abandon()

    async def close(self) -> None:
        """Close the socket and the connection. The server then closes an unfinished episode."""
        await self._drop(GOING_AWAY if self._is_left else NORMAL)
        await self._http.close()

    async def _connected(self, request: Request) -> AsyncSocket:
        from websockets.asyncio.client import connect

        if self._socket is None:
            self._start_over(request)
            url = _socket_url(self._server.url, _continued(request))
            with self._server.proxy_named():
                self._socket = await connect(url, **self._server.socket_options)
        return self._socket

    async def _drop(self, code: int = GOING_AWAY) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close(code)


def _cut(connection: AsyncSocket) -> None:
    """Cut a connection below its event loop, which may be closed and would otherwise have to do it."""
    used = connection.transport.get_extra_info("socket")
    if used is not None and used.fileno() >= 0:
        with closing(sockets.socket(fileno=os.dup(used.fileno()))) as same, suppress(OSError):
            same.shutdown(sockets.SHUT_RDWR)


def _socket_url(base_url: str, query: Mapping[str, str]) -> str:
    parts = urlsplit(base_url)
    scheme = "wss" if parts.scheme in ("https", "wss") else "ws"
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/ws", urlencode(query), ""))


def _continued(request: Request) -> dict[str, str]:
    """Return how a request names its episode; a reset names one that does not exist yet, to routers only."""
    if request.path == "/reset":
        return {"new_episode_id": request.body["episode_id"]}
    sent = {**request.query, **(request.body or {})}
    return {name: sent[name] for name in ("episode_id", "episode_uid") if name in sent}


def _message(request: Request) -> dict[str, Any]:
    kind, body = request.path[1:], dict(request.body or {})
    if kind == "state":
        return {"type": kind}
    if kind == "reset":
        return {"type": kind, "data": body}
    hints = {name: body[name] for name in ("step", "timeout_s", "episode_uid") if name in body}
    return {"type": kind, "data": {**body["action"], "metadata": hints}}


def _unwrapped(sent: str | bytes) -> Answer:
    """Return the answer in a message of the socket; what is no message of ours stays as it came."""
    try:
        message = json.loads(sent)
        kind, data = message["type"], message["data"]
        if kind != "error":
            return Answer(200, data)
        if data["code"] == "VALIDATION_ERROR":
            return Answer(422, {"detail": data.get("errors", [])})
        return Answer(int(data.get("status", 500)), {**data, "detail": data["message"]})
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return Answer(200, str(sent), kind="")


def _refused_or_lost(error: Exception, server: Server) -> Answer | Lost:
    from websockets.exceptions import InvalidStatus

    if isinstance(error, InvalidStatus):
        sent = error.response
        return read_answer(sent.status_code, dict(sent.headers.raw_items()), bytes(sent.body or b""))
    return Lost(server.why_lost(error))


def _episode_of(answer: Answer) -> str | None:
    metadata = answer.body.get("metadata") if isinstance(answer.body, dict) else None
    return metadata.get("episode_id") if isinstance(metadata, dict) else None
