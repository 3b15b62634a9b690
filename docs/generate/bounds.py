"""The bounds of an argument in a few words for the reference page of tools, from its JSON Schema."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

#: Upper bounds that are not worth a word: that of every id, the longest text, and the largest version.
_LENGTH: Final = 100
_LARGEST: Final = 2_000_000_000


def bounds(schema: Mapping[str, Any]) -> str:
    """Return the bounds and the default of an argument, in parentheses; empty if there are none worth a word."""
    default = [f"default {schema['default']}"] if schema.get("default") not in (None, [], "") else []
    listed = ", ".join([*_limits(schema), *default])
    return f" ({listed})" if listed else ""


def _limits(schema: Mapping[str, Any]) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        yield f"more than {schema['exclusiveMinimum']:g}"
    if most is not None and most < _LARGEST:
        yield _span(least, most)
    elif least not in (None, 1):
        yield _span(least, None)
    for noun in ("Items", "Properties"):
        fewest, largest = schema.get(f"min{noun}"), schema.get(f"max{noun}")
        if fewest or largest:
            yield f"{_span(fewest, largest)} {'items' if noun == 'Items' else 'entries'}"
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", _LENGTH)
    if shortest > 1 or longest < _LENGTH:
        yield f"{_span(shortest or None, longest if longest < _LENGTH else None)} characters"


def _span(least: float | None, most: float | None) -> str:
    """Return a range of numbers in words."""
    if least is None:
        return f"at most {_number(most)}"
    return f"at least {_number(least)}" if most is None else f"{_number(least)} to {_number(most)}"


def _number(value: float | None) -> str:
    return f"{value:,.0f}" if value is not None and value == int(value) else f"{value:g}"
