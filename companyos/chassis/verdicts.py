"""Verdicts: what a service answers a call, as its context says, instead of carrying it out.

A verdict is the code of a failure or of a refusal that lifts by itself, with the simulated seconds until then where
there are any: `rate_limited 120`. Each is answered by the function that answers the real one, before anything is done.
"""

from collections.abc import Callable, Mapping
from typing import Final

from fastapi import Response

from .errors import OperationUnavailable, RateLimited, ReadOnly, SessionExpired
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

#: Every code that a verdict may have.
CODES: Final = tuple(_ANSWERS)


def verdict(code: str, after_s: int = 0) -> str:
    """Return the verdict of a code that lifts after so many simulated seconds."""
    return f"{code} {after_s}"


def answer(given: str) -> Response:
    """Return the answer that a verdict asks for."""
    code, _, after_s = given.partition(" ")
    return _ANSWERS[code](int(after_s))
