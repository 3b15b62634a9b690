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
    if isinstance(value, Enum):
        return plain(value.value)
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {plain(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(each) for each in value]
    if isinstance(value, str):
        return str(value)
    if not isinstance(value, type) and callable(converted := getattr(value, "tolist", None)):
        # A type of numbers that Python lacks, such as `numpy.longdouble`, converts to itself.
        found = converted()
        return found if type(found) is type(value) else plain(found)
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
        if (fault := _fault(value)) is not None:
            raise InvalidRequest(422, "invalid_request", f"{name}: {fault} cannot be sent as JSON")
    return found


def _fault(value: Any) -> str | None:
    """Return what has no JSON form in a plain value, or None."""
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the number {value}"
    if isinstance(value, _SCALARS):
        return None
    if isinstance(value, dict):
        odd = next((name for name in value if not isinstance(name, str)), None)
        within = (_fault(each) for each in value.values())
        return next(filter(None, within), None) if odd is None else f"a name of type {type(odd).__name__}"
    if isinstance(value, list):
        return next(filter(None, map(_fault, value)), None)
    return f"a value of type {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")
