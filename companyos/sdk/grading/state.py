"""The committed state of a company as graders see it: base rows and the changes since."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import Any

import orjson

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[str, Sequence[Row]]]
Table = tuple[str, str]

#: Strings up to this length (ids, names, states) are likely to recur.
SHORT = 40

#: Raw deflate with a window of four kilobytes, which is quick to set up.
_WINDOW = -12


class Base:
    """The immutable rows a world starts from, shared by all worlds based on it and indexed on demand."""

    def __init__(self, rows: Rows) -> None:
        self._tables: dict[Table, dict[str, Row]] = {
            (service, table): {row["id"]: row for row in rows_of_table}
            for service, tables in rows.items()
            for table, rows_of_table in tables.items()
        }
        self._indexes: dict[tuple[Table, str], dict[Any, list[str]]] = {}

    def row(self, table: Table, row_id: str) -> Row | None:
        """Return the row with this id, or None."""
        return self._tables.get(table, {}).get(row_id)

    def ids(self, table: Table, equals: Mapping[str, Any]) -> Iterable[str]:
        """Return ids that may match, narrowed by the first condition, in no particular order."""
        if not equals:
            return self._tables.get(table, {})
        column, value = next(iter(equals.items()))
        return self._index(table, column).get(value, ())

    def _index(self, table: Table, column: str) -> dict[Any, list[str]]:
        if (table, column) not in self._indexes:
            index: dict[Any, list[str]] = {}
            for row_id, row in self._tables.get(table, {}).items():
                index.setdefault(row[column], []).append(row_id)
            self._indexes[table, column] = index
        return self._indexes[table, column]


class Changes:
    """The rows written since the start, None if removed.

    Most tables that a step writes are never read, for example a ticket's history. Until a table is read, its
    rows are stored as JSON: the first write as it is, and later ones deflated with the first as the
    dictionary.
    """

    def __init__(self, base: Base) -> None:
        self._base = base
        self._rows: dict[Table, dict[str, Row | None]] = {}
        self._unread: dict[Table, list[bytes]] = {}

    def of(self, table: Table) -> Mapping[str, Row | None]:
        """Return the rows of a table by id."""
        if table in self._unread:
            first, *others = self._unread.pop(table)
            for written in (first, *(_inflated(packed, first) for packed in others)):
                self._keep(table, orjson.loads(written))
        return self._rows.get(table, {})

    def add(self, table: Table, rows: Sequence[tuple[str, Row | None]]) -> None:
        """Add rows by id, each replacing the previous row with its id."""
        if table in self._rows:
            self._keep(table, rows)
            return
        written = orjson.dumps(rows)
        unread = self._unread.setdefault(table, [])
        # The first is copied to its exact size, because orjson's bytes keep the larger buffer allocated.
        unread.append(_deflated(written, unread[0]) if unread else bytes(bytearray(written)))

    def tables(self) -> list[Table]:
        """Return the tables that were written."""
        return [*self._rows, *self._unread]

    def copy(self) -> "Changes":
        """Return an independent copy."""
        other = Changes(self._base)
        other._rows = {table: dict(rows) for table, rows in self._rows.items()}
        other._unread = {table: list(written) for table, written in self._unread.items()}
        return other

    def _keep(self, table: Table, rows: Iterable[tuple[str, Row | None]]) -> None:
        kept = self._rows.setdefault(table, {})
        for row_id, row in rows:
            kept[intern(row_id)] = row and _sparing(
                row, kept.get(row_id) or self._base.row(table, row_id) or {}
            )


class View:
    """One company at one moment.

    Attributes:
        touched: Service, table and id of the rows read, as evidence for a verdict.
        tables: The tables that were read, even if no row matched.
    """

    def __init__(self, base: Base, changes: Changes) -> None:
        self._base = base
        self._changes = changes
        self.touched: list[tuple[str, str, str]] = []
        self.tables: set[Table] = set()

    @property
    def initial(self) -> "View":
        """The company as it was when the episode started."""
        return View(self._base, Changes(self._base))

    def row(self, service: str, table: str, row_id: str) -> Row | None:
        """Return the row with this id, or None if it does not exist."""
        key = (service, table)
        row = self._live(key, self._changes.of(key), row_id)
        self._touch(service, table, [] if row is None else [row])
        return row

    def rows(self, service: str, table: str, **equals: Any) -> list[Row]:
        """Return the rows whose columns equal all these values, ordered by id. Values must be hashable."""
        key = (service, table)
        changed = self._changes.of(key)
        ids = {*self._base.ids(key, equals), *changed}
        live = (self._live(key, changed, row_id) for row_id in sorted(ids))
        found = [row for row in live if row is not None and _matches(row, equals)]
        self._touch(service, table, found)
        return found

    def changed(self, service: str, table: str) -> list[Row]:
        """Return the rows added, changed or removed since the start, by id; removed ones as they were."""
        key = (service, table)
        found: list[Row] = []
        for row_id, row in sorted(self._changes.of(key).items()):
            before = self._base.row(key, row_id)
            shown = before if row is None else row
            if shown is not None and row != before:
                found.append(shown)
        self._touch(service, table, found)
        return found

    def _live(self, key: Table, changed: Mapping[str, Row | None], row_id: str) -> Row | None:
        return changed[row_id] if row_id in changed else self._base.row(key, row_id)

    def _touch(self, service: str, table: str, rows: Iterable[Row]) -> None:
        self.tables.add((service, table))
        self.touched.extend((service, table, row["id"]) for row in rows)


class CompanyState:
    """The committed state of one episode's company, updated with the changes of each step."""

    def __init__(self, base: Base | Rows) -> None:
        self._base = base if isinstance(base, Base) else Base(base)
        self._changes = Changes(self._base)

    @property
    def written(self) -> Iterator[tuple[str, str, str]]:
        """Service, table and id of every row written since the start."""
        tables = self._changes.tables()
        return ((*table, row_id) for table in tables for row_id in self._changes.of(table))

    def apply(self, service: str, changes: Iterable[Mapping[str, Any]]) -> None:
        """Apply changed rows, each `{"table", "id", "row"}`; a removed row is None."""
        rows: dict[Table, list[tuple[str, Row | None]]] = {}
        for change in changes:
            table = service, intern(change["table"])
            rows.setdefault(table, []).append((change["id"], change["row"]))
        for table, written in rows.items():
            self._changes.add(table, written)

    def copy(self) -> "CompanyState":
        """Return an independent state with the same base and changes."""
        other = CompanyState(self._base)
        other._changes = self._changes.copy()
        return other

    def view(self) -> View:
        """Return a view of the current state, without evidence. The view reflects later changes."""
        return View(self._base, self._changes)


def _deflated(written: bytes, first: bytes) -> bytes:
    packing = zlib.compressobj(1, zlib.DEFLATED, _WINDOW, 5, zdict=first)
    return packing.compress(written) + packing.flush()


def _inflated(packed: bytes, first: bytes) -> bytes:
    return zlib.decompressobj(_WINDOW, zdict=first).decompress(packed)


def _sparing(row: Row, before: Row) -> Row:
    """Share unchanged strings with the previous row and short strings with all rows, to save memory."""
    return {
        name: before[name]
        if type(value) is str and before.get(name) == value
        else intern(value)
        if type(value) is str and len(value) <= SHORT
        else value
        for name, value in row.items()
    }


def _matches(row: Row, equals: Mapping[str, Any]) -> bool:
    return all(row[column] == value for column, value in equals.items())
