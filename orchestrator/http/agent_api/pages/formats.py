"""How pages write what services return: which parts of an object get room, and values as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .fields import label_of
from .instants import written_instant
from .site import Layout

_PERSON: Final = re.compile(r"([a-z])[a-z-]*\.([a-z])[a-z-]*[0-9]*")
#: Colors of people's initials.
HUES: Final = 6
#: A longer text is a paragraph of its own.
_LONGEST_FACT: Final = 90
#: Parts of a list's answer that are not its objects.
_LIST_PARTS: Final = ("items", "total", "next_cursor")
_MONEY: Final = re.compile("(^|_)(amount|total|price)$")
#: A name that a program gave: words joined by underscores.
_SLUG: Final = re.compile("[a-z0-9]+(_[a-z0-9]+)+")
_SECONDS_OF: Final[Mapping[str, int]] = {"d": 86_400, "h": 3600, "min": 60, "s": 1}


@dataclass(frozen=True)
class ObjectParts:
    """An object as its page shows it.

    Attributes:
        measure: The main number and its unit, as one text; empty if it has none.
        sections: What gets room, by field, its text first.
        facts: Its short values, by field.
    """

    measure: str
    sections: Mapping[str, Any]
    facts: Mapping[str, Any]


def parts_of(result: Mapping[str, Any], layout: Layout, named: str | None) -> ObjectParts:
    """Return the parts of an object.

    Args:
        result: The object.
        layout: The layout of its page.
        named: The id that the page shows above it.
    """
    measure = [] if is_empty(result.get(next(iter(layout.measure), ""))) else layout.measure
    hidden = {*measure, *({"id"} if result.get("id") == named else ())}
    if layout.heading in result and not is_slug(result[layout.heading]):
        hidden.add(layout.heading)
    values = {name: value for name, value in result.items() if name not in hidden}
    chosen = [name for name in (layout.text, *layout.parts) if not is_empty(values.get(name))]
    sections = dict.fromkeys([*chosen, *(name for name, value in values.items() if _needs_room(value))])
    return ObjectParts(
        " ".join(text for name in measure if (text := number(result.get(name), name))),
        {name: values[name] for name in sections},
        {name: value for name, value in values.items() if name not in sections},
    )


def set_apart(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the fields that have a value, and the names of the others."""
    present = {name: value for name, value in values.items() if not is_empty(value)}
    return present, [name for name in values if name not in present]


def is_empty(value: Any) -> bool:
    """Whether a field has no value."""
    return value is None or value in ("", [], {})


def is_slug(value: Any) -> bool:
    """Whether a value is a name that a program gave."""
    return isinstance(value, str) and _SLUG.fullmatch(value) is not None


def is_long(text: str) -> bool:
    """Whether a text needs a paragraph of its own."""
    return "\n" in text or len(text) > _LONGEST_FACT


def initials(person: str) -> str:
    """Return the initials of a person by the id; empty if it is none."""
    found = _PERSON.fullmatch(person)
    return "".join(found.groups()).upper() if found else ""


def is_enumeration(values: Sequence[Any]) -> bool:
    """Whether values fit into one line."""
    return all(isinstance(value, str) and not is_long(value) for value in values)


def is_list(result: Any) -> bool:
    """Whether a result is a page of a list of objects."""
    rows = result.get("items") if isinstance(result, Mapping) else None
    return isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)


def rest_of_list(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list's answer says besides its objects."""
    return {name: value for name, value in result.items() if name not in _LIST_PARTS}


def columns_of(rows: Sequence[Mapping[str, Any]], chosen: Sequence[str]) -> list[str]:
    """Return the columns of a table: the chosen ones, or all that have a value in any row."""
    names = dict.fromkeys(name for row in rows for name, value in row.items() if not is_empty(value))
    return [name for name in chosen or names if name in names]


def instant(value: Any) -> str | None:
    """Return an instant as people write it, or None if the value is none."""
    return written_instant(value) if isinstance(value, str) else None


def number(value: Any, name: str = "") -> str:
    """Return a value as text: a whole number without a fraction; by its field's name, money or a duration."""
    if isinstance(value, float) and _MONEY.search(name) and round(value, 2) == value:
        return f"{value:.2f}"
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if name.endswith("_s") and isinstance(whole, int) and whole > 0:
        return _duration(whole)
    return "" if whole is None else str(whole)


def fact_label(name: str) -> str:
    """Return the name of a field of an object; its value says the unit."""
    return label_of(name).removesuffix(" (s)")


def _duration(seconds: int) -> str:
    """Return a duration in the units that it has; nothing of it is rounded."""
    parts = list[str]()
    for unit, length in _SECONDS_OF.items():
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts)


def _needs_room(value: Any) -> bool:
    if isinstance(value, str):
        return is_long(value)
    if isinstance(value, list):
        return not is_enumeration(value)
    return isinstance(value, Mapping) and bool(value)
