"""The short way to an operation, past the layers of FastAPI that it has no use for.

FastAPI documents the operations, checks what they take and writes what they return, here as everywhere. But it also
looks for a route through every router anew, opens four exit stacks and solves a tree of dependencies for each request,
which costs more than most operations do. One that takes its path, a query and a JSON body and returns a model needs
none of that. Everything else of an application, and every request out of the ordinary, goes the long way.
"""

import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.datastructures import DefaultPlaceholder
from fastapi.dependencies.utils import request_body_to_args, request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute, serialize_response
from pydantic_core import PydanticUndefined
from starlette.convertors import StringConvertor
from starlette.types import ASGIApp, Receive, Scope, Send

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
#: Finds the short way for a request, if there is one, and notes in the scope what it leads to.
Finder = Callable[[Scope], ASGIApp | None]

JSON = b"application/json"


class Direct(FastAPI):
    """A FastAPI application with a short way to some of its routes: `shortcut` finds it."""

    shortcut: Finder | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        way = None
        if self.shortcut is not None and scope["type"] == "http" and not scope.get("root_path"):
            scope["app"] = self
            way = self.shortcut(scope)
        await (super().__call__ if way is None else way)(scope, receive, send)


def first_of(ways: Iterable[tuple[APIRoute, ASGIApp | None]]) -> Finder:
    """Return a finder over routes in the order in which FastAPI tries them; some of them may have no short way."""
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
    """Return an endpoint as an ASGI application whose failures are answered as `app` says."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        try:
            response = await endpoint(request)
        except Exception as error:
            # Process boundary: the application knows an answer to every failure, to the unknown as well.
            known = next(kind for kind in type(error).__mro__ if kind in app.exception_handlers)
            response = await app.exception_handlers[known](request, error)  # type: ignore[misc]
            await response(scope, receive, send)
            if known is Exception:
                raise
            return
        await response(scope, receive, send)

    return answer


def plain_handler(route: APIRoute, supplied: Callable[..., Awaitable[Any]]) -> Handler | None:
    """Return what FastAPI's own handler of a route does, or None where it would do more than the plain.

    Args:
        route: Takes its path, a query, a JSON body and what `supplied` returns; returns a model.
        supplied: The one dependency it may have, made of the request.
    """
    if not _is_plain(route, supplied):
        return None
    dependant, field, call = route.dependant, route.response_field, route.endpoint
    names = [dependency.name for dependency in dependant.dependencies if dependency.name]
    status = route.status_code or 200

    async def handle(request: Request) -> Response:
        values, errors = request_params_to_args(dependant.path_params, request.path_params)
        if dependant.query_params:
            found, wrong = request_params_to_args(dependant.query_params, request.query_params)
            values, errors = {**values, **found}, errors + wrong
        if dependant.body_params:
            raw = await request.body()
            body = json.loads(raw) if raw else PydanticUndefined
            found, wrong = await request_body_to_args(dependant.body_params, body, route._embed_body_fields)
            values, errors = {**values, **found}, errors + wrong
        if errors:
            raise RequestValidationError(errors)
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
    """Whether a request has no body, as it should, or one that calls itself JSON and nothing else."""
    kinds = [value for name, value in scope["headers"] if name == b"content-type"]
    return kinds == ([] if scope["method"] == "GET" else [JSON])
