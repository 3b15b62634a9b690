"""The rows that a unit of work has loaded or created, and their stored columns."""

from dataclasses import dataclass
from typing import Any, Generic

import orjson

from ..postgres.prepared import Rows
from .statements import spelled
from .tables import Row


@dataclass(slots=True)
class Tracked(Generic[Row]):
    """A row of a unit of work; `stored` is its content in the database, None if it is new."""

    row: Row
    stored: bytes | None
    removed: bool = False


def document(row: Any) -> dict[str, Any]:
    """Return the columns of a row as a dict."""
    return dict(vars(row))


def image(row: Any) -> bytes:
    """Return the content of a row as bytes, for later comparison."""
    return orjson.dumps(row, default=spelled)


def newest_of(row: type[Row], found: Rows) -> Row | None:
    """Return the row that a `newest` statement found, or None if there is none or it was removed."""
    if not found or found[0][-1]:
        return None
    return row(*found[0][:-1])
