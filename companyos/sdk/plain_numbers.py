"""Numbers in settings and requests: a whole float counts as an integer, and a number written as text as that number.

Data sets, command lines and numeric libraries write `4.0` and `"4"` where an integer is meant, and neither can mean
anything else in a field that takes only numbers.
"""

from __future__ import annotations

import re
from typing import Any, Final

#: The largest integer that a float represents exactly.
EXACT: Final = 2**53
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}(\.0+)?")
_DECIMAL: Final = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,19})?")


def whole(value: Any) -> Any:
    """Return the integer that a value can only mean, or the value itself."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value.partition(".")[0])
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return int(value)
    return value


def decimal(value: Any) -> Any:
    """Return the number that a text is, or the value itself."""
    return float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else value
