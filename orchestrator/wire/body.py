"""Bodies and messages read strictly: one JSON value, of bounded depth, that every store can hold."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request

from .answers import Flaw, Invalid

MAX_DEPTH = 32
NUL_ESCAPED = b"\\u0000"


class NotJson(Invalid):
    """The bytes are no JSON at all: broken syntax, wrong encoding, NaN, or a number beyond any double."""


def parse(raw: bytes) -> Any:
    """Return the JSON value of `raw`.

    Raises:
        NotJson: It is not JSON in UTF-8.
        Invalid: It is nested deeper than 32 levels, or a text in it holds U+0000.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        flaw: Flaw = {"type": "json_invalid", "loc": [error.pos], "msg": f"JSON decode error: {error.msg}"}
        raise NotJson(flaw) from None
    # Counting brackets is a memchr; only what could be too deep is walked.
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth_exceeds(value, MAX_DEPTH):
        msg = f"Nesting deeper than {MAX_DEPTH} levels is not accepted"
        raise Invalid({"type": "too_deep", "loc": [], "msg": msg})
    if NUL_ESCAPED in raw and _holds_nul(value):
        raise Invalid({"type": "nul_character", "loc": [], "msg": "Text must not hold the character U+0000"})
    return value


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of `request`; an empty body is an empty object.

    Raises:
        Invalid: The body is something else.
    """
    raw = await request.body()
    return as_object(parse(raw)) if raw else {}


def as_object(value: Any) -> dict[str, Any]:
    """Return `value` if it is a JSON object.

    Raises:
        Invalid: It is not.
    """
    if isinstance(value, dict):
        return value
    raise Invalid({"type": "dict_type", "loc": [], "msg": "Input should be an object"})


def _depth_exceeds(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [child for parent in level for child in _children(parent) if isinstance(child, dict | list)]
    return bool(level)


def _holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    keys = value if isinstance(value, dict) else ()
    return any(map(_holds_nul, keys)) or any(map(_holds_nul, _children(value)))


def _children(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
