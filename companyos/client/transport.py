"""The client's HTTP transports, blocking or asynchronous, and what every transport sends and returns.

A transport sends one request and returns an `Answer`, or `Lost` when none arrived. It never retries; only the caller
knows which requests are safe to repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from .server import Server

if TYPE_CHECKING:
    import httpx

#: Content types of JSON, and of received and sent files.
JSON, PROBLEM, GZIP, BYTES = (
    "application/json",
    "application/problem+json",
    "application/gzip",
    "application/octet-stream",
)


@dataclass(frozen=True)
class Request:
    """A request to the server, with JSON or a file as its body; of several cells, to the one at the URL `at`."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    file: bytes | None = None
    at: str | None = None


@dataclass(frozen=True)
class Answer:
    """The server's response.

    Attributes:
        status: Its status.
        body: Its body, decoded: JSON, text or a file.
        kind: The content type; empty if it says JSON but holds none.
        retry_after_s: Seconds after which the server wants to be asked again, if it says so.
        location: Where a redirect leads.
    """

    status: int
    body: Any
    kind: str = JSON
    retry_after_s: float | None = None
    location: str | None = None


def read_answer(status: int, headers: Mapping[str, str], content: bytes) -> Answer:
    """Return a response with its body decoded; broken JSON stays text. Names of headers may be in any case."""
    named = {name.lower(): value for name, value in headers.items()}
    kind = named.get("content-type", "").partition(";")[0].strip().lower()
    kind, body = _decoded(kind, content)
    wait = named.get("retry-after", "").strip()
    return Answer(status, body, kind, float(wait) if wait.isdecimal() else None, named.get("location"))


def _decoded(kind: str, content: bytes) -> tuple[str, Any]:
    if kind in (GZIP, BYTES):
        return kind, content
    if kind in (JSON, PROBLEM) and content:
        try:
            return kind, orjson.loads(content)
        except ValueError:
            kind = ""
    return kind, content.decode(errors="replace")


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
    """Sends requests on an event loop. `abandon` lets go of it from another one, without a word to the server."""

    async def send(self, request: Request) -> Answer | Lost: ...

    def forget_episode(self) -> None: ...

    def abandon(self) -> None: ...

    async def close(self) -> None: ...


class HttpTransport:
    """A persistent HTTP connection."""

    def __init__(self, server: Server) -> None:
        import httpx

        self._server = server
        with server.proxy_named():
            self._client = httpx.Client(**server.http_options)

    def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        import httpx

        try:
            return _answer(self._client.request(**_http_arguments(request)))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return Lost(self._server.why_lost(error))

    def forget_episode(self) -> None:
        """Do nothing: the server does not tie an episode to this connection."""

    def close(self) -> None:
        """Close the connection."""
        self._client.close()


class AsyncHttpTransport:
    """A persistent HTTP connection on an event loop."""

    def __init__(self, server: Server) -> None:
        import httpx

        self._server = server
        with server.proxy_named():
            self._client = httpx.AsyncClient(**server.http_options)

    async def send(self, request: Request) -> Answer | Lost:
        """Send `request` and wait for the response."""
        import httpx

        try:
            return _answer(await self._client.request(**_http_arguments(request)))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return Lost(self._server.why_lost(error))

    def forget_episode(self) -> None:
        """Do nothing: the server does not tie an episode to this connection."""

    def abandon(self) -> None:
        """Do nothing: the connection ends with this object."""

    async def close(self) -> None:
        """Close the connection."""
        await self._client.aclose()


def _http_arguments(request: Request) -> dict[str, Any]:
    asked = {"method": request.method, "url": request.path, "params": request.query}
    if request.file is not None:
        return {**asked, "content": request.file, "headers": {"content-type": BYTES}}
    return {**asked, "json": request.body}


def _answer(response: httpx.Response) -> Answer:
    return read_answer(response.status_code, response.headers, response.content)
