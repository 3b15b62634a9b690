"""HTTP for services: routes that run inside a unit of work, wire types, and problem documents.

A route of a `ToolRouter` runs as: read the signed context, open the unit of work, run the endpoint, store the
reply under the call's idempotency key, commit, and only then answer. That order is the route class itself, so no
endpoint can get it wrong.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import unquote

import orjson
import psycopg
import structlog
from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from companyos.simtime import to_iso

from . import context as contexts
from . import verdicts
from .direct import Finder, Handler, answering, first_of, plain_handler
from .errors import BodyTooLarge, InvalidRequest, ServiceError, VersionNotReached, problem
from .internals import Outcome
from .manifest import INSTEAD, TICK, TOOL, VERSIONED
from .observability import MeasureRequests, Metrics
from .problems import database_unavailable, internal_error, problem_response, refusal
from .work import UnitOfWork

EFFECTS_MEDIA_TYPE = "application/vnd.companyos.effects+json"
DEFAULT_TICK_S = 60
MAX_BODY_BYTES = 256 * 1024
MAX_DEPTH = 32

log = structlog.get_logger(__name__)

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Item = TypeVar("Item")


class Body(BaseModel):
    """A request body: unknown fields and other types are refused, not guessed at."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class View(BaseModel):
    """A response, read off a row's attributes."""

    model_config = ConfigDict(from_attributes=True)


class Page(View, Generic[Item]):
    """One page of a list in key order."""

    items: list[Item]
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last one.")


class PageQuery(BaseModel):
    """Which page of a list; lists with filters extend it."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=200, description="The most items to return.")
    cursor: str | None = Field(None, max_length=200, description="`next_cursor` of the page before.")


PageOf = Annotated[PageQuery, Query()]

#: An instant of simulated time: seconds in rows, ISO 8601 on the wire.
SimTime = Annotated[
    int, PlainSerializer(to_iso, return_type=str), Field(json_schema_extra={"format": "date-time"})
]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=100)]
GREATEST_VERSION = 2**31
Version = Annotated[int, Field(ge=1, le=GREATEST_VERSION)]

#: The query argument by which a reader of one object says how new it must be.
MIN_VERSION = "min_version"


def page_of(rows: Sequence[Any], limit: int) -> dict[str, Any]:
    """Return rows as a page. A full page has a cursor, even where the next one turns out empty."""
    return {"items": list(rows), "next_cursor": rows[-1].id if len(rows) == limit else None}


async def current_unit(request: Request) -> UnitOfWork:
    """Return the unit of work that the route opened for this request."""
    unit: UnitOfWork = request.state.unit
    return unit


InWorld = Annotated[UnitOfWork, Depends(current_unit)]


class WorldRoute(APIRoute):
    """A route that runs in the world of its signed context."""

    def get_route_handler(self) -> Handler:
        """Return the endpoint's handler, wrapped in its unit of work."""
        return self._in_world(super().get_route_handler())

    def get_direct_handler(self) -> Handler | None:
        """Return the same for the short way, where the route has one."""
        handler = plain_handler(self, current_unit)
        return None if handler is None else self._in_world(handler)

    def _in_world(self, handler: Handler) -> Handler:
        reads_only = set(self.methods or ()) <= {"GET", "HEAD"}

        async def in_world(request: Request) -> Response:
            context = contexts.read(request.headers.get(contexts.HEADER, ""), request.app.state.context_key)
            body = await request.body()
            _refuse_unreadable(self, request, body)
            if context.verdict is not None:
                return verdicts.answer(context.verdict)
            if reads_only:
                async with request.app.state.database.reading(context) as unit:
                    request.state.unit = unit
                    response = await handler(request)
                _refuse_older(request, response)
                return _reply(request, response, {"changes": [], "events": []})
            return await _write(handler, request, context, body)

        return in_world


def shortcut(app: FastAPI, metrics: Metrics) -> Finder:
    """Return the finder of short ways to the operations of this app's tool routers."""
    routes = [route for router in app.state.service.routers for route in router.routes]
    return first_of((route, _direct(app, metrics, route)) for route in routes if isinstance(route, APIRoute))


def _direct(app: FastAPI, metrics: Metrics, route: APIRoute) -> ASGIApp | None:
    handler = route.get_direct_handler() if isinstance(route, WorldRoute) else None
    return handler and MeasureRequests(BodyLimit(answering(app, handler)), metrics=metrics)


class ToolRouter(APIRouter):
    """A router whose operations run in a world and, unless `tool=False`, are tools of agents.

    Its decorators take `tick`, the simulated seconds a call costs, and `instead`, by which other operations of the
    service one gets to know the same, in words. An operation's id is its function's name.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=WorldRoute, **options)

    def operation(
        self,
        method: str,
        path: str,
        *,
        tool: bool = True,
        tick: int = DEFAULT_TICK_S,
        instead: str = "",
        **options: Any,
    ) -> Callable[[Endpoint], Endpoint]:
        """Register an operation; see the class for `tick`, `tool` and `instead`."""
        marks = {TOOL: True, TICK: tick, INSTEAD: instead} if tool else {}

        def register(endpoint: Endpoint) -> Endpoint:
            name = endpoint.__name__
            self.add_api_route(
                path, endpoint, methods=[method], operation_id=name, openapi_extra=marks, **options
            )
            if _has_version(route := self.routes[-1]):  # type: ignore[arg-type]
                route.openapi_extra = {**marks, VERSIONED: True}  # type: ignore[attr-defined]
            return endpoint

        return register

    def get(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that only reads."""
        return self.operation("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that adds or does something."""
        return self.operation("POST", path, **options)

    def put(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that replaces something."""
        return self.operation("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that changes parts of something."""
        return self.operation("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that removes something."""
        return self.operation("DELETE", path, **options)


async def _write(handler: Handler, request: Request, context: contexts.Context, body: bytes) -> Response:
    app = request.app
    digest = _digest(request, body)
    agent_key = _agent_key(request)
    async with app.state.database.writing(context, digest, agent_key=agent_key) as writing:
        if writing.replayed is None:
            request.state.unit = writing.unit
            response = await handler(request)
            text = bytes(response.body).decode()
            writing.conclude(app.state.internals.outcome, response.status_code, text)
    if writing.replayed is not None:
        return _replayed(request, writing.replayed, context)
    return _reply(request, response, writing.effects.document())


def _replayed(request: Request, outcome: Outcome, context: contexts.Context) -> Response:
    # Under the agent's own key the work was done in an earlier step, so this step caused nothing.
    effects = outcome.effects if outcome.id == context.key else {"changes": [], "events": []}
    stored = Response((outcome.body or "").encode(), outcome.status, media_type="application/json")
    return _reply(request, stored, {**effects, "replayed": True})


def _reply(request: Request, response: Response, effects: dict[str, Any]) -> Response:
    if request.headers.get("accept") != EFFECTS_MEDIA_TYPE:
        return response
    body = b'{"result":' + (bytes(response.body) or b"null") + b',"effects":' + orjson.dumps(effects) + b"}"
    return Response(body, response.status_code, media_type=EFFECTS_MEDIA_TYPE)


def _digest(request: Request, body: bytes) -> str:
    target = f"{request.method} {_target(request)}\n".encode()
    return hashlib.blake2b(target + body, digest_size=16).hexdigest()


def _agent_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= 128 and key.isprintable()):
        raise InvalidRequest("An idempotency key is 1 to 128 printable characters.", field="idempotency_key")
    return key


def _refuse_unreadable(route: WorldRoute, request: Request, body: bytes) -> None:
    """Refuse what no endpoint should see: parameters it has not, text PostgreSQL cannot hold, JSON that is not."""
    if "\x00" in unquote(_target(request)):
        raise InvalidRequest("The character U+0000 is not allowed.")
    if request.scope["query_string"]:
        _refuse_unknown_parameters(route, request)
    if body:
        _refuse_unreadable_json(body)


def _target(request: Request) -> str:
    return f"{request.scope['path']}?{request.scope['query_string'].decode('latin-1')}"


def _refuse_unknown_parameters(route: WorldRoute, request: Request) -> None:
    given = Counter(name for name, _ in request.query_params.multi_items())
    if unknown := given.keys() - _query_names(route):
        name = min(unknown)
        raise InvalidRequest(f"There is no parameter {name!r} here. Leave it out.", field=name)
    if repeated := [name for name, times in given.items() if times > 1]:
        name = min(repeated)
        raise InvalidRequest(f"The parameter {name!r} is given more than once. Give it once.", field=name)


def _refuse_older(request: Request, response: Response) -> None:
    """Refuse to show an object that is older than the caller asks for."""
    asked = request.query_params.get(MIN_VERSION)
    if asked is None:
        return
    if not (asked.isdecimal() and asked.isascii() and 1 <= int(asked[:20]) <= GREATEST_VERSION):
        raise InvalidRequest("A version is a whole number from 1.", field=MIN_VERSION)
    version = orjson.loads(bytes(response.body))["version"]
    if version < int(asked):
        raise VersionNotReached(version, int(asked))


def _refuse_unreadable_json(body: bytes) -> None:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The body is not strict JSON in UTF-8: {error}.") from error
    if _depth_exceeds(value, MAX_DEPTH):
        raise InvalidRequest(f"The body is nested deeper than {MAX_DEPTH} levels.")
    if b"\\u0000" in body and "\\u0000" in orjson.dumps(value).decode().replace("\\\\", ""):
        raise InvalidRequest("The character U+0000 is not allowed.")


def _depth_exceeds(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_depth_exceeds(item, levels - 1) for item in inner)


def _query_names(route: WorldRoute) -> set[str]:
    cached: set[str] | None = getattr(route, "_query_parameter_names", None)
    if cached is None:
        names: set[str] = set()
        for parameter in route.dependant.query_params:
            annotation = parameter.field_info.annotation
            is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
            names |= set(annotation.model_fields) if is_model else {parameter.alias}  # type: ignore[union-attr]
        cached = names | ({MIN_VERSION} if _has_version(route) else set())
        route._query_parameter_names = cached  # type: ignore[attr-defined]
    return cached


def _has_version(route: APIRoute) -> bool:
    """Whether a route reads one object that has versions."""
    fields = getattr(route.response_model, "model_fields", {})
    return "GET" in (route.methods or ()) and {"id", "version"} <= fields.keys()


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


class BodyLimit:
    """ASGI middleware that refuses bodies above `MAX_BODY_BYTES`, whatever length the request claims."""

    def __init__(self, app: ASGIApp, *, unlimited: str = "/admin/") -> None:
        self._app = app
        self._unlimited = unlimited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(self._unlimited):
            await self._app(scope, receive, send)
            return
        try:
            await self._app(scope, _limited(receive), send)
        except BodyTooLarge as error:
            await refusal(error)(scope, receive, send)


def _limited(receive: Receive) -> Receive:
    total = 0

    async def counted() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY_BYTES:
            raise BodyTooLarge(f"A body has at most {MAX_BODY_BYTES // 1024} KiB here.")
        return message

    return counted
