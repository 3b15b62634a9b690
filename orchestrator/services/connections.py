"""HTTP/1.1 to the services: persistent connections, with one exchange at a time, and nothing that they do not need."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httptools

from ..protocol.failures import ExchangeFailed, Failure

#: Shorter than the services' keep-alive, so that no request goes out on a connection that is being closed.
KEEP_ALIVE_S = 30.0
#: Larger answers are cut; the largest that services give are pages of a company's rows.
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class ServiceRequest:
    """A request; the target is sent as it is, so it must already be quoted."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None

    def encoded(self, host: str, prefix: str) -> bytes:
        """Return the request as it is sent, to a host and below the path of its address.

        Raises:
            ValueError: The target or a header contains a control character, which could end its line.
        """
        lines = [f"{self.method} {prefix}{self.target} HTTP/1.1", f"host: {host}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.body is not None or self.method in ("POST", "PUT"):
            lines.append(f"content-length: {len(self.body or b'')}")
        if not all(map(str.isprintable, lines)):
            raise ValueError("a request line or a header contains a control character")
        return "\r\n".join((*lines, "", "")).encode() + (self.body or b"")


@dataclass(frozen=True)
class Response:
    """A service's complete answer."""

    status: int
    media_type: str
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether the status means success."""
        return 200 <= self.status < 300

    @property
    def description(self) -> str:
        """The unexpected answer, described for a person."""
        return f"status {self.status}: {self.body[:200].decode(errors='replace')}"


class _Connection(asyncio.Protocol):
    """A connection; httptools calls its `on_` methods while it parses."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Response] | None = None
        self._usable_until = float("-inf")
        self._begin()

    @property
    def is_usable(self) -> bool:
        """Whether another request may be sent."""
        return self._usable_until > self._loop.time()

    async def exchange(self, request: bytes) -> Response:
        self._begin()
        self._answer = self._loop.create_future()
        self._transport.write(request)
        try:
            return await self._answer
        except asyncio.CancelledError:
            self.close()
            raise

    def close(self) -> None:
        self._usable_until = float("-inf")
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.done():
            # Nothing was asked, so this must not become the answer to the next request.
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._usable_until = float("-inf")
        if self._answer is not None and not self._answer.done():
            broken = Failure.INCOMPLETE if self._begun else Failure.RESET if error else Failure.CLOSED
            self._answer.set_exception(ExchangeFailed(broken))

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"content-type":
            self._media_type = value.decode("latin-1").partition(";")[0].strip().lower()

    def on_headers_complete(self) -> None:
        self._begun = True

    def on_body(self, part: bytes) -> None:
        self._body.append(part)
        self._left -= len(part)
        if self._left < 0:
            self.close()

    def on_message_complete(self) -> None:
        if self._left < 0:
            return
        if self._parser.get_status_code() < 200:
            # An interim response precedes the answer; nothing here asks for another protocol.
            self._media_type, self._begun = "", False
            return
        response = Response(self._parser.get_status_code(), self._media_type, b"".join(self._body))
        if self._parser.should_keep_alive():
            self._usable_until = self._loop.time() + KEEP_ALIVE_S
        else:
            self.close()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(response)

    def _begin(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._media_type, self._begun = "", False
        self._body: list[bytes] = []
        self._left = MOST_BYTES


class Connections:
    """The connections to one service; the most recently used one is lent first.

    New connections go to the addresses of the service's name in turns, so that replicas share the calls, and past an
    address at which nothing listens.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._tls = parts.scheme == "https"
        self._name, self._port = parts.hostname or "", parts.port or (443 if self._tls else 80)
        self._host, self._prefix = parts.netloc, parts.path
        self._idle: list[_Connection] = []
        self._turns = itertools.count()
        self._is_closed = False

    async def exchange(self, request: ServiceRequest, timeout_s: float) -> Response:
        """Send a request and return its response.

        Raises:
            ExchangeFailed: There is no answer, or none within this time.
        """
        sent = request.encoded(self._host, self._prefix)
        try:
            async with asyncio.timeout(timeout_s):
                connection = self._usable() or await self._open()
                response = await connection.exchange(sent)
        except TimeoutError as error:
            raise ExchangeFailed(Failure.TIMEOUT) from error
        if self._is_closed:
            connection.close()
        elif connection.is_usable:
            self._idle.append(connection)
        return response

    def close(self) -> None:
        """Close the idle connections, and the others after their exchange."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def _usable(self) -> _Connection | None:
        while self._idle:
            if (connection := self._idle.pop()).is_usable:
                return connection
            connection.close()
        return None

    async def _open(self) -> _Connection:
        loop = asyncio.get_running_loop()
        server_name = self._name if self._tls else None
        try:
            found = await loop.getaddrinfo(self._name, self._port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise ExchangeFailed(Failure.REFUSED) from error
        turn = next(self._turns) % len(found)
        refused: Exception | None = None
        for *_, address in found[turn:] + found[:turn]:
            host, port = str(address[0]), int(address[1])
            try:
                _, connection = await loop.create_connection(
                    _Connection, host, port, ssl=self._tls or None, server_hostname=server_name
                )
            except OSError as error:
                refused = error
            else:
                return connection
        raise ExchangeFailed(Failure.REFUSED) from refused
