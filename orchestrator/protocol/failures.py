"""The ways in which an exchange with a service can fail, as seen by the orchestrator."""

from enum import StrEnum


class Failure(StrEnum):
    """The fate of an exchange without an answer; except after a refused connection, its effects are unknown."""

    REFUSED = "connection_refused"
    TIMEOUT = "timeout"
    RESET = "connection_reset"
    CLOSED = "connection_closed"
    INCOMPLETE = "incomplete_answer"


class ExchangeFailed(ConnectionError):
    """An exchange ended without an answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.value)
        self.failure = failure
