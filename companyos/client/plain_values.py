"""Makes plain JSON values of what libraries hand over: NumPy's scalars and arrays, tensors, tuples, enums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from .errors import InvalidRequest

_SCALARS = (str, bool, int, float, type(None))


def plain(value: Any) -> Any:
    """Return a value with every scalar and array of a numeric library as Python's own; all else stays as it is."""
    try:
        return _plain(value)
    except RecursionError:
        # It holds itself, or nests deeper than any server reads.
        return value


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value)
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {_plain(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(each) for each in value]
    if isinstance(value, str):
        return str(value)
    if not isinstance(value, type) and callable(converted := getattr(value, "tolist", None)):
        # A type of numbers that Python lacks, such as `numpy.longdouble`, converts to itself.
        found = converted()
        return found if type(found) is type(value) else _plain(found)
    return value


def is_missing(value: Any) -> bool:
    """Return whether a value is what tables write where a row has none: None, NaN or empty text."""
    if isinstance(value, str):
        return not value
    return value is None or (isinstance(value, float) and math.isnan(value))


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a reset as plain JSON values.

    Raises:
        InvalidRequest: A value has no JSON form. The message names the option and its type; nothing was sent.
    """
    found = {name: plain(value) for name, value in options.items()}
    for name, value in found.items():
        try:
            fault = _fault(value)
        except RecursionError:
            fault = "a value that nests so deep"
        if fault is not None:
            raise InvalidRequest(422, "invalid_request", f"{name}: {fault} cannot be sent as JSON")
    return found


def _fault(value: Any) -> str | None:
    """Return what has no JSON form in a plain value, or None."""
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the number {value}"
    if isinstance(value, str):
        return None if value.isascii() or _is_whole(value) else "text with half a character"
    if isinstance(value, _SCALARS):
        return None
    if isinstance(value, dict):
        odd = next((name for name in value if not isinstance(name, str)), None)
        within = (_fault(each) for part in value.items() for each in part)
        return next(filter(None, within), None) if odd is None else f"a name of type {type(odd).__name__}"
    if isinstance(value, list):
        return next(filter(None, map(_fault, value)), None)
    return f"a value of type {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def _is_whole(text: str) -> bool:
    """Return whether text is whole characters: half of a surrogate pair is in no encoding of a request."""
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False
