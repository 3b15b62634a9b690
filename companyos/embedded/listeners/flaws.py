"""What is wrong with a request that no application may see: its version of HTTP, or an unknown end."""

from collections.abc import Iterable
from typing import Final

from .replies import LENGTH_REQUIRED, MALFORMED, VERSION_UNSUPPORTED, ListenerReply

Header = tuple[bytes, bytes]

VERSIONS: Final = ("1.0", "1.1")
#: What the parser says of versions that it does not know, and of the first line of a connection of HTTP/2.
VERSION_ERRORS: Final = ("Invalid HTTP version", "Expected dot", "Pause on PRI/Upgrade")
#: The methods whose requests have a body, if only an empty one, and the headers that say where it ends.
WITH_BODY, FRAMING = (b"POST", b"PUT", b"PATCH"), (b"content-length", b"transfer-encoding")


def flaw_of_head(version: str, method: bytes, headers: Iterable[Header]) -> ListenerReply | None:
    """Return the refusal of a request that the parser accepts, or None.

    A request before HTTP/1.1 must say how long its body is, which might be what follows (RFC 9112, section 6.3).
    """
    if version not in VERSIONS:
        return VERSION_UNSUPPORTED
    is_framed = version == "1.1" or any(name in FRAMING for name, _ in headers)
    return None if is_framed or method not in WITH_BODY else LENGTH_REQUIRED


def flaw_of_bytes(error: str) -> ListenerReply:
    """Return the refusal of what the parser refuses, by its words."""
    return VERSION_UNSUPPORTED if error in VERSION_ERRORS else MALFORMED
