"""The titles of records, as far as a trace has shown them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

#: The fields that name a record for people; the first that is there counts.
_FIELDS: Final = ("title", "name")


def titles_of(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the titles of records by identifier, as last read by the agent or written by anybody."""
    return {
        shown["id"]: title
        for record in records
        for shown in (*_objects_in(record["observation"].get("result")), *_rows(record["changes"]))
        if (title := _title(shown))
    }


def titled(identifier: str, titles: Mapping[str, str]) -> str:
    """Return an identifier after the title of its record, if that is known."""
    title = titles.get(identifier)
    return f"{title} ({identifier})" if title else identifier


def _title(shown: Mapping[str, Any]) -> str:
    found = next((shown[field] for field in _FIELDS if isinstance(shown.get(field), str)), "")
    return found if isinstance(shown.get("id"), str) and found != shown["id"] else ""


def _rows(changes: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (change["row"] for change in changes if change["row"])


def _objects_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object within a JSON value."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _objects_in(part)
