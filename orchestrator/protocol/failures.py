"""The ways in which an exchange with a service can fail, as seen by the orchestrator."""

from __future__ import annotations

from enum import StrEnum

import aiohttp


class Failure(StrEnum):
    """The fate of an exchange without an answer; except after a refused connection, its effects are unknown."""

    REFUSED = "connection_refused"
    TIMEOUT = "timeout"
    RESET = "connection_reset"
    CLOSED = "connection_closed"
    INCOMPLETE = "incomplete_answer"


def failure_of(error: Exception) -> Failure:
    """Return the failure for a client's error."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure.REFUSED
    if isinstance(error, TimeoutError):
        return Failure.TIMEOUT
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return Failure.CLOSED
    if isinstance(error, aiohttp.ClientPayloadError):
        return Failure.INCOMPLETE
    return Failure.RESET
