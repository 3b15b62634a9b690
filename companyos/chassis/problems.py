"""The problem documents (RFC 9457) by which a service, or the door before it, says that a call came to nothing.

Each failure has one function here, and whoever tells of it calls that: what an agent reads of a failure does not
depend on where it came about.
"""

from typing import Any

import orjson
from fastapi import Response

from .errors import ServiceError, problem

PROBLEM_MEDIA_TYPE = "application/problem+json"


def problem_response(body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """Return a problem document as a response."""
    return Response(orjson.dumps(body), body["status"], headers, PROBLEM_MEDIA_TYPE)


def refusal(error: ServiceError) -> Response:
    """Return the answer of a service that refuses."""
    return problem_response(error.problem(), error.headers)


def database_unavailable() -> Response:
    """Return the answer of a service whose database is away."""
    detail = "The database does not answer, so nothing was done. Try again in a moment."
    return problem_response(problem("database_unavailable", 503, detail), {"retry-after": "1"})


def internal_error() -> Response:
    """Return the answer of a service that failed through its own fault."""
    return problem_response(problem("internal_error", 500, "This service failed. Nothing was done."))


def answer_lost() -> Response:
    """Return the answer of a door that lost the answer of whom it leads to; `deploy/door` has it as a file."""
    return _at_the_door(502, "answer_lost", "The answer was lost; what was asked may have been done.")


def answer_late() -> Response:
    """Return the answer of a door that got no answer in time; `deploy/door` has it as a file."""
    return _at_the_door(504, "answer_late", "No answer came in time; what was asked may have been done.")


def _at_the_door(status: int, code: str, said: str) -> Response:
    again = "Repeat it as it was: a step under its number, or a call under its idempotency key, is done once."
    body = {**problem(code, status, f"{said} {again}"), "retryable": True}
    return problem_response(body, {"cache-control": "no-cache", "retry-after": "1"})
