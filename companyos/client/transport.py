"""The client's transports: HTTP or WebSocket, blocking or asynchronous, with the same semantics.

A transport sends one request and returns an `Answer`, or `Lost` when none arrived. It never retries; only the caller
knows which requests are safe to repeat.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode, urlsplit, urlunsplit

if TYPE_CHECKING:
    import httpx
    from websockets.asyncio.client import ClientConnection as AsyncSocket
    from websockets.sync.client import ClientConnection as Socket

CONNECT_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 2.0
#: WebSocket close codes: for good, or before opening another socket for the same episode.
NORMAL, GOING_AWAY = 1000, 1001
#: Content types of received and sent files.
GZIP, BYTES = "application/gzip", "application/octet-stream"
MAX_MESSAGE_BYTES = 100 * 1024 * 1024
OVER_THE_SOCKET = frozenset({"/reset", "/step", "/state"})


@dataclass(frozen=True)
class Request:
    """A request to the server, with JSON or a file as its body."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    file: bytes | None = None


@dataclass(frozen=True)
class Answer:
    """The server's response: its status and decoded body (JSON, text or a file)."""

    status: int
    body: Any


@dataclass(frozen=True)
class Lost:
    """No response arrived. The server may still have carried out the request."""

    why: str


class Transport(Protocol):
    """Sends requests, blocking."""

    def send(self, request: Request) -> Answer | Lost: ...

    def forget_episode(self) -> None: ...

    def close(self) -> None: ...


class AsyncTransport(Protocol):
    """Sends requests on an event loop."""

    async def send(self, request: Request) -> Answer | Lost: ...

    def forget_episode(self) -> None: ...

    async def close(self) -> None: ...


class HttpTransport:
    """A persistent HTTP connection."""

    def __init__(self, base_url: str, token: str | None, timeout_s: float) -> None:
        import httpx

        self._client = httpx.Client(**_http_options(base_url, token, timeout_s))

    def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        import httpx

        try:
            return _answer(self._client.request(**_http_arguments(request)))
        except httpx.HTTPError as error:
            return _lost(error)

    def forget_episode(self) -> None:
        """Do nothing: the server does not tie an episode to this connection."""

    def close(self) -> None:
        """Close the connection."""
        self._client.close()


class AsyncHttpTransport:
    """A persistent HTTP connection on an event loop."""

    def __init__(self, base_url: str, token: str | None, timeout_s: float) -> None:
        import httpx

        self._client = httpx.AsyncClient(**_http_options(base_url, token, timeout_s))

    async def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        import httpx

        try:
            return _answer(await self._client.request(**_http_arguments(request)))
        except httpx.HTTPError as error:
            return _lost(error)

    def forget_episode(self) -> None:
        """Do nothing: the server does not tie an episode to this connection."""

    async def close(self) -> None:
        """Close the connection."""
        await self._client.aclose()


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

    def __init__(self, base_url: str, token: str | None, timeout_s: float) -> None:
        self._http = HttpTransport(base_url, token, timeout_s)
        self._url, self._token, self._timeout_s = base_url, token, timeout_s
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
            answer = _unwrapped(json.loads(socket.recv(timeout=self._timeout_s)))
        except (OSError, WebSocketException) as error:
            self._drop()
            return _refused_or_lost(error)
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
            url = _socket_url(self._url, _continued(request))
            # Entered because websockets warns about connections used outside a context; `_drop` exits it.
            self._socket = connect(url, **_socket_options(self._url, self._token)).__enter__()
        return self._socket

    def _drop(self, code: int = GOING_AWAY) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close(code)


class AsyncSocketTransport(_OneEpisode):
    """A WebSocket on an event loop for reset, step and state, and HTTP for the rest."""

    def __init__(self, base_url: str, token: str | None, timeout_s: float) -> None:
        self._http = AsyncHttpTransport(base_url, token, timeout_s)
        self._url, self._token, self._timeout_s = base_url, token, timeout_s
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
            async with asyncio.timeout(self._timeout_s):
                answer = _unwrapped(json.loads(await socket.recv()))
        except (OSError, WebSocketException) as error:
            await self._drop()
            return _refused_or_lost(error)
        except asyncio.CancelledError:
            # A late response would be mistaken for that of the next request on this socket.
            await self._drop()
            raise
        self._episode_id = _episode_of(answer) or self._episode_id
        return answer

    async def close(self) -> None:
        """Close the socket and the connection. The server then closes an unfinished episode."""
        await self._drop(GOING_AWAY if self._is_left else NORMAL)
        await self._http.close()

    async def _connected(self, request: Request) -> AsyncSocket:
        from websockets.asyncio.client import connect

        if self._socket is None:
            self._start_over(request)
            url = _socket_url(self._url, _continued(request))
            self._socket = await connect(url, **_socket_options(self._url, self._token))
        return self._socket

    async def _drop(self, code: int = GOING_AWAY) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close(code)


def _headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _is_local(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _http_options(base_url: str, token: str | None, timeout_s: float) -> dict[str, Any]:
    import httpx

    return {
        "base_url": base_url,
        "headers": _headers(token),
        "timeout": httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
        # Proxies from the environment cannot reach this machine.
        "trust_env": not _is_local(base_url),
    }


def _http_arguments(request: Request) -> dict[str, Any]:
    asked = {"method": request.method, "url": request.path, "params": request.query}
    if request.file is not None:
        return {**asked, "content": request.file, "headers": {"content-type": BYTES}}
    return {**asked, "json": request.body}


def _answer(response: httpx.Response) -> Answer:
    kind = response.headers.get("content-type", "")
    if kind.startswith(GZIP):
        return Answer(response.status_code, response.content)
    is_json = kind.startswith(("application/json", "application/problem+json"))
    return Answer(response.status_code, response.json() if is_json and response.content else response.text)


def _lost(error: Exception) -> Lost:
    return Lost(str(error) or type(error).__name__)


def _socket_url(base_url: str, query: Mapping[str, str]) -> str:
    parts = urlsplit(base_url)
    scheme = "wss" if parts.scheme in ("https", "wss") else "ws"
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/ws", urlencode(query), ""))


def _socket_options(base_url: str, token: str | None) -> dict[str, Any]:
    return {
        "additional_headers": _headers(token),
        "open_timeout": CONNECT_TIMEOUT_S,
        "close_timeout": CLOSE_TIMEOUT_S,
        "max_size": MAX_MESSAGE_BYTES,
        "proxy": None if _is_local(base_url) else True,
    }


def _continued(request: Request) -> dict[str, str]:
    """Return how a request names its episode; a reset names one that does not exist yet."""
    sent = {} if request.path == "/reset" else {**request.query, **(request.body or {})}
    return {name: sent[name] for name in ("episode_id", "episode_uid") if name in sent}


def _message(request: Request) -> dict[str, Any]:
    kind, body = request.path[1:], dict(request.body or {})
    if kind == "state":
        return {"type": kind}
    if kind == "reset":
        return {"type": kind, "data": body}
    hints = {name: body[name] for name in ("step", "timeout_s", "episode_uid") if name in body}
    return {"type": kind, "data": {**body["action"], "metadata": hints}}


def _unwrapped(message: dict[str, Any]) -> Answer:
    data = message["data"]
    if message["type"] != "error":
        return Answer(200, data)
    if data["code"] == "VALIDATION_ERROR":
        return Answer(422, {"detail": data.get("errors", [])})
    return Answer(data.get("status", 500), {**data, "detail": data["message"]})


def _refused_or_lost(error: Exception) -> Answer | Lost:
    from websockets.exceptions import InvalidStatus

    if isinstance(error, InvalidStatus):
        return Answer(error.response.status_code, json.loads(error.response.body or b"{}"))
    return _lost(error)


def _episode_of(answer: Answer) -> str | None:
    metadata = answer.body.get("metadata") if isinstance(answer.body, dict) else None
    return metadata.get("episode_id") if isinstance(metadata, dict) else None
