"""Makes plain JSON values of what libraries hand over: scalars and arrays of NumPy and Arrow, tensors, times, enums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from .errors import InvalidRequest

_SCALARS = (str, bool, int, float, type(None))
#: Methods by which a numeric library returns a value as Python's own: NumPy and tensors, Arrow.
_CONVERSIONS: Final = ("tolist", "as_py")
#: A whole number of so many digits is exact, a larger one a float.
_MOST_DIGITS: Final = 20
#: Types of the values of pandas that stand for none.
_MISSING: Final = frozenset({"NAType", "NaTType"})


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
        # A tuple stays one as a name, or nothing could have it.
        names = (name if isinstance(name, tuple | range) else _plain(name) for name in value)
        return {name: _plain(each) for name, each in zip(names, value.values(), strict=True)}
    if isinstance(value, list | tuple | range):
        return [_plain(each) for each in value]
    if isinstance(value, str):
        return str(value)
    for name in _CONVERSIONS:
        if not isinstance(value, type) and callable(converted := getattr(value, name, None)):
            # A type of numbers that Python lacks, such as `numpy.longdouble`, converts to itself.
            found = converted()
            return found if type(found) is type(value) else _plain(found)
    return _in_json(value)


def _in_json(value: Any) -> Any:
    """Return a value of Python's library as JSON has it, as columns of tables hold them; all else stays as it is."""
    if _is_none_of_pandas(value):
        return None
    match value:
        case Decimal():
            return _number_of(value)
        case UUID() | PurePath():
            return str(value)
        case date() | time():
            return value.isoformat()
        case bytes() | bytearray():
            return value.decode(errors="surrogateescape")
    return value


def _number_of(value: Decimal) -> int | float:
    """Return a decimal as the number of JSON that it is; infinite if JSON has none that large."""
    if value.is_nan():
        return math.nan
    # Of a larger power of ten, the digits would have to be written out.
    is_whole = value.is_finite() and value.adjusted() < _MOST_DIGITS and value == int(value)
    return int(value) if is_whole else float(value)


def _is_none_of_pandas(value: Any) -> bool:
    return type(value).__name__ in _MISSING


def is_missing(value: Any) -> bool:
    """Return whether a value is what tables write where a row has none: None, NaN, empty text, or a record of those."""
    if isinstance(value, str):
        return not value
    if isinstance(value, Mapping) and value:
        return all(map(is_missing, value.values()))
    return value is None or _is_none_of_pandas(value) or (isinstance(value, float) and math.isnan(value))


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
