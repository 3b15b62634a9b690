"""SQL statements on copy-on-write worlds; the only access to a world's rows.

A world is a chain of layers, oldest first. A row is live if no newer layer of the chain has a row with the
same key and it is not marked deleted. `live` is that rule in SQL; nothing outside this module selects from a
world table. Layer ids ascend along a chain, so "newer" means "greater".

SQLAlchemy Core builds each statement, which is compiled once; psycopg runs the text.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Generic

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, distinct_on
from sqlalchemy.dialects.postgresql.psycopg import dialect

from .tables import Row, WorldTable, described

CHAIN = sa.bindparam("chain", type_=ARRAY(sa.BigInteger))
#: The chain above its base: only these layers can hold a newer row. Omitting the base halves the lookups.
ABOVE = sa.bindparam("above", type_=ARRAY(sa.BigInteger))

_DIALECT = dialect()  # type: ignore[no-untyped-call]


class Query(Generic[Row]):
    """A compiled statement that returns `row`s of the caller's world.

    Attributes:
        sql: The statement in psycopg's format.
        constants: The literals of the statement, such as the 1 of `.limit(1)`, as parameters with fixed
            values.
        row: The class of its rows.
    """

    def __init__(self, statement: sa.Select[Any], row: type[Row]) -> None:
        made = statement.compile(dialect=_DIALECT)
        self.sql = str(made)
        self.constants = {name: value for name, value in made.params.items() if value is not None}
        self.row = row


class PagedQuery(Query[Row]):
    """A compiled statement for one page of matching rows, and one that counts all of them.

    Attributes:
        counting: The counting statement in psycopg's format. It needs no parameters that the page does not.
    """

    def __init__(
        self,
        matching: sa.Select[Any],
        row: type[Row],
        *,
        after: sa.ColumnElement[bool],
        order: Sequence[sa.ColumnElement[Any]],
    ) -> None:
        """Compile both statements.

        Args:
            matching: The rows of all pages.
            row: The class of the rows.
            after: Condition that a row follows the previous page, whose end binds as `after`.
            order: What to order by. The maximum number of rows binds as `limit`.
        """
        limit = sa.bindparam("limit", type_=sa.Integer)
        super().__init__(matching.where(after).order_by(*order).limit(limit), row)
        self.counting = compiled(sa.select(sa.func.count()).select_from(matching.subquery("matching")))


def compiled(statement: sa.ClauseElement) -> str:
    """Compile the statement to psycopg's format, with named parameters."""
    return str(statement.compile(dialect=_DIALECT))


@cache
def live(row: type[Row]) -> sa.Subquery:
    """Return a subquery of this world's live rows, with the business columns of the row class."""
    return live_columns(row, described(row).columns)


def live_columns(row: type[Row], columns: Sequence[str], *, removed: bool = False) -> sa.Subquery:
    """Return a subquery of these columns of this world's live rows, or of all, removed ones as they last were."""
    table = described(row)
    mine = table.table.alias("mine")
    newer = table.table.alias("newer")
    shadowed = (
        sa.select(sa.literal_column("1"))
        .where(newer.c.id == mine.c.id)
        .where(newer.c.layer_id == sa.any_(ABOVE))
        .where(newer.c.layer_id > mine.c.layer_id)
        .exists()
    )
    return (
        sa.select(*(mine.c[column] for column in columns))
        .where(mine.c.layer_id == sa.any_(CHAIN))
        .where(sa.true() if removed else ~mine.c.deleted)
        .where(~shadowed)
        .subquery("live")
    )


@cache
def newest(row: type[Row]) -> str:
    """Select the newest row of the key bound as `id`, even if removed; `deleted` is the last column.

    For a single key, searching the layers from the newest down costs half as much as `live`.
    """
    table = described(row)
    rows = table.table
    statement = (
        sa.select(*(rows.c[column] for column in table.columns), rows.c.deleted)
        .where(rows.c.id == sa.bindparam("id", type_=sa.Text))
        .where(rows.c.layer_id == sa.any_(CHAIN))
        .order_by(rows.c.layer_id.desc())
        .limit(sa.literal_column("1"))
    )
    return compiled(statement)


@cache
def listing(row: type[Row], equals: frozenset[tuple[str, bool]]) -> Query[Row]:
    """Select live rows filtered by equality, ordered by key.

    Args:
        row: The row class.
        equals: Pairs of a column and whether to compare it with NULL; values bind as `eq_<column>`.
    """
    return Query(_matching(row, equals, frozenset()).order_by(live(row).c.id), row)


@cache
def paging(row: type[Row], equals: frozenset[tuple[str, bool]], contains: frozenset[str]) -> PagedQuery[Row]:
    """Select a page of live rows filtered by equality and by text, ordered by key; `after` is a key.

    Args:
        row: The row class.
        equals: As in `listing`.
        contains: Text columns, one of which must contain the text bound as `contains`, as for `found_in`.
    """
    key = live(row).c.id
    after = key > sa.bindparam("after", type_=sa.Text)
    return PagedQuery(_matching(row, equals, contains), row, after=after, order=[key])


@cache
def earliest(row: type[Row], column: str) -> str:
    """Select the smallest value of a column over the live rows."""
    return compiled(sa.select(sa.func.min(live(row).c[column])))


@cache
def everything(row: type[Row]) -> Query[Row]:
    """Select all live rows of a table, ordered by key."""
    rows = live(row)
    return Query(sa.select(rows).order_by(rows.c.id), row)


@cache
def write(tables: tuple[WorldTable, ...], *, outbox: str | None) -> str:
    """Upsert rows and add events to the outbox in one statement: one round trip per commit.

    Each table's rows, with `deleted`, bind as one JSON array, `rows_<table>`. The events bind as `events` and
    the layer as `layer`.

    Args:
        tables: The tables to write.
        outbox: Schema of the outbox, or None if there are no events.
    """
    parts = [_upsert(table) for table in tables] + ([_send(outbox)] if outbox else [])
    *others, last = parts
    named = ", ".join(f"written_{number} AS ({part})" for number, part in enumerate(others))
    return f"WITH {named} {last}" if named else last


def _matching(
    row: type[Row], equals: frozenset[tuple[str, bool]], contains: frozenset[str]
) -> sa.Select[Any]:
    rows = live(row)
    statement = sa.select(rows)
    for column, is_null in sorted(equals):
        bound = sa.bindparam(f"eq_{column}", type_=rows.c[column].type)
        statement = statement.where(rows.c[column].is_(None) if is_null else rows.c[column] == bound)
    if contains:
        statement = statement.where(found_in([rows.c[column] for column in sorted(contains)], "contains"))
    return statement


def found_in(columns: Sequence[sa.ColumnElement[Any]], name: str) -> sa.ColumnElement[bool]:
    """Return the condition that one of the columns matches the `substring_pattern` bound as `name`.

    The columns are compared as one text, because a regular expression is as expensive to start as to run.
    """
    text = sa.func.concat_ws(sa.literal_column("chr(1)"), *columns)
    return text.bool_op("~*")(sa.bindparam(name, type_=sa.Text))


def _upsert(table: WorldTable) -> str:
    name = table.table.fullname
    changed = [column for column in (*table.columns, "deleted") if column != "id"]
    assignments = ", ".join(f'"{column}" = excluded."{column}"' for column in changed)
    columns = ", ".join(f'"{column}"' for column in (*table.columns, "deleted"))
    # Identifiers come from the tables' definitions, never from a request.
    return (
        f"INSERT INTO {name} (layer_id, {columns}) SELECT %(layer)s, {columns} "  # noqa: S608
        f"FROM jsonb_populate_recordset(NULL::{name}, %(rows_{table.name})s::jsonb) "
        f"ON CONFLICT (layer_id, id) DO UPDATE SET {assignments}"
    )


def _send(schema: str) -> str:
    return (
        f"INSERT INTO {schema}.outbox (world, layer, event_id, name, text) "  # noqa: S608
        f"SELECT world, layer, event_id, name, text FROM jsonb_to_recordset(%(events)s::jsonb) "
        f"AS sent(world bigint, layer bigint, event_id text, name text, text text)"
    )


@cache
def load(table: WorldTable) -> str:
    """Insert the rows of a base, given as one JSON array (`rows`), into the layer bound as `layer`."""
    # As `json`, because nothing but this statement reads it: to build a `jsonb` first takes longer.
    name = table.table.fullname
    columns = ", ".join(f'"{column}"' for column in table.columns)
    return (
        f"INSERT INTO {name} (layer_id, {columns}) SELECT %(layer)s, {columns} "  # noqa: S608
        f"FROM json_populate_recordset(NULL::{name}, %(rows)s::json)"
    )


@cache
def difference(table: WorldTable) -> str:
    """Select the newest row of each key above the base, by key, even if deleted; `deleted` comes last."""
    rows = table.table
    statement = (
        sa.select(*(rows.c[column] for column in table.columns), rows.c.deleted)
        .where(rows.c.layer_id == sa.any_(ABOVE))
        .ext(distinct_on(rows.c.id))
        .order_by(rows.c.id, rows.c.layer_id.desc())
    )
    return compiled(statement)


@cache
def excerpt(table: WorldTable) -> str:
    """Select a page of `difference` after the key bound as `after`, in the same order in any database."""
    rows = table.table
    key = sa.collate(rows.c.id, "C")
    statement = (
        sa.select(*(rows.c[column] for column in table.columns), rows.c.deleted)
        .where(rows.c.layer_id == sa.any_(ABOVE))
        .where(key > sa.bindparam("after", type_=sa.Text))
        .ext(distinct_on(key))
        .order_by(key, rows.c.layer_id.desc())
        .limit(sa.bindparam("limit", type_=sa.Integer))
    )
    return compiled(statement)


@cache
def adopt(table: WorldTable) -> str:
    """Insert rows with `deleted`, bound as one JSON array `rows`, into the layer bound as `layer`.

    Existing rows stay.
    """
    name = table.table.fullname
    columns = ", ".join(f'"{column}"' for column in (*table.columns, "deleted"))
    return (
        f"INSERT INTO {name} (layer_id, {columns}) SELECT %(layer)s, {columns} "  # noqa: S608
        f"FROM jsonb_populate_recordset(NULL::{name}, %(rows)s::jsonb) ON CONFLICT (layer_id, id) DO NOTHING"
    )


@cache
def fold(table: WorldTable) -> str:
    """Merge the layers bound as `lower` into the layer bound as `layer`, keeping its existing rows."""
    name = table.table.fullname
    columns = ", ".join(f'"{column}"' for column in (*table.columns, "deleted"))
    return (
        f"INSERT INTO {name} (layer_id, {columns}) "  # noqa: S608
        f"SELECT DISTINCT ON (id) %(layer)s, {columns} FROM {name} "
        f"WHERE layer_id = ANY(%(lower)s) ORDER BY id, layer_id DESC ON CONFLICT (layer_id, id) DO NOTHING"
    )


@cache
def occupied(tables: tuple[WorldTable, ...], *, outbox: str) -> str:
    """Select those of the layers bound as `layers` that hold any row or event."""
    parts = [
        f"SELECT layer_id FROM {table.table.fullname} WHERE layer_id = ANY(%(layers)s)"  # noqa: S608
        for table in tables
    ]
    return " UNION ".join([*parts, f"SELECT layer FROM {outbox}.outbox WHERE layer = ANY(%(layers)s)"])  # noqa: S608


@cache
def reap(tables: tuple[WorldTable, ...], *, outbox: str) -> str:
    """Delete all rows and events of the layer bound as `layer`, to which writes must be restricted.

    Worlds end as often as they begin, so one statement covers all tables.
    """
    parts = ", ".join(
        f"reaped_{number} AS (DELETE FROM {table.table.fullname} WHERE layer_id = %(layer)s)"  # noqa: S608
        for number, table in enumerate(tables)
    )
    return f"WITH {parts} DELETE FROM {outbox}.outbox WHERE layer = %(layer)s"  # noqa: S608


def chain_parameters(chain: Iterable[int]) -> dict[str, Any]:
    """Return the parameters of every statement over live rows."""
    layers = list(chain)
    return {"chain": layers, "above": layers[1:]}


def compared(equals: Mapping[str, Any]) -> frozenset[tuple[str, bool]]:
    """Return the filter of `listing` and `paging` for columns and their required values."""
    return frozenset((column, value is None) for column, value in equals.items())


def bound(equals: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of that filter."""
    return {f"eq_{column}": value for column, value in equals.items() if value is not None}


def unstorable(*values: Any) -> bool:
    """Return whether a value is text that PostgreSQL cannot store, so no row can contain it."""
    return any(isinstance(value, str) and "\0" in value for value in values)


def dumps(value: Any) -> str:
    """Return canonical JSON text: sorted keys, no spaces, bytes in PostgreSQL's notation."""
    return orjson.dumps(value, default=spelled, option=orjson.OPT_SORT_KEYS).decode()


def spelled(value: Any) -> str:
    """Convert a value that JSON lacks: bytes become text in PostgreSQL's notation.

    Raises:
        TypeError: The value is not bytes.
    """
    if isinstance(value, bytes):
        return rf"\x{value.hex()}"
    raise TypeError(f"no row has a {type(value).__name__}")
