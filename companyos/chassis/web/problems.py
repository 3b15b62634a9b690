"""The problem documents (RFC 9457) that a service, or the gateway in front of it, returns for a failed call.

Each failure has one function here, so agents read the same text wherever the failure occurs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import psycopg
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ..errors import InvalidRequest, ServiceError, problem
from ..postgres.limits import PROGRAM_LIMITS
from .validation import readable, sent_place

PROBLEM_MEDIA_TYPE = "application/problem+json"

log = structlog.get_logger(__name__)


def problem_response(body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """Return a problem document as a response."""
    return Response(orjson.dumps(body), body["status"], headers, PROBLEM_MEDIA_TYPE)


def refusal(error: ServiceError) -> Response:
    """Return the response of a refused call."""
    return problem_response(error.problem(), error.headers)


def database_unavailable() -> Response:
    """Return the response of a service whose database is unavailable."""
    detail = "The service's database is unavailable. Nothing was done. Try again in a moment."
    return problem_response(problem("database_unavailable", 503, detail), {"retry-after": "1"})


def internal_error() -> Response:
    """Return the response to an unexpected exception."""
    return problem_response(
        problem("internal_error", 500, "The service failed with an internal error. Nothing was done.")
    )


def answer_lost() -> Response:
    """Return the gateway's response to a lost upstream response; `deploy/load-balancer` has a copy."""
    return _from_the_gateway(502, "answer_lost", "The response was lost.")


def answer_late() -> Response:
    """Return the gateway's response to an upstream timeout; `deploy/load-balancer` has a copy."""
    return _from_the_gateway(504, "answer_late", "No response arrived in time.")


def _from_the_gateway(status: int, code: str, reason: str) -> Response:
    again = (
        "If it had an idempotency key, repeat it unchanged: it is carried out only once. "
        "If not, read first what came of it."
    )
    detail = f"{reason} The request may or may not have been carried out. {again}"
    body = {**problem(code, status, detail), "retryable": True}
    return problem_response(body, {"cache-control": "no-cache", "retry-after": "1"})


def add_problem_documents(app: FastAPI) -> None:
    """Turn every error of this app into a problem document."""

    @app.exception_handler(ServiceError)
    async def refused(_request: Request, error: ServiceError) -> Response:
        return refusal(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        return problem_response(_validation_problem(error.errors(), error.body))

    @app.exception_handler(HTTPException)
    async def unmatched(_request: Request, error: HTTPException) -> Response:
        codes = {404: "not_found", 405: "method_not_allowed"}
        body = problem(codes.get(error.status_code, "http_error"), error.status_code, str(error.detail))
        return problem_response(body, headers=dict(error.headers or {}))

    @app.exception_handler(psycopg.OperationalError)
    async def database_away(_request: Request, error: psycopg.OperationalError) -> Response:
        log.warning("database_unavailable", reason=str(error).strip())
        return database_unavailable()

    async def unstorable(_request: Request, error: Exception) -> Response:
        log.warning("value_not_storable", reason=str(error).strip())
        return refusal(InvalidRequest("A value exceeds what can be stored. Use a smaller or shorter one."))

    for kind in (psycopg.DataError, *PROGRAM_LIMITS):
        app.add_exception_handler(kind, unstorable)

    @app.exception_handler(Exception)
    async def failed(_request: Request, _error: Exception) -> Response:
        # Process boundary: the server logs the traceback, tells the caller that the service is at fault, and closes
        # the connection.
        response = internal_error()
        response.headers["connection"] = "close"
        return response


def _validation_problem(errors: Sequence[Any], body: Any) -> dict[str, Any]:
    found = readable({**error, "loc": sent_place(error, body), "msg": _flaw(error)} for error in errors)
    listed = [{"loc": [str(part) for part in error["loc"]], "msg": error["msg"]} for error in found]
    problems = "; ".join(f"{'.'.join(error['loc']) or 'the request'}: {error['msg']}" for error in listed)
    body = problem("invalid_request", 422, f"Correct these and call again. {problems}.")
    return {**body, "field": ".".join(listed[0]["loc"]), "errors": listed}


def _flaw(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a value: in the words of the validator that refused it, or in Pydantic's."""
    raised = error.get("ctx", {}).get("error")
    return str(raised) if isinstance(raised, ValueError) else str(error["msg"])
