"""HTTP connections with limits: their number, the size of a head, and the time for each part of a request.

uvicorn limits only the time between two requests. A client that sends half a head, or a body byte by byte, would hold
its connection and a descriptor for ever.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .offers import OfferParser
from .replies import HEAD_TOO_LARGE, TIMED_OUT, TOO_MANY

log = structlog.get_logger(__name__)

MAX_HEAD_BYTES: Final = 64 * 1024
#: A body may take longer than its time limit while it arrives at least this fast, in bytes per second.
SLOWEST_BODY: Final = 1024


class Phase(StrEnum):
    """What a connection waits for."""

    OPENED = "first byte"
    HEAD = "head"
    BODY = "body"
    ANSWER = "answer"
    READER = "reader"
    IDLE = "next request"
    WEBSOCKET = "websocket"


@dataclass(frozen=True)
class TimeLimits:
    """How long a connection may wait for its client, in seconds."""

    head_s: float
    body_s: float
    idle_s: float

    def of(self, phase: Phase) -> float | None:
        """Return the limit of a phase; None if its length is not the client's doing."""
        match phase:
            case Phase.OPENED | Phase.HEAD:
                return self.head_s
            case Phase.BODY | Phase.READER:
                return self.body_s
            case Phase.IDLE:
                return self.idle_s
            case Phase.ANSWER | Phase.WEBSOCKET:
                return None


@dataclass
class Listener:
    """A listener's limits and connections.

    Attributes:
        name: Its name in the log.
        most: The most connections at once.
        wanted: The same, if there were enough file descriptors.
        times: The limits of each connection.
    """

    name: str
    most: int
    wanted: int
    times: TimeLimits
    _open: set["LimitedHttp"] = field(default_factory=set)
    _refused: int = 0

    def protocol(self, **options: Any) -> "LimitedHttp":
        """Return the protocol of a new connection, as uvicorn makes it."""
        return LimitedHttp(self, **options)

    def announce(self) -> None:
        """Log how many connections there may be, as a warning if descriptors limit them."""
        tell = log.info if self.most >= self.wanted else log.warning
        tell("listening", listener=self.name, most_connections=self.most, wanted=self.wanted)

    def admits(self, connection: "LimitedHttp") -> bool:
        """Count a connection; return False if there are too many."""
        if len(self._open) >= self.most:
            self._refused += 1
            return False
        self._open.add(connection)
        return True

    def forget(self, connection: "LimitedHttp") -> None:
        """Stop counting a connection."""
        self._open.discard(connection)

    def enforce(self, now: float) -> None:
        """Close the connections that have waited for too long, and log what the limits did since the last call."""
        closed = Counter(self._closed(now))
        if self._refused:
            log.warning(
                "connections_refused",
                listener=self.name,
                count=self._refused,
                most=self.most,
                setting="COMPANYOS_MAX_CONNECTIONS, and the limit of open files",
            )
            self._refused = 0
        for phase, count in closed.items():
            log.warning(
                "connections_timed_out",
                listener=self.name,
                count=count,
                waiting_for=phase,
                after_s=self.times.of(phase),
            )

    def _closed(self, now: float) -> Iterator[Phase]:
        for connection in list(self._open):
            if connection.has_left():
                self.forget(connection)
            elif connection.is_overdue(now):
                phase = connection.phase
                connection.give_up()
                if phase is not Phase.IDLE:
                    yield phase


class LimitedHttp(HttpToolsProtocol):
    """A connection with the limits of its listener.

    Attributes:
        phase: What it waits for.
    """

    def __init__(self, listener: Listener, **options: Any) -> None:
        super().__init__(**options)
        self._offers = OfferParser(self)
        self.parser: Any = self._offers
        self.phase = Phase.OPENED
        self._listener = listener
        self._since = self.loop.time()
        self._received = 0
        self._unread = 0

    def connection_made(self, transport: Any) -> None:
        """Accept the connection, or refuse it if there are too many."""
        super().connection_made(transport)
        if not self._listener.admits(self):
            self._end_with(TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is gone."""
        self._listener.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, unless a head is too large."""
        super().data_received(data)
        self._received += len(data)
        if self.phase is Phase.HEAD and self._received > MAX_HEAD_BYTES:
            self._end_with(HEAD_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Expect the rest of a head."""
        super().on_message_begin()
        self._enter(Phase.HEAD)

    def on_headers_complete(self) -> None:
        """Expect the body."""
        self._enter(Phase.BODY)
        self._offers.read_offers(self.headers)
        if not self._offers.declines:
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect the application's answer, unless it was sent before the body ended."""
        if self._offers.declines:
            return
        super().on_message_complete()
        self._enter(Phase.IDLE if self.cycle and self.cycle.response_complete else Phase.ANSWER)

    def on_response_complete(self) -> None:
        """Expect the next request, if this one was read to its end and no other waits."""
        super().on_response_complete()
        if self.phase is Phase.ANSWER and self.cycle.response_complete:
            self._enter(Phase.IDLE)

    def handle_websocket_upgrade(self) -> None:
        """Pass the connection on to the protocol of WebSockets, which finds out by itself whether its peer lives."""
        self.phase = Phase.WEBSOCKET
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        """Expect the client to read what was sent."""
        super().pause_writing()
        if self.phase is Phase.ANSWER:
            self._enter(Phase.READER)

    def resume_writing(self) -> None:
        """Expect the rest of the answer, or the next request."""
        super().resume_writing()
        if self.phase is Phase.READER:
            self._enter(Phase.IDLE if self.cycle.response_complete else Phase.ANSWER)

    def has_left(self) -> bool:
        """Return whether the connection is closed, and nothing remains to be sent."""
        return self.transport.is_closing() and not self._unsent()

    def is_overdue(self, now: float) -> bool:
        """Return whether the client was waited for too long."""
        if self._is_moving():
            self._since = now
        limit = self._listener.times.of(self.phase)
        if limit is None:
            return False
        grace = self._received / SLOWEST_BODY if self.phase is Phase.BODY else 0.0
        return now - self._since > limit + grace

    def give_up(self) -> None:
        """Close the connection; a client that began a request is told why."""
        self._end_with(TIMED_OUT if self.phase in (Phase.HEAD, Phase.BODY) else b"")

    def _is_moving(self) -> bool:
        """Return whether an answer is being read, or another request in front keeps the server from reading a body."""
        unread, self._unread = self._unread, self._unsent()
        if self.phase is Phase.BODY:
            return self.flow.read_paused
        return self.phase is Phase.READER and self._unread < unread

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._since = self.loop.time()
        self._received = 0

    def _end_with(self, reply: bytes) -> None:
        if self.transport.is_closing() or self._unsent():
            self.transport.abort()
            return
        answering = self.cycle is not None and not self.cycle.response_complete
        if not (answering and self.cycle.response_started):
            self.transport.write(reply)
        self.transport.close()

    def _unsent(self) -> int:
        unsent: Callable[[], int] = self.transport.get_write_buffer_size
        return 0 if self.phase is Phase.WEBSOCKET else unsent()
