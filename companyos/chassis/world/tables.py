"""World tables: a dataclass per row, from which the chassis derives the table, its keys and its policies.

Every world table has `layer_id` first in its primary key, then the business key `id`, and a `deleted` mark. Services
see only the dataclass; layers stay inside the chassis.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Protocol, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import BYTEA, JSONB, TSVECTOR


class WorldRow(Protocol):
    """Base of all row classes made by `world_table`: the business key."""

    id: str


Row = TypeVar("Row", bound=WorldRow)

#: The column of words that PostgreSQL computes from a row's searched text.
SEARCH = "search"

_COLUMN_TYPES: dict[type, Callable[[], sa.types.TypeEngine[Any]]] = {
    str: sa.Text,
    int: sa.BigInteger,
    float: sa.Double,
    bool: sa.Boolean,
    bytes: BYTEA,
    list: JSONB,
    dict: JSONB,
}


@dataclass(frozen=True)
class WorldTable:
    """A world table and its properties.

    Attributes:
        table: The SQLAlchemy table, with `layer_id` and `deleted`.
        columns: Business columns in the order of the dataclass; `id` is first.
        documents: The JSON columns.
        journal: Whether it is an append-only record of what happened; such rows never count as collateral
            damage.
        hidden: Whether tools must not show it.
        internal: Whether it belongs to the chassis and not to the company's state.
        maintained: The columns that the service sets itself, never from a caller's arguments: times, versions, who
            called, results of its rules.
    """

    name: str
    row: type
    table: sa.Table
    columns: tuple[str, ...]
    documents: frozenset[str]
    journal: bool = False
    hidden: bool = False
    internal: bool = False
    maintained: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        assert self.maintained <= {*self.columns}, f"{self.name} lacks a column that it maintains"


def described(row: type) -> WorldTable:
    """Return the table of a row class."""
    table: WorldTable = row.__world_table__  # type: ignore[attr-defined]
    return table


def column_names(row: type) -> tuple[str, ...]:
    """Return the business columns of a row class, `id` first."""
    return described(row).columns


def world_metadata(schema: str) -> sa.MetaData:
    """Return the metadata of a service, whose tables live in the schema of that name."""
    return sa.MetaData(schema=schema)


def world_tables(metadata: sa.MetaData) -> list[WorldTable]:
    """Return the world tables of a service, by name."""
    found = [table.info["world_table"] for table in metadata.tables.values() if "world_table" in table.info]
    return sorted(found, key=lambda table: str(table.name))


@dataclass_transform()
def world_table(
    metadata: sa.MetaData,
    name: str,
    *,
    indexes: tuple[tuple[str, ...], ...] | list[tuple[str, ...]] = (),
    journal: bool = False,
    hidden: bool = False,
    internal: bool = False,
    maintained: tuple[str, ...] = (),
    searched: tuple[str, ...] = (),
) -> Callable[[type], Any]:
    """Make a class the row class of a world table: a dataclass with its table as `__world_table__`.

    Annotations define the columns: str, int, float, bool, bytes, list and dict (JSON), each optionally `| None`.
    Each entry of `indexes` names columns that lists filter by; `maintained`, columns that the service sets itself.
    `searched` names the text columns for full-text search (`searches.py`): a title, which has the most weight, a text,
    and labels such as a kind, which have less weight than the title.
    """

    def declare(cls: type) -> type:
        row: type[Any] = dataclass(cls)
        kinds = column_kinds(row)
        table = sa.Table(
            name,
            metadata,
            *_stored_columns(kinds),
            *([_search_column(searched)] if searched else []),
            # Without the key, rows with equal columns share an entry, which takes a quarter of the storage.
            *(sa.Index(f"{name}_{'_'.join(index)}", "layer_id", *index) for index in indexes),
            # Stored within the row, texts are compared without a second lookup and decompression for each.
            postgresql_with={"toast_tuple_target": 8160} if searched else {},
        )
        documents = frozenset(column for column, (kind, _) in kinds.items() if kind in (list, dict))
        made = WorldTable(
            name, row, table, tuple(kinds), documents, journal, hidden, internal, frozenset(maintained)
        )
        table.info["world_table"] = row.__world_table__ = made
        return row

    return declare


def column_kinds(row: type[Any]) -> dict[str, tuple[type, bool]]:
    """Return, for each column of a row class, its stored type and whether it is nullable."""
    hints = get_type_hints(row)
    return {field.name: _column_kind(hints[field.name]) for field in fields(row)}


@cache
def column_defaults(row: type[Any]) -> Mapping[str, Any]:
    """Return the columns that rows of a base may omit, with the values that they then have in common."""
    found: dict[str, Any] = {}
    for column in fields(row):
        if column.default is not MISSING:
            found[column.name] = column.default
        elif column.default_factory is not MISSING:
            found[column.name] = column.default_factory()
    return found


def _stored_columns(kinds: Mapping[str, tuple[type, bool]]) -> Iterator[sa.Column[Any]]:
    yield sa.Column("layer_id", sa.BigInteger, primary_key=True, autoincrement=False)
    yield sa.Column("id", sa.Text, primary_key=True)
    for name, (kind, is_nullable) in kinds.items():
        if name != "id":
            yield sa.Column(name, _COLUMN_TYPES[kind](), nullable=is_nullable)
    yield sa.Column("deleted", sa.Boolean, nullable=False, server_default=sa.false())


def _search_column(columns: tuple[str, ...]) -> sa.Column[Any]:
    # Without an index: to maintain one over the words of all worlds costs twice what loading the rest of a
    # company costs DataHub, and a search compares only the rows of its own world.
    weights = ["A", "D", *"B" * (len(columns) - 2)]
    words = [
        f"setweight(to_tsvector('pg_catalog.english', coalesce({column}, '')), '{weight}')"
        for column, weight in zip(columns, weights, strict=True)
    ]
    return sa.Column(SEARCH, TSVECTOR, sa.Computed(" || ".join(words), persisted=True))


def _column_kind(hint: Any) -> tuple[type, bool]:
    options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    kind = next(option for option in options if option is not NoneType)
    plain = get_origin(kind) or kind
    return str if issubclass(plain, str) else plain, NoneType in options
