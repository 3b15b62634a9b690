"""A fast path to operations that bypasses unneeded layers of FastAPI.

FastAPI still documents these operations, validates their input and serializes their output. But for each
request it also searches every router for a route, opens four exit stacks and resolves a dependency tree,
which costs more than most operations do. An operation needs none of that if it takes only path parameters, a
query and a JSON body and returns a model. All other routes, and all unusual requests, take the normal path. So does
everything under a release of FastAPI that is newer than `NEWEST_KNOWN`, because the fast path uses its internals.
"""

import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

import fastapi
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic_core import PydanticUndefined
from starlette.convertors import StringConvertor
from starlette.types import ASGIApp, Receive, Scope, Send

#: The newest release of FastAPI, without its patch, whose internals the tests have seen.
NEWEST_KNOWN = (0, 165)
IS_KNOWN = tuple(map(int, fastapi.__version__.split(".")[:2])) <= NEWEST_KNOWN
if IS_KNOWN:
    from fastapi.datastructures import DefaultPlaceholder
    from fastapi.dependencies.utils import request_body_to_args, request_params_to_args
    from fastapi.routing import serialize_response

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
#: Finds the fast path of a request, if any, and records its route in the scope.
Finder = Callable[[Scope], ASGIApp | None]

JSON = b"application/json"


class FastPathApp(FastAPI):
    """A FastAPI application with a fast path, found by `fast_path`, to some of its routes."""

    fast_path: Finder | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        way = None
        if self.fast_path is not None and scope["type"] == "http" and not scope.get("root_path"):
            scope["app"] = self
            way = self.fast_path(scope)
        await (super().__call__ if way is None else way)(scope, receive, send)


def first_of(ways: Iterable[tuple[APIRoute, ASGIApp | None]]) -> Finder:
    """Return a finder over routes in FastAPI's matching order; some routes may have no fast path."""
    by_method: dict[str, list[tuple[APIRoute, ASGIApp | None]]] = {}
    for route, way in ways:
        for method in route.methods or ():
            by_method.setdefault(method, []).append((route, way))

    def find(scope: Scope) -> ASGIApp | None:
        for route, way in by_method.get(scope["method"], ()):
            if found := route.path_regex.match(scope["path"]):
                if way is None or not _is_ordinary(scope):
                    return None
                scope["path_params"], scope["route"] = found.groupdict(), route
                return way
        return None

    return find


def answering(app: FastAPI, endpoint: Handler) -> ASGIApp:
    """Return an endpoint as an ASGI application with the exception handlers of `app`."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        try:
            response = await endpoint(request)
        except Exception as error:
            # Process boundary: the application's handlers answer every exception, unknown ones included.
            known = next(kind for kind in type(error).__mro__ if kind in app.exception_handlers)
            response = await app.exception_handlers[known](request, error)  # type: ignore[misc]
            await response(scope, receive, send)
            if known is Exception:
                raise
            return
        await response(scope, receive, send)

    return answer


def plain_handler(route: APIRoute, supplied: Callable[..., Awaitable[Any]]) -> Handler | None:
    """Return the equivalent of FastAPI's handler of a route, or None if the route needs more.

    Args:
        route: Takes its path, a query, a JSON body and the result of `supplied`; returns a model.
        supplied: The only dependency it may have, computed from the request.
    """
    if not IS_KNOWN or not _is_plain(route, supplied):
        return None
    dependant, field, call = route.dependant, route.response_field, route.endpoint
    names = [dependency.name for dependency in dependant.dependencies if dependency.name]
    in_path = [(field, field.alias, ("path", field.alias)) for field in dependant.path_params]
    status = route.status_code or 200

    async def handle(request: Request) -> Response:
        values: dict[str, Any] = {}
        errors: list[Any] = []
        body: Any = None
        for param, alias, place in in_path:
            # The path matched, so each parameter has a value.
            values[param.name], wrong = param.validate(request.path_params[alias], values, loc=place)
            errors += wrong
        if dependant.query_params:
            found, wrong = request_params_to_args(dependant.query_params, request.query_params)
            values, errors = {**values, **found}, errors + wrong
        if dependant.body_params:
            raw = await request.body()
            body = json.loads(raw) if raw else PydanticUndefined
            found, wrong = await request_body_to_args(dependant.body_params, body, route._embed_body_fields)
            values, errors = {**values, **found}, errors + wrong
        if errors:
            raise RequestValidationError(errors, body=body)
        result = await call(**values, **{name: await supplied(request) for name in names})
        content = await serialize_response(field=field, response_content=result, dump_json=True)
        return Response(content, status, media_type="application/json")

    return handle


def _is_plain(route: APIRoute, supplied: Callable[..., Awaitable[Any]]) -> bool:
    takes = route.dependant
    special = (
        takes.header_params
        or takes.cookie_params
        or takes.request_param_name
        or takes.http_connection_param_name
        or takes.response_param_name
        or takes.background_tasks_param_name
        or takes.security_scopes_param_name
    )
    return (
        not special
        and all(dependency.call is supplied for dependency in takes.dependencies)
        and all(isinstance(kind, StringConvertor) for kind in route.param_convertors.values())
        and route.response_field is not None
        and isinstance(route.response_class, DefaultPlaceholder)
    )


def _is_ordinary(scope: Scope) -> bool:
    """Return whether a request has no body where none is expected, or a plain JSON body."""
    kinds = [value for name, value in scope["headers"] if name == b"content-type"]
    return kinds == ([] if scope["method"] == "GET" else [JSON])
