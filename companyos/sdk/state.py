"""The committed state of a company as graders see it: base rows and the changes since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import Any

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[str, Sequence[Row]]]
Table = tuple[str, str]

#: Strings up to this length (ids, names, states) are likely to recur.
SHORT = 40


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


Overlay = Mapping[Table, Mapping[str, Row | None]]


class View:
    """One company at one moment.

    Attributes:
        touched: Service, table and id of the rows read, as evidence for a verdict.
        tables: The tables that were looked at, whether or not they held what was looked for.
    """

    def __init__(self, base: Base, overlay: Overlay) -> None:
        self._base = base
        self._overlay = overlay
        self.touched: list[tuple[str, str, str]] = []
        self.tables: set[Table] = set()

    @property
    def initial(self) -> "View":
        """The company as it was when the episode started."""
        return View(self._base, {})

    def row(self, service: str, table: str, row_id: str) -> Row | None:
        """Return the row with this id, or None if it does not exist."""
        row = self._live((service, table), row_id)
        self._touch(service, table, [] if row is None else [row])
        return row

    def rows(self, service: str, table: str, **equals: Any) -> list[Row]:
        """Return the rows whose columns equal all these values, ordered by id. Values must be hashable."""
        key = (service, table)
        ids = {*self._base.ids(key, equals), *self._overlay.get(key, {})}
        live = (self._live(key, row_id) for row_id in sorted(ids))
        found = [row for row in live if row is not None and _matches(row, equals)]
        self._touch(service, table, found)
        return found

    def changed(self, service: str, table: str) -> list[Row]:
        """Return the rows added or changed since the start, ordered by id; removed ones as they were."""
        key = (service, table)
        found: list[Row] = []
        for row_id, row in sorted(self._overlay.get(key, {}).items()):
            before = self._base.row(key, row_id)
            shown = before if row is None else row
            if shown is not None and row != before:
                found.append(shown)
        self._touch(service, table, found)
        return found

    def _live(self, key: Table, row_id: str) -> Row | None:
        changed = self._overlay.get(key, {})
        return changed[row_id] if row_id in changed else self._base.row(key, row_id)

    def _touch(self, service: str, table: str, rows: Iterable[Row]) -> None:
        self.tables.add((service, table))
        self.touched.extend((service, table, row["id"]) for row in rows)


class CompanyState:
    """The committed state of one episode's company, updated with the changes of each step."""

    def __init__(self, base: Base | Rows) -> None:
        self._base = base if isinstance(base, Base) else Base(base)
        self._overlay: dict[Table, dict[str, Row | None]] = {}

    @property
    def written(self) -> Iterator[tuple[str, str, str]]:
        """Service, table and id of every row written since the start."""
        return ((*table, row_id) for table, rows in self._overlay.items() for row_id in rows)

    def apply(self, service: str, changes: Iterable[Mapping[str, Any]]) -> None:
        """Apply changed rows, each `{"table", "id", "row"}`; a removed row is None."""
        for change in changes:
            key, row_id, row = (service, intern(change["table"])), intern(change["id"]), change["row"]
            rows = self._overlay.setdefault(key, {})
            rows[row_id] = row and _sparing(row, rows.get(row_id) or self._base.row(key, row_id) or {})

    def copy(self) -> "CompanyState":
        """Return an independent state with the same base and changes."""
        other = CompanyState(self._base)
        other._overlay = {table: dict(rows) for table, rows in self._overlay.items()}
        return other

    def view(self) -> View:
        """Return a view of the current state, without evidence. Later changes show in it."""
        return View(self._base, self._overlay)


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
