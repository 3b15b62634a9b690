"""Injected responses: what a service returns instead of carrying out a call, if the signed context says so.

The context holds the code of a failure or of a temporary refusal and, for a temporary refusal, the simulated
seconds until it ends: `rate_limited 120`. The function that builds the real response also builds the injected
one, before any work is done.
"""

from collections.abc import Callable, Mapping
from typing import Final

from fastapi import Response

from ..errors import OperationUnavailable, RateLimited, ReadOnly, SessionExpired
from .problems import answer_late, answer_lost, database_unavailable, internal_error, refusal

_ANSWERS: Final[Mapping[str, Callable[[int], Response]]] = {
    "internal_error": lambda _: internal_error(),
    "answer_lost": lambda _: answer_lost(),
    "database_unavailable": lambda _: database_unavailable(),
    "answer_late": lambda _: answer_late(),
    RateLimited.code: lambda after_s: refusal(RateLimited(after_s)),
    ReadOnly.code: lambda after_s: refusal(ReadOnly(after_s)),
    SessionExpired.code: lambda _: refusal(SessionExpired()),
    OperationUnavailable.code: lambda after_s: refusal(OperationUnavailable(after_s)),
}

#: All codes of injected responses.
CODES: Final = tuple(_ANSWERS)


def injected_response(code: str, after_s: int = 0) -> str:
    """Encode a code and the simulated seconds until it ends, for the context."""
    return f"{code} {after_s}"


def answer(given: str) -> Response:
    """Return the response for an encoded injected response."""
    code, _, after_s = given.partition(" ")
    return _ANSWERS[code](int(after_s))
