"""Responses of the trainer API: strict JSON, with a problem document (RFC 9457) for every failure.

OpenEnv's own routes return 422 in their own form, `{"detail": [{type, loc, msg}]}`, because its clients read that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from companyos.chassis.web.access import served_routes
from companyos.chassis.web.validation import readable

from ...protocol.problems import Refusal

OPENENV = "OpenEnv"
PROBLEM_JSON = "application/problem+json"
LONGEST_INPUT_SHOWN = 200
#: The `Retry-After` of a temporary refusal.
RETRY_AFTER_S = 1
RETRY = {"Retry-After": str(RETRY_AFTER_S)}

HTTP_CODES = {404: "not_found", 426: "websocket_required"}
HTTP_DETAILS = {
    404: "There is no such route. GET /openapi.json lists those there are.",
    426: "This path is a WebSocket, and the request asked for none. Connect to ws:// or wss://; a proxy on the way "
    "must pass on the headers Upgrade and Connection.",
}


class RequestFlaw(TypedDict, total=False):
    """One violation in a request, in the form that Pydantic and OpenEnv use."""

    type: str
    loc: Sequence[str | int]
    msg: str
    input: Any
    url: str


class Invalid(Exception):
    """A request that does not match its route's documentation; nothing was done.

    Attributes:
        flaws: The violations, one entry each; `loc` starts at the body.
    """

    def __init__(self, *flaws: RequestFlaw) -> None:
        super().__init__(summary_of(flaws))
        self.flaws = flaws

    @classmethod
    def of(cls, error: ValidationError) -> Invalid:
        """Return Pydantic's findings, without echoing large inputs."""
        return cls(*map(_flaw, readable(error.errors(include_context=False), names=1)))

    def within(self, *places: str | int) -> Invalid:
        """Return the same violations of a value that is itself at these places."""
        flaws: list[RequestFlaw] = [{**flaw, "loc": [*places, *flaw["loc"]]} for flaw in self.flaws]
        return Invalid(*flaws)


class NotJson(Invalid):
    """The bytes are not JSON: broken syntax, wrong encoding, NaN, or a number too large for a double."""


class Json(Response):
    """A JSON response, written by orjson: no NaN, no surrogates, and no validation of our own data."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **extensions: Any,
) -> Response:
    """Return a response with a problem document."""
    return Json(problem_document(status, code, detail, **extensions), status, headers, PROBLEM_JSON)


def problem_document(status: int, code: str, detail: str, **extensions: Any) -> dict[str, Any]:
    """Return a problem document; `code` is its `type` and never changes once published."""
    title = code.replace("_", " ").capitalize()
    return {"type": code, "title": title, "status": status, "detail": detail, **extensions}


def method_not_allowed(methods: Iterable[str]) -> Response:
    """Return the response of a path that takes other methods only. There is no CORS, hence no OPTIONS."""
    allowed = sorted(methods)
    detail = f"This path takes {' and '.join(allowed)} only."
    return problem(405, "method_not_allowed", detail, headers={"Allow": ", ".join(allowed)})


def document_of(refusal: Refusal) -> dict[str, Any]:
    """Return a refusal as a problem document; a temporary one says so."""
    extensions: dict[str, Any] = {"retryable": refusal.retryable}
    if refusal.field is not None:
        extensions["field"] = refusal.field
    return problem_document(refusal.status, refusal.code, refusal.detail, **extensions)


def refused(refusal: Refusal) -> Response:
    """Return the response to a refused request, with the time to retry if that may help."""
    return Json(document_of(refusal), refusal.status, RETRY if refusal.retryable else None, PROBLEM_JSON)


def summary_of(flaws: Iterable[RequestFlaw]) -> str:
    """Return violations as one line of text: each with its location, if it has one."""
    return "; ".join(
        ": ".join(filter(None, (".".join(map(str, flaw["loc"])), flaw["msg"]))) for flaw in flaws
    )


def flaws_of(refusal: Refusal) -> list[RequestFlaw]:
    """Return a refusal of the request's form in OpenEnv's list format."""
    loc = refusal.field.split(".") if refusal.field else []
    return [{"type": refusal.code, "loc": loc, "msg": refusal.detail}]


def answer_failures(app: FastAPI) -> None:
    """Give every failure of `app` a documented response."""
    app.add_exception_handler(Refusal, _on_refusal)
    app.add_exception_handler(Invalid, _on_invalid)
    app.add_exception_handler(RequestValidationError, _on_bad_parameters)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_error)


def _flaw(error: Any) -> RequestFlaw:
    flaw: RequestFlaw = {"type": error["type"], "loc": list(error["loc"]), "msg": error["msg"]}
    if _is_short(error["input"]):
        flaw["input"] = error["input"]
    if "url" in error:
        flaw["url"] = error["url"]
    return flaw


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_INPUT_SHOWN
    return value is None or isinstance(value, bool | int | float)


def _is_openenv(request: Request) -> bool:
    return OPENENV in getattr(request.scope.get("route"), "tags", ())


def _in_body(flaws: Iterable[RequestFlaw]) -> list[RequestFlaw]:
    return [{**flaw, "loc": ["body", *flaw["loc"]]} for flaw in flaws]


def _unprocessable(request: Request, flaws: Sequence[RequestFlaw]) -> Response:
    if _is_openenv(request):
        return Json({"detail": flaws}, 422)
    return problem(422, "invalid_request", summary_of(flaws), errors=flaws)


async def _on_refusal(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    if refusal.status == 422 and _is_openenv(request):
        return _unprocessable(request, _in_body(flaws_of(refusal)))
    return refused(refusal)


async def _on_invalid(request: Request, invalid: Exception) -> Response:
    assert isinstance(invalid, Invalid)
    flaws = _in_body(invalid.flaws)
    if isinstance(invalid, NotJson) and not _is_openenv(request):
        return problem(422, "json_invalid", str(invalid), errors=flaws)
    return _unprocessable(request, flaws)


async def _on_bad_parameters(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _unprocessable(request, [_flaw(found) for found in readable(error.errors(), names=2)])


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return method_not_allowed(_methods(request))
    code = HTTP_CODES.get(error.status_code, "http_error")
    detail = HTTP_DETAILS.get(error.status_code, str(error.detail))
    return problem(error.status_code, code, detail, headers=error.headers)


def _methods(request: Request) -> set[str]:
    """Return the methods of all routes that have the path of a request."""
    path = request.scope["path"]
    routes = [route for route in served_routes(request.app) if getattr(route, "methods", None)]
    methods = {method for route in routes if route.path_regex.match(path) for method in route.methods}
    return methods | {"HEAD"} if "GET" in methods else methods


async def _on_error(_: Request, __: Exception) -> Response:
    # Starlette raises the error again after this response, so it is logged with its traceback, and the server
    # closes the connection.
    detail = "The orchestrator failed. Nothing is wrong with the request."
    return problem(500, "internal_error", detail, headers={"Connection": "close"})
