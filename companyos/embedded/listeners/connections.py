"""HTTP connections with limits: their number, the size of a head, and the time for each part of a request.

uvicorn limits only the time between two requests. A client that sends half a head, or a body byte by byte, would hold
its connection and a descriptor for ever.

A request that breaks a limit or HTTP itself is told so, and ends its connection. One that arrived before it in full is
answered first, or if nothing of it was done yet, refused with it: no reply passes for the answer to another request.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .flaws import flaw_of_bytes, flaw_of_head
from .offers import OfferParser
from .replies import HEAD_TOO_LARGE, TIMED_OUT, TOO_MANY, ListenerReply
from .time_limits import Phase, TimeLimits

log = structlog.get_logger(__name__)

MAX_HEAD_BYTES: Final = 64 * 1024
#: The most bytes around what the parser hands on: of a request line, of a header, and of a chunk with one byte.
LINE_FRAME, HEADER_FRAME, CHUNK_FRAME = 32, 4, 8
#: A body may take longer than its time limit while it arrives at least this fast, in bytes per second.
SLOWEST_BODY: Final = 1024


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
                if phase not in (Phase.IDLE, Phase.END):
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
        self._head_bytes = 0
        self._unparsed = 0
        self._flaw: ListenerReply | None = None
        self._answering: Any = None
        self._begun: Any = None
        self._is_ending = False

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
        """Parse what arrived, unless a head is too large or the connection ends with the answer under way."""
        if self._is_ending:
            return
        self._unparsed += len(data)
        super().data_received(data)
        self._received += len(data)
        if self.phase not in (Phase.HEAD, Phase.BODY):
            self._unparsed = 0
        self._unparsed = max(self._unparsed, 0)
        if self._unparsed + self._head_bytes > MAX_HEAD_BYTES and not self._is_ending:
            self._end_with(HEAD_TOO_LARGE, may_follow=True)
        self._begun = self._answering

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer what was asked before a client closed its own side; return whether there is such a request."""
        is_asked = self._is_carrying_out()
        if is_asked:
            self._end_behind_answers()
        return is_asked

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or too large."""
        self._end_with(self._flaw or flaw_of_bytes(self._offers.error), may_follow=True)

    def on_message_begin(self) -> None:
        """Expect the rest of a head."""
        super().on_message_begin()
        self._enter(Phase.HEAD)
        self._head_bytes, self._flaw = 0, None
        self._count_head(LINE_FRAME)

    def on_url(self, url: bytes) -> None:
        """Read a part of the target."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header; those behind a body (trailers) are passed over, because they came after the decisions."""
        self._count_head(len(name) + len(value) + HEADER_FRAME)
        if self.phase is Phase.HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Expect the body."""
        self._enter(Phase.BODY)
        self._refuse_flaw()
        self._take_host_of_target()
        self._offers.read_offers(self.headers)
        if self._offers.declines:
            return
        super().on_headers_complete()
        if not self.pipeline:
            self._answering = self.cycle

    def on_body(self, body: bytes) -> None:
        """Read a part of the body."""
        self._unparsed -= CHUNK_FRAME * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Expect the application's answer, unless it was sent before the body ended."""
        if self._offers.declines:
            return
        super().on_message_complete()
        self._enter(Phase.IDLE if self.cycle and self.cycle.response_complete else Phase.ANSWER)

    def on_response_complete(self) -> None:
        """Expect the next request, if this one was read to its end and no other waits."""
        if self.pipeline:
            self._answering = self._begun = self.pipeline[-1][0]
        super().on_response_complete()
        if self.phase is Phase.ANSWER and self.cycle.response_complete:
            self._enter(Phase.IDLE)

    def handle_websocket_upgrade(self) -> None:
        """Pass the connection on to the protocol of WebSockets, which finds out by itself whether its peer lives."""
        if self._answering is not None and not self._answering.response_complete:
            # The two answers would mix.
            self._end_behind_answers()
            return
        self.phase = Phase.WEBSOCKET
        super().handle_websocket_upgrade()
        socket: Any = self.transport.get_protocol()
        socket.data_received(self._offers.rest)

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
        """Return whether the connection is closed and everything is sent."""
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
        """Close the connection; a client that began a request is told why, unless it does not even read."""
        if self._unsent():
            self.transport.abort()
        else:
            self._end_with(TIMED_OUT if self.phase in (Phase.HEAD, Phase.BODY) else None)

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

    def _count_head(self, size: int) -> None:
        """Count bytes of a head, and of trailers.

        Raises:
            ValueError: There are too many; uvicorn then refuses the request.
        """
        self._unparsed -= size
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            self._flaw = HEAD_TOO_LARGE
            raise ValueError("the head is too large")

    def _refuse_flaw(self) -> None:
        """Refuse a request that is flawed although it could be parsed.

        Raises:
            ValueError: It is; uvicorn then refuses the request.
        """
        version = self.parser.get_http_version() if self._offers.speaks_http(self.url) else ""
        flaw = flaw_of_head(version, self.parser.get_method(), self.headers)
        if flaw is not None:
            self._flaw = flaw
            raise ValueError(flaw.code)

    def _take_host_of_target(self) -> None:
        """Let the host in a target such as `http://host/path` replace the header (RFC 9112, section 3.2.2)."""
        authority = self.url.partition(b"://")[2].partition(b"/")[0].rpartition(b"@")[2]
        if authority and not self.url.startswith(b"/"):
            self.headers[:] = [
                (name, authority if name == b"host" else value) for name, value in self.headers
            ]

    def _end_with(self, reply: ListenerReply | None, *, may_follow: bool = False) -> None:
        """Close the connection with this reply, or behind the answers under way.

        Args:
            reply: The reply; None for none.
            may_follow: Whether its client may be sending. It would lose the reply if its bytes met a closed connection.
        """
        if self.transport.is_closing() or self.phase is Phase.END:
            self.transport.abort()
        elif self._is_carrying_out():
            self._end_behind_answers()
        else:
            self._refuse_with(reply)
            if not may_follow:
                self.transport.close()

    def _end_behind_answers(self) -> None:
        """Read no more, and close the connection behind the answers to all requests that arrived in full."""
        self._is_ending = True
        if self.phase is Phase.BODY:
            self.pipeline.clear()
        last = self.pipeline[0][0] if self.pipeline else self._answering
        last.keep_alive = False
        if self.phase in (Phase.HEAD, Phase.BODY):
            self._enter(Phase.READER if self.flow.write_paused else Phase.ANSWER)

    def _is_carrying_out(self) -> bool:
        """Return whether a request that arrived in full, with earlier bytes, is yet to be answered."""
        cycle = self._answering
        if cycle is None or cycle is not self._begun or cycle.response_complete or cycle.disconnected:
            return False
        return cycle is not self.cycle or self.phase is not Phase.BODY

    def _refuse_with(self, reply: ListenerReply | None) -> None:
        cycle = self._answering
        if reply and (cycle is None or cycle.response_complete or not cycle.response_started):
            self.transport.write(reply.message(self.headers or ()))
        if cycle is not None and not cycle.response_complete:
            # Its application finds the request cut.
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.write_eof()
        self.flow.resume_reading()
        self._is_ending = True
        self._enter(Phase.END)

    def _unsent(self) -> int:
        unsent: Callable[[], int] = self.transport.get_write_buffer_size
        return 0 if self.phase is Phase.WEBSOCKET else unsent()
