"""Rows that a unit of work has loaded or made, and their columns as they are stored."""

from dataclasses import dataclass
from typing import Any, Generic

import orjson

from ..postgres.prepared import Rows
from .statements import spelled
from .tables import Row


@dataclass(slots=True)
class Tracked(Generic[Row]):
    """A row of a unit of work; `stored` is what the database has of it, None if it is new."""

    row: Row
    stored: bytes | None
    removed: bool = False


def document(row: Any) -> dict[str, Any]:
    """Return a row as the dict of its columns."""
    return dict(vars(row))


def image(row: Any) -> bytes:
    """Return the content of a row, to be compared with what it is later."""
    return orjson.dumps(row, default=spelled)


def newest_of(row: type[Row], found: Rows) -> Row | None:
    """Return the row that a search for the newest of its key found, or None if there is none or it was removed."""
    if not found or found[0][-1]:
        return None
    return row(*found[0][:-1])
