"""Strict parsing of bodies and messages: one JSON value of bounded depth, whose text databases can store."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request

from ...protocol.strict_json import RepeatedKey, read_json
from .answers import Invalid, NotJson, RequestFlaw

#: The limits on a request over every transport: an HTTP body, a WebSocket message, a batch.
MAX_BODY_BYTES = 256 * 1024
TOO_LARGE = f"A body may have {MAX_BODY_BYTES // 1024} KiB here."
MAX_DEPTH = 32
NUL_ESCAPED = b"\\u0000"
#: What some editors and shells put before a text; RFC 8259 lets a reader pass over it.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def parse(raw: bytes) -> Any:
    """Return the JSON value of `raw`.

    Raises:
        NotJson: The bytes are not JSON in UTF-8.
        Invalid: The value is larger than 256 KiB, nested deeper than 32 levels, contains U+0000, or has a key twice in
            one object.
    """
    if len(raw) > MAX_BODY_BYTES:
        # An HTTP body that is too large never gets here; a WebSocket has to continue.
        raise Invalid({"type": "body_too_large", "loc": [], "msg": TOO_LARGE})
    try:
        value = read_json(raw.removeprefix(BYTE_ORDER_MARK))
    except orjson.JSONDecodeError as error:
        flaw: RequestFlaw = {
            "type": "json_invalid",
            "loc": [error.pos],
            "msg": f"JSON decode error: {error.msg}",
        }
        raise NotJson(flaw) from None
    except RepeatedKey as error:
        raise Invalid({"type": "key_repeated", "loc": [], "msg": str(error)}) from None
    # Counting brackets is a memchr; only values that could be too deep are walked.
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth_exceeds(value, MAX_DEPTH):
        msg = f"Nesting deeper than {MAX_DEPTH} levels is not accepted"
        raise Invalid({"type": "too_deep", "loc": [], "msg": msg})
    if NUL_ESCAPED in raw and _holds_nul(value):
        raise Invalid({"type": "nul_character", "loc": [], "msg": "Text must not hold the character U+0000"})
    return value


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of `request`, which takes nothing else; an empty body is an empty object.

    Raises:
        Invalid: The body is not a JSON object, or the URL has parameters, which would have no effect.
    """
    if names := list(request.query_params) if request.scope["query_string"] else ():
        msg = f"Send {names[0]!r} in the JSON body: the URL of this route has no parameters"
        raise Invalid({"type": "parameter_misplaced", "loc": names[:1], "msg": msg})
    raw = await request.body()
    return as_object(parse(raw)) if raw else {}


def as_object(value: Any) -> dict[str, Any]:
    """Return `value` if it is a JSON object.

    Raises:
        Invalid: The value is not a JSON object.
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
