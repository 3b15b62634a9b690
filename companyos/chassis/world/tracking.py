"""The rows that a unit of work has loaded or created, and their stored columns."""

from dataclasses import dataclass
from typing import Any, Generic

import orjson

from ..postgres.prepared import Call, Rows
from .effects import Message
from .statements import dumps, spelled, write
from .tables import Row, WorldTable


@dataclass(slots=True)
class Tracked(Generic[Row]):
    """A row of a unit of work; `stored` is its content in the database, None if it is new."""

    row: Row
    stored: bytes | None
    removed: bool = False

    @property
    def is_dirty(self) -> bool:
        """Whether the database does not hold the row as it is now."""
        return self.removed or self.stored is None or self.stored != image(self.row)


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


def rows_to_write(dirty: "list[tuple[WorldTable, Tracked[Any]]]") -> dict[WorldTable, list[dict[str, Any]]]:
    """Return the columns of changed rows by table, with `deleted`, and note that they are stored."""
    batches: dict[WorldTable, list[dict[str, Any]]] = {}
    for table, tracked in dirty:
        batches.setdefault(table, []).append({**document(tracked.row), "deleted": tracked.removed})
        tracked.stored = image(tracked.row)
    return batches


def writing(
    batches: dict[WorldTable, list[dict[str, Any]]], messages: list[Message], *, layer: int, schema: str
) -> Call:
    """Return the statement that writes rows to a layer and messages to a schema's outbox."""
    tables = tuple(sorted(batches, key=lambda table: table.name))
    statement = write(tables, outbox=schema if messages else None)
    rows = {f"rows_{table.name}": dumps(values) for table, values in batches.items()}
    return statement, {**rows, "layer": layer, "events": orjson.dumps(messages).decode()}
