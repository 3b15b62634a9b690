"""How an exchange with a service can fail, as seen from this end of the connection."""

from __future__ import annotations

from enum import StrEnum

import aiohttp


class Failure(StrEnum):
    """What became of an exchange that brought no answer; but for a refused connection nobody knows what was done."""

    REFUSED = "connection_refused"
    TIMEOUT = "timeout"
    RESET = "connection_reset"
    CLOSED = "connection_closed"
    INCOMPLETE = "incomplete_answer"


def failure_of(error: Exception) -> Failure:
    """Return what failed, of an error of the client."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure.REFUSED
    if isinstance(error, TimeoutError):
        return Failure.TIMEOUT
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return Failure.CLOSED
    if isinstance(error, aiohttp.ClientPayloadError):
        return Failure.INCOMPLETE
    return Failure.RESET
