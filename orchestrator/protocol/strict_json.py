"""Strict JSON: the values an action may contain, which every database and every client can represent."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

MAX_DEPTH = 32
MAX_VALUES = 20_000
INTEGERS = range(-(2**63), 2**63)
#: The integers that JSON readers represent exactly.
READABLE = range(-(2**63), 2**64)


class ActionRefused(ValueError):
    """The value is not an action; `field` names the invalid part."""

    def __init__(self, detail: str, field: str | None = None) -> None:
        super().__init__(detail)
        self.field = field


class ActionTooLarge(ActionRefused):
    """The value is JSON, but has too much content or too large a number for any tool."""


class RepeatedKey(ValueError):
    """An object has a key twice: parsers disagree about which of the values counts."""

    def __init__(self, key: str) -> None:
        super().__init__(f"An object has the key {key!r} twice")


def read_json(text: bytes | str) -> Any:
    """Return the JSON value in a text.

    Raises:
        orjson.JSONDecodeError: It is not JSON in UTF-8.
        RepeatedKey: It has two readings.
    """
    value = orjson.loads(text)
    if isinstance(value, dict | list) and value:
        try:
            _KEYS.decode(text if isinstance(text, str) else text.decode())
        except RecursionError:
            pass  # deeper than any request may be, which is refused for its depth
    return value


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that was there before, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    if (key := repeated(key for key, _ in pairs)) is not None:
        raise RepeatedKey(key)


#: Looks at keys only: numbers stay text.
_KEYS = json.JSONDecoder(object_pairs_hook=_refuse_repeated, parse_int=str, parse_float=str)


def check_json(value: Any) -> None:
    """Refuse JSON that is not portable: NaN, wide integers, lone surrogates, excessive depth.

    Raises:
        ActionRefused: The message names the location.
    """
    for count, (path, item) in enumerate(_walk(value)):
        if len(path) > MAX_DEPTH:
            raise ActionRefused(f"An action is nested at most {MAX_DEPTH} levels deep.", _spell_path(path))
        if count >= MAX_VALUES:
            raise ActionTooLarge(f"An action holds at most {MAX_VALUES} values.", _spell_path(path))
        if (wrong := _not_strict(item)) is not None:
            field = _spell_path(path)
            kind = ActionTooLarge if isinstance(item, int) and item in READABLE else ActionRefused
            raise kind(f"{field or 'The action'} {wrong}.", field)


def _walk(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield (path, value) for everything in a JSON value, using a stack instead of recursion."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        yield path, item
        if isinstance(item, dict):
            waiting.extend(((*path, key), inner) for key, inner in item.items())
        elif isinstance(item, list):
            waiting.extend(((*path, number), inner) for number, inner in enumerate(item))


def _spell_path(path: tuple[Any, ...]) -> str:
    return ".".join(key if isinstance(key, str) and not _surrogates(key) else repr(key) for key in path)


def _not_strict(item: Any) -> str | None:
    match item:
        case None | bool() | list():
            return None
        case str():
            return "is not valid Unicode text" if _surrogates(item) else None
        case int():
            return None if item in INTEGERS else "is a whole number beyond 64 bits"
        case float():
            return None if math.isfinite(item) else "is not a finite number"
        case dict():
            bad = any(not isinstance(key, str) or _surrogates(key) for key in item)
            return "has a key that is not valid Unicode text" if bad else None
    return "is not JSON"


def _surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
