"""Checks of a request before its endpoint runs."""

import math
from collections import Counter
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import BodyTooLarge, InvalidRequest, VersionNotReached
from .problems import refusal
from .views import GREATEST_VERSION, MIN_VERSION

MAX_BODY_BYTES = 256 * 1024
MAX_DEPTH = 32
NUL = "\0"
NOT_UTF8 = "The URL is not UTF-8. Percent-encode the bytes of UTF-8 text, such as %C3%BC for ü."
_NO_NUL = "Remove the character U+0000, which no text can hold."


class BodyLimit:
    """ASGI middleware that refuses bodies above `MAX_BODY_BYTES`, and drops requests that end before their body."""

    def __init__(self, app: ASGIApp, *, unlimited: str = "/admin/") -> None:
        self._app = app
        self._unlimited = unlimited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = math.inf if scope["path"].startswith(self._unlimited) else MAX_BODY_BYTES
        try:
            await self._app(scope, _limited(receive, most), send)
        except ClientDisconnect:
            return
        except BodyTooLarge as error:
            await refusal(error)(scope, receive, send)


def _limited(receive: Receive, most: float) -> Receive:
    total = 0

    async def counted() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > most:
            raise BodyTooLarge(f"The body exceeds {MAX_BODY_BYTES // 1024} KiB. Send less.")
        return message

    return counted


def refuse_unreadable(route: APIRoute, request: Request, body: bytes) -> Any:
    """Check the query and return the parsed body, or None if there is none.

    Raises:
        InvalidRequest: Unknown parameters, text that PostgreSQL cannot store, or malformed JSON.
    """
    if not is_text(request.scope["query_string"]):
        raise InvalidRequest(NOT_UTF8)
    if NUL in unquote(request.scope["query_string"].decode("latin-1")):
        raise InvalidRequest(_NO_NUL)
    if request.scope["query_string"]:
        _refuse_unknown_parameters(route, request)
    return _readable_json(body) if body else None


def is_text(encoded: bytes) -> bool:
    """Return whether a part of a URL, or a form, is text in UTF-8, with `%` before bytes in hexadecimal."""
    try:
        unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError:
        return False
    return True


def target_of(request: Request) -> str:
    """Return the requested path and query as sent."""
    return f"{request.scope['path']}?{request.scope['query_string'].decode('latin-1')}"


def _refuse_unknown_parameters(route: APIRoute, request: Request) -> None:
    given = Counter(name for name, _ in request.query_params.multi_items())
    if unknown := given.keys() - _query_names(route):
        name = min(unknown)
        known = sorted(_query_names(route))
        raise InvalidRequest(
            f"This operation has no such parameter. Leave it out: {name!r}.", field=name, allowed_values=known
        )
    if repeated := [name for name, times in given.items() if times > 1]:
        name = min(repeated)
        raise InvalidRequest(f"A parameter is given more than once. Give it once: {name!r}.", field=name)


def refuse_older(request: Request, response: Response) -> None:
    """Refuse to return an object older than the requested version."""
    asked = request.query_params.get(MIN_VERSION)
    if asked is None:
        return
    asked = asked.removesuffix(".0")
    if not (asked.isdecimal() and asked.isascii() and 1 <= int(asked[:20]) <= GREATEST_VERSION):
        raise InvalidRequest("A version is a whole number from 1.", field=MIN_VERSION)
    version = orjson.loads(bytes(response.body))["version"]
    if version < int(asked):
        raise VersionNotReached(version, int(asked))


def _readable_json(body: bytes) -> Any:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The body is not strict JSON in UTF-8: {error}.") from error
    if _depth_exceeds(value, MAX_DEPTH):
        raise InvalidRequest(f"The body is nested deeper than {MAX_DEPTH} levels.")
    if b"\\u0000" in body and "\\u0000" in orjson.dumps(value).decode().replace("\\\\", ""):
        raise InvalidRequest(_NO_NUL)
    return value


def _depth_exceeds(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_depth_exceeds(item, levels - 1) for item in inner)


def _query_names(route: APIRoute) -> set[str]:
    cached: set[str] | None = getattr(route, "_query_parameter_names", None)
    if cached is None:
        names: set[str] = set()
        for parameter in route.dependant.query_params:
            annotation = parameter.field_info.annotation
            is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
            names |= set(annotation.model_fields) if is_model else {parameter.alias}  # type: ignore[union-attr]
        cached = names | ({MIN_VERSION} if has_version(route) else set())
        route._query_parameter_names = cached  # type: ignore[attr-defined]
    return cached


def has_version(route: APIRoute) -> bool:
    """Return whether a route returns one versioned object."""
    fields = getattr(route.response_model, "model_fields", {})
    return "GET" in (route.methods or ()) and {"id", "version"} <= fields.keys()
