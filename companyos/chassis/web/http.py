"""HTTP routing for services: routes that run inside a unit of work.

A route of a `ToolRouter` reads the signed context, opens the unit of work, runs the endpoint, stores the response
under the call's idempotency key, commits, and only then responds. The route class itself enforces this order, so no
endpoint can get it wrong.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.types import ASGIApp

from ..errors import InvalidRequest
from ..world import context as contexts
from ..world.internals import Outcome
from ..world.prefetching import Expected
from ..world.work import UnitOfWork
from . import injected_responses, logs
from .access import Credential, requires
from .fast_path import Finder, Handler, answering, first_of, plain_handler
from .manifest import IDEMPOTENT, INSTEAD, TICK, TOOL, VERSIONED
from .observability import MeasureRequests, Metrics
from .requests import BodyLimit, has_version, refuse_older, refuse_unreadable, target_of

EFFECTS_MEDIA_TYPE = "application/vnd.companyos.effects+json"
DEFAULT_TICK_S = 60
_ESCAPED = re.compile(r'\\(["\\])')

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


async def current_unit(request: Request) -> UnitOfWork:
    """Return the unit of work that the route opened for this request."""
    unit: UnitOfWork = request.state.unit
    return unit


InWorld = Annotated[UnitOfWork, Depends(current_unit)]


@requires(Credential.SIGNED_CONTEXT)
class WorldRoute(APIRoute):
    """A route that runs in the world of its signed context."""

    def get_route_handler(self) -> Handler:
        """Return the endpoint's handler, wrapped in a unit of work."""
        return self._in_world(super().get_route_handler())

    def get_fast_handler(self) -> Handler | None:
        """Return the same handler for the fast path, if the route has one."""
        handler = plain_handler(self, current_unit)
        return None if handler is None else self._in_world(handler)

    def _in_world(self, handler: Handler) -> Handler:
        reads_only = set(self.methods or ()) <= {"GET", "HEAD"}

        async def in_world(request: Request) -> Response:
            context = contexts.read(request.headers.get(contexts.HEADER, ""), request.app.state.context_key)
            logs.bind_subject(request.headers.get(logs.SUBJECT_HEADER, ""), world=context.world)
            body = await request.body()
            given = refuse_unreadable(self, request, body)
            if context.injected_response is not None:
                return injected_responses.answer(context.injected_response)
            if reads_only:
                async with request.app.state.database.reading(context) as unit:
                    request.state.unit = unit
                    response = await handler(request)
                refuse_older(request, response)
                return _reply(request, response, {"changes": [], "events": []})
            arguments = {**(given if isinstance(given, dict) else {}), **request.path_params}
            expected = request.app.state.database.expect(self.unique_id, context, arguments)
            return await _write(handler, request, context, body, expected)

        return in_world


def fast_path(app: FastAPI, metrics: Metrics) -> Finder:
    """Return the finder of fast paths to the operations of this app's tool routers."""
    routes = [route for router in app.state.service.routers for route in router.routes]
    return first_of(
        (route, _measured(app, metrics, route)) for route in routes if isinstance(route, APIRoute)
    )


def _measured(app: FastAPI, metrics: Metrics, route: APIRoute) -> ASGIApp | None:
    handler = route.get_fast_handler() if isinstance(route, WorldRoute) else None
    return handler and MeasureRequests(BodyLimit(answering(app, handler)), metrics=metrics)


class ToolRouter(APIRouter):
    """A router whose operations run in a world and, unless `tool=False`, are tools of agents.

    Its decorators take `tick`, the simulated seconds a call costs; `instead`, a text that names other
    operations of the service that return the same information; and `idempotent`, whether repeating a call does no
    more than making it once, so that it takes no idempotency key. An operation's id is its function's name.
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
        idempotent: bool = False,
        **options: Any,
    ) -> Callable[[Endpoint], Endpoint]:
        """Register an operation; see the class for `tick`, `tool`, `instead` and `idempotent`."""
        marks = {TOOL: True, TICK: tick, INSTEAD: instead} if tool else {}
        marks |= {IDEMPOTENT: True} if idempotent else {}

        def register(endpoint: Endpoint) -> Endpoint:
            name = endpoint.__name__
            self.add_api_route(
                path, endpoint, methods=[method], operation_id=name, openapi_extra=marks, **options
            )
            if has_version(route := self.routes[-1]):  # type: ignore[arg-type]
                route.openapi_extra = {**marks, VERSIONED: True}  # type: ignore[attr-defined]
            return endpoint

        return register

    def get(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register a read-only operation."""
        return self.operation("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that creates or does something."""
        return self.operation("POST", path, **options)

    def put(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that replaces something."""
        return self.operation("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that partially updates something."""
        return self.operation("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an operation that deletes something."""
        return self.operation("DELETE", path, **options)


async def _write(
    handler: Handler, request: Request, context: contexts.Context, body: bytes, expected: Expected
) -> Response:
    app = request.app
    digest = _digest(request, body)
    agent_key = _agent_key(request)
    writes = app.state.database.writing(context, digest, agent_key=agent_key, expected=expected)
    async with writes as writing:
        if writing.replayed is None:
            request.state.unit = writing.unit
            response = await handler(request)
            text = bytes(response.body).decode()
            writing.conclude(app.state.internals.outcome, response.status_code, text)
    if writing.replayed is not None:
        return _replayed(request, writing.replayed, context)
    return _reply(request, response, writing.effects.document())


def _replayed(request: Request, outcome: Outcome, context: contexts.Context) -> Response:
    # If the key is the agent's own, an earlier step did the work, so this step has no effects.
    answer = request.app.state.internals.answers.unpack(outcome.answer)
    effects = answer.effects if outcome.id == context.key else {"changes": [], "events": []}
    stored = Response((answer.body or "").encode(), outcome.status, media_type="application/json")
    return _reply(request, stored, {**effects, "replayed": True})


def _reply(request: Request, response: Response, effects: dict[str, Any]) -> Response:
    if request.headers.get("accept") != EFFECTS_MEDIA_TYPE:
        return response
    body = b'{"result":' + (bytes(response.body) or b"null") + b',"effects":' + orjson.dumps(effects) + b"}"
    return Response(body, response.status_code, media_type=EFFECTS_MEDIA_TYPE)


def _digest(request: Request, body: bytes) -> str:
    target = f"{request.method} {target_of(request)}\n".encode()
    return hashlib.blake2b(target + body, digest_size=16).hexdigest()


def _agent_key(request: Request) -> str | None:
    given = request.headers.get("idempotency-key")
    key = given if given is None else unquoted(given)
    if key is not None and not (0 < len(key) <= 128 and key.isprintable()):
        raise InvalidRequest("An idempotency key is 1 to 128 printable characters.", field="idempotency_key")
    return key


def unquoted(text: str) -> str:
    """Return the content of a quoted string (RFC 8941), and any other text unchanged.

    Spaces around a header's value are ignored; those inside quotes are part of the key.
    """
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return _ESCAPED.sub(r"\1", text[1:-1]) if is_quoted else text
