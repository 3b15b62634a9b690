"""Offers to go on in another protocol: a WebSocket's is taken, and a request with any other is read as if it had none.

RFC 9110, section 7.8, lets a server ignore an offer, and clients of Java and curl send one (`h2c`) with every request.
httptools stops at it, before the body, and uvicorn would hand on an empty one: the request would be played without its
arguments.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from .time_limits import Phase

Header = tuple[bytes, bytes]

OFFER: Final = b"upgrade"
WEBSOCKET: Final = [b"websocket"]
#: Protocols whose requests httptools reads like those of HTTP, without a word.
OTHER_PROTOCOLS: Final = (b"RTSP/", b"ICE/")


class OfferParser:
    """A parser of requests that reads on behind an offer which its protocol declines.

    Attributes:
        declines: Whether the head just read has such an offer. Its request is then yet to come, without it.
        rest: What arrived behind an offer that is taken.
        error: Why it refuses what arrived, in the words of the parser.
    """

    def __init__(self, protocol: Any) -> None:
        self.declines, self.rest, self.error = False, b"", ""
        self._unread = b""
        self._protocol = protocol
        self._parser = self._renewed()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    def feed_data(self, data: bytes) -> None:
        """Parse what arrived.

        Raises:
            HttpParserUpgrade: The rest is no HTTP: an offer that is taken, or CONNECT.
            HttpParserError: It is no HTTP.
        """
        while True:
            self._unread += data
            try:
                return self._parser.feed_data(data)
            except HttpParserError as refused:
                self.error = str(refused)
                raise
            except HttpParserUpgrade as stopped:
                if not self.declines:
                    self.rest = data[stopped.args[0] :]
                    raise
                data = b"".join(self._head()) + data[stopped.args[0] :]
                self.declines = False
                self._parser = self._renewed()
            finally:
                # Kept only while the line of a request may be in two packets.
                if self._protocol.phase is not Phase.HEAD:
                    self._unread = b""

    def speaks_http(self, target: bytes) -> bool:
        """Return whether the head just read, with this target, is one of HTTP; to be asked once for each head."""
        _, _, self._unread = self._unread.partition(b" %s " % target)
        return not self._unread.lstrip(b" ").startswith(OTHER_PROTOCOLS)

    def read_offers(self, headers: Iterable[Header]) -> None:
        """Note whether the head just read has an offer to decline."""
        offers = [value.strip().lower() for name, value in headers if name == OFFER]
        has_sockets = self._protocol.ws_protocol_class is not None
        handshake = has_sockets and self._parser.get_method() == b"GET" and offers == WEBSOCKET
        self.declines = bool(offers) and not handshake and self._parser.should_upgrade()

    def _renewed(self) -> HttpRequestParser:
        parser = HttpRequestParser(self._protocol)
        # As uvicorn has it: a client that announced to close may still send, and is answered.
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return parser

    def _head(self) -> Iterator[bytes]:
        """Yield the head just read, without its offers."""
        version = self._parser.get_http_version().encode()
        yield b"%s %s HTTP/%s\r\n" % (self._parser.get_method(), self._protocol.url, version)
        for name, value in self._protocol.headers:
            if name != OFFER:
                yield b"%s: %s\r\n" % (name, value)
        yield b"\r\n"
