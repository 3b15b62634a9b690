"""Exports the changes in the layers above a base, page by page, and imports them into one layer elsewhere.

An export holds the rows of all world tables, including the chassis' own: counters, outcomes and due events
let a world continue exactly. It omits layer numbers, which mean nothing on another stack. The answers of
outcomes are exported unpacked, because another release may pack them with a different dictionary.
"""

from collections.abc import Collection
from functools import cache
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator, with_config
from typing_extensions import TypedDict

from ..errors import BaseConflict, BaseUnknown, InvalidRequest
from ..postgres.epochs import Connection
from ..world import statements
from ..world.internals import Answer
from ..world.tables import WorldTable, column_kinds, world_tables
from . import bases

LARGEST_PAGE = 100

#: The columns that replace the packed answer of an exported outcome: type, and whether None is allowed.
_ANSWER: dict[str, tuple[type, bool]] = {"body": (str, True), "effects": (dict, False)}


class Place(BaseModel):
    """The last row of a page."""

    model_config = ConfigDict(extra="forbid")

    table: str
    id: str


class Excerpt(BaseModel):
    """Which rows to read: those of a chain above its base that follow a given table and id."""

    model_config = ConfigDict(extra="forbid")

    base: str
    chain: list[int] = Field(min_length=1, max_length=1000)
    after: Place | None = None
    limit: int = Field(LARGEST_PAGE, ge=1, le=LARGEST_PAGE)

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        base, *above = self.chain
        if base >= 0 or above != sorted(set(above)) or min(above, default=1) <= 0:
            raise ValueError("a chain is a base and ascending layers above it")
        return self


class Load(BaseModel):
    """Complete rows by table, each with its `deleted` mark, and the layer above a base that receives them.

    Attributes:
        epoch: Epoch of the database in which the layer was allocated; after a crash it may be allocated again.
    """

    model_config = ConfigDict(extra="forbid")

    layer: Annotated[int, Field(gt=0, lt=2**63)]
    epoch: str = ""
    rows: dict[str, list[dict[str, Any]]]


async def read(connection: Connection, service: bases.StoredService, excerpt: Excerpt) -> dict[str, Any]:
    """Return a page of changed rows.

    Returns:
        `rows`, each {table, row}, by table and id in code point order; and `after`, None on the last page.

    Raises:
        BaseUnknown: The base is not loaded, so the layers may be incomplete.
        BaseConflict: The base is in another layer.
    """
    await _refuse_other_base(connection, service, excerpt)
    rows: list[dict[str, Any]] = []
    for table, after in _tables_from(service, excerpt.after):
        bound = {"above": excerpt.chain[1:], "after": after, "limit": excerpt.limit - len(rows)}
        cursor = await connection.execute(statements.excerpt(table), bound)
        columns = (*table.columns, "deleted")
        found = [dict(zip(columns, values, strict=True)) for values in await cursor.fetchall()]
        rows += [{"table": table.name, "row": _exported(service, table, row)} for row in found]
        if len(rows) == excerpt.limit:
            return {"rows": rows, "after": {"table": table.name, "id": rows[-1]["row"]["id"]}}
    return {"rows": rows, "after": None}


async def load(connection: Connection, service: bases.StoredService, wanted: Load) -> None:
    """Write rows into a layer. Existing rows stay, so a repeated call changes nothing.

    Raises:
        InvalidRequest: A table or row does not belong to this service.
        StaleEpoch: The database crashed after the layer was allocated.
    """
    connection.refuse_stale(wanted.epoch)
    tables = {table.name: table for table in world_tables(service.metadata)}
    for name, rows in wanted.rows.items():
        if name not in tables:
            raise InvalidRequest(f"This service has no table {name!r}; it has {', '.join(tables)}.")
        _refuse_strange(service, tables[name], rows)
    async with connection.transaction():
        await bases.write_in(connection, wanted.layer)
        for name, rows in wanted.rows.items():
            bound = {"layer": wanted.layer, "rows": _text(service, tables[name], rows)}
            await connection.execute(statements.adopt(tables[name]), bound)


async def _refuse_other_base(connection: Connection, service: bases.StoredService, excerpt: Excerpt) -> None:
    found = await bases.find(connection, service, excerpt.base)
    if found is None:
        raise BaseUnknown(f"No base {excerpt.base!r} is loaded here.")
    if found["layer"] != excerpt.chain[0]:
        raise BaseConflict(f"The base {excerpt.base!r} is in another layer than {excerpt.chain[0]}.")


def _tables_from(service: bases.StoredService, after: Place | None) -> list[tuple[WorldTable, str]]:
    tables = world_tables(service.metadata)
    if after is None:
        return [(table, "") for table in tables]
    return [
        (table, after.id if table.name == after.table else "")
        for table in tables
        if table.name >= after.table
    ]


def _exported(service: bases.StoredService, table: WorldTable, row: dict[str, Any]) -> dict[str, Any]:
    if table.row is not service.internals.outcome:
        return row
    answer = service.internals.answers.unpack(row["answer"])
    return {**_without(row, {"answer"}), "body": answer.body, "effects": answer.effects}


def _imported(service: bases.StoredService, table: WorldTable, row: dict[str, Any]) -> dict[str, Any]:
    if table.row is not service.internals.outcome:
        return row
    answer = Answer(row["body"], row["effects"])
    return {**_without(row, _ANSWER), "answer": service.internals.answers.pack(answer)}


def _without(row: dict[str, Any], columns: Collection[str]) -> dict[str, Any]:
    return {column: value for column, value in row.items() if column not in columns}


def _refuse_strange(service: bases.StoredService, table: WorldTable, rows: list[dict[str, Any]]) -> None:
    kinds = column_kinds(table.row)
    if table.row is service.internals.outcome:
        kinds = {**_without(kinds, {"answer"}), **_ANSWER}
    try:
        _rows_of(tuple(kinds.items())).validate_python(rows)
    except ValidationError as error:
        flaw = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, flaw["loc"]))
        raise InvalidRequest(f"A row of {table.name!r} does not fit: {where}: {flaw['msg']}.") from None


def _text(service: bases.StoredService, table: WorldTable, rows: list[dict[str, Any]]) -> str:
    try:
        return statements.dumps([_imported(service, table, row) for row in rows])
    except (orjson.JSONEncodeError, UnicodeEncodeError) as error:
        raise InvalidRequest(f"A value is beyond what can be stored: {error}.") from None


@cache
def _rows_of(columns: tuple[tuple[str, tuple[type, bool]], ...]) -> TypeAdapter[Any]:
    """Return a validator of rows with exactly these columns, each of its type, or None if marked nullable."""
    kinds: dict[str, Any] = {column: kind | None if null else kind for column, (kind, null) in columns}
    shape = TypedDict("Row", {**kinds, "id": Annotated[str, Field(min_length=1)], "deleted": bool})  # type: ignore[misc]
    strictly = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    row: Any = with_config(strictly)(shape)
    return TypeAdapter(list[row])
