"""The changes of a step: each row with its fields before and after, as far as the trace shows them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

RowPlace = tuple[str, str, str]

_EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True)
class FieldChange:
    """One field of a row; `before` is None if the trace has not shown it."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class RowChange:
    """A row that a step wrote.

    Attributes:
        causes: What wrote it: the step's call, the clock, or events.
        fields: The fields that changed; if the previous row is unknown, all that are not empty.
        is_known: Whether an earlier step showed the row, so that only differences are listed.
        is_removed: Whether the row was deleted.
    """

    service: str
    table: str
    id: str
    causes: tuple[str, ...]
    fields: tuple[FieldChange, ...]
    is_known: bool
    is_removed: bool


class RowHistory:
    """The rows that a trace has shown so far, step by step."""

    def __init__(self) -> None:
        self._rows: dict[RowPlace, Mapping[str, Any] | None] = {}

    def changes(self, written: Iterable[Mapping[str, Any]]) -> tuple[RowChange, ...]:
        """Return the changes of the next step of the trace, known rows first.

        Args:
            written: The step's rows as in its record.
        """
        found = [self._change(change) for change in written]
        return tuple(sorted(found, key=lambda change: not change.is_known))

    def _change(self, change: Mapping[str, Any]) -> RowChange:
        key = (change["service"], change["table"], change["id"])
        is_known, before = key in self._rows, self._rows.get(key) or {}
        after = change["row"]
        self._rows[key] = after
        return RowChange(
            *key,
            causes=tuple(change["causes"]),
            fields=_differences(before, after or {}, all_of_them=not is_known),
            is_known=is_known,
            is_removed=after is None,
        )


def _differences(
    before: Mapping[str, Any], after: Mapping[str, Any], *, all_of_them: bool
) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(name, before.get(name), value)
        for name, value in after.items()
        if (value not in _EMPTY if all_of_them else before.get(name) != value)
    )
