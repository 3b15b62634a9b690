"""The problem documents (RFC 9457) by which a service, or the door before it, says that a call came to nothing.

Each failure has one function here, and whoever tells of it calls that: what an agent reads of a failure does not
depend on where it came about.
"""

from collections.abc import Sequence
from typing import Any

import orjson
import psycopg
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from .errors import InvalidRequest, ServiceError, problem

PROBLEM_MEDIA_TYPE = "application/problem+json"

log = structlog.get_logger(__name__)


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


def add_problem_documents(app: FastAPI) -> None:
    """Answer every refusal of this app with a problem document."""

    @app.exception_handler(ServiceError)
    async def refused(_request: Request, error: ServiceError) -> Response:
        return refusal(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        return problem_response(_validation_problem(error.errors()))

    @app.exception_handler(HTTPException)
    async def unmatched(_request: Request, error: HTTPException) -> Response:
        codes = {404: "not_found", 405: "method_not_allowed"}
        body = problem(codes.get(error.status_code, "http_error"), error.status_code, str(error.detail))
        return problem_response(body, headers=dict(error.headers or {}))

    @app.exception_handler(psycopg.OperationalError)
    async def database_away(_request: Request, error: psycopg.OperationalError) -> Response:
        log.warning("database_unavailable", reason=str(error).strip())
        return database_unavailable()

    @app.exception_handler(psycopg.DataError)
    async def unstorable(_request: Request, error: psycopg.DataError) -> Response:
        log.warning("value_not_storable", reason=str(error).strip())
        return refusal(InvalidRequest("A value is beyond what can be stored."))

    @app.exception_handler(Exception)
    async def failed(_request: Request, _error: Exception) -> Response:
        # Process boundary: the server logs the traceback; the caller learns that it was not their doing.
        return internal_error()


def _validation_problem(errors: Sequence[Any]) -> dict[str, Any]:
    listed = [{"loc": [str(part) for part in error["loc"][1:]], "msg": str(error["msg"])} for error in errors]
    said = "; ".join(f"{'.'.join(error['loc']) or 'the request'}: {error['msg']}" for error in listed)
    body = problem("invalid_request", 422, f"Correct these and call again. {said}.")
    return {**body, "field": ".".join(listed[0]["loc"]), "errors": listed}
