"""Results as text for models with a small context: without what is empty, and without what a change does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.simtime import to_iso

from .observation_text import compact, result_text

#: What the result of a change shows even if it is not news.
_ALWAYS: Final = ("id", "version")
_WHOLE_MINUTE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d):00Z")


@dataclass(frozen=True)
class OwnChange:
    """A call that changed or made an object, by what its agent knows without its result.

    Attributes:
        arguments: The arguments of the call.
        before: The object's row before the step; empty if it is new.
        now: Simulated second at the end of the step.
    """

    arguments: Mapping[str, Any]
    before: Mapping[str, Any]
    now: int

    def tells(self, name: str, value: Any) -> bool:
        """Return whether a field of the result says what the agent said, what was so before, or what time it is."""
        if name in self.arguments and self.arguments[name] == value:
            return True
        is_instant = name.endswith("_at")
        if is_instant and value == to_iso(self.now):
            return True
        if name not in self.before:
            return False
        earlier = self.before[name]
        # A row has instants as simulated seconds, which a result shows as text.
        return bool(value == (to_iso(earlier) if is_instant and isinstance(earlier, int) else earlier))


def compact_result_text(value: Any, change: OwnChange | None = None) -> str:
    """Return a JSON value as text: of a change its news, and of anything else all that is not null or empty.

    A list of objects becomes a table, and a page that is whole does not say how many items it has.
    """
    if not isinstance(value, dict):
        return result_text(_minimal(value))
    if change is None:
        return result_text(_with_tables(_minimal(_without_counts(value))))
    news = {name: inner for name, inner in value.items() if name in _ALWAYS or not change.tells(name, inner)}
    # What became empty is news, unlike what is empty.
    emptied = {name: inner for name, inner in news.items() if _is_empty(inner) and name in change.before}
    return result_text({**_with_tables(_minimal(news)), **emptied})


def _minimal(value: Any) -> Any:
    match value:
        case dict():
            kept = {name: _minimal(inner) for name, inner in value.items()}
            return {name: inner for name, inner in kept.items() if not _is_empty(inner)}
        case list():
            return [_minimal(inner) for inner in value]
        case str():
            whole = _WHOLE_MINUTE.fullmatch(value)
            return f"{whole[1]}Z" if whole else value
        case float() if value.is_integer():
            return int(value)
    return value


def _without_counts(value: dict[str, Any]) -> dict[str, Any]:
    items = value.get("items")
    is_whole = isinstance(items, list) and len(items) == value.get("total") and not value.get("next_cursor")
    return {name: inner for name, inner in value.items() if name != "total"} if is_whole else value


def _with_tables(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with tables for lists of several objects: a line of names, then a line of values for each."""
    return {name: _table(inner) if _has_rows(inner) else inner for name, inner in value.items()}


def _has_rows(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(row, dict) for row in value)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[compact(row[name]) if name in row else "" for name in names] for row in rows]
    return "\n".join(" | ".join(line) for line in [names, *cells])


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}
