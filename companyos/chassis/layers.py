"""What layers add up to above their base, read page by page, and rows written into one layer of another stack.

Rows of every world table go along, those of the chassis too: counters, outcomes and what is due make a world go on as
it would have. The numbers of the layers do not: they mean nothing elsewhere.
"""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator, with_config
from typing_extensions import TypedDict

from . import bases, worlds
from .errors import BaseConflict, BaseUnknown, InvalidRequest
from .lives import Connection
from .tables import WorldTable, column_kinds, world_tables

if TYPE_CHECKING:
    from .service import Service

LARGEST_PAGE = 100


class Place(BaseModel):
    """The row a page ends with."""

    model_config = ConfigDict(extra="forbid")

    table: str
    id: str


class Excerpt(BaseModel):
    """Which rows to read: those of a chain above its base, after a place, by table and id."""

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
    """Rows by table, whole, each with its mark `deleted`, and the layer above a base that is to hold them.

    Attributes:
        life: Life of the database in which the layer was given out: a crash may have it given out again.
    """

    model_config = ConfigDict(extra="forbid")

    layer: Annotated[int, Field(gt=0, lt=2**63)]
    life: str = ""
    rows: dict[str, list[dict[str, Any]]]


async def read(connection: Connection, service: "Service", excerpt: Excerpt) -> dict[str, Any]:
    """Return a page: `rows`, each {table, row}, by table and id in order of code points, and `after`, None at the end.

    Raises:
        BaseUnknown: The base is not here, so what is here of the layers may not be all.
        BaseConflict: The base is in another layer.
    """
    await _refuse_other_base(connection, service, excerpt)
    rows: list[dict[str, Any]] = []
    for table, after in _tables_from(service, excerpt.after):
        bound = {"above": excerpt.chain[1:], "after": after, "limit": excerpt.limit - len(rows)}
        cursor = await connection.execute(worlds.excerpt(table), bound)
        columns = (*table.columns, "deleted")
        found = [dict(zip(columns, values, strict=True)) for values in await cursor.fetchall()]
        rows += [{"table": table.name, "row": row} for row in found]
        if len(rows) == excerpt.limit:
            return {"rows": rows, "after": {"table": table.name, "id": rows[-1]["row"]["id"]}}
    return {"rows": rows, "after": None}


async def load(connection: Connection, service: "Service", wanted: Load) -> None:
    """Write rows into a layer; where it has a row of a key, that stays, so a call repeated does nothing.

    Raises:
        InvalidRequest: A table or a row is not one of this service.
        LifeOver: The database crashed since the layer was given out.
    """
    connection.refuse_another(wanted.life)
    tables = {table.name: table for table in world_tables(service.metadata)}
    for name, rows in wanted.rows.items():
        if name not in tables:
            raise InvalidRequest(f"This service has no table {name!r}; it has {', '.join(tables)}.")
        _refuse_strange(tables[name], rows)
    async with connection.transaction():
        await bases.write_in(connection, wanted.layer)
        for name, rows in wanted.rows.items():
            bound = {"layer": wanted.layer, "rows": _text(rows)}
            await connection.execute(worlds.adopt(tables[name]), bound)


async def _refuse_other_base(connection: Connection, service: "Service", excerpt: Excerpt) -> None:
    found = await bases.find(connection, service, excerpt.base)
    if found is None:
        raise BaseUnknown(f"No base {excerpt.base!r} is loaded here.")
    if found["layer"] != excerpt.chain[0]:
        raise BaseConflict(f"The base {excerpt.base!r} is in another layer than {excerpt.chain[0]}.")


def _tables_from(service: "Service", after: Place | None) -> list[tuple[WorldTable, str]]:
    tables = world_tables(service.metadata)
    if after is None:
        return [(table, "") for table in tables]
    return [
        (table, after.id if table.name == after.table else "")
        for table in tables
        if table.name >= after.table
    ]


def _refuse_strange(table: WorldTable, rows: list[dict[str, Any]]) -> None:
    try:
        _rows_of(table).validate_python(rows)
    except ValidationError as error:
        flaw = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, flaw["loc"]))
        raise InvalidRequest(f"A row of {table.name!r} does not fit: {where}: {flaw['msg']}.") from None


def _text(rows: list[dict[str, Any]]) -> str:
    try:
        return orjson.dumps(rows).decode()
    except orjson.JSONEncodeError as error:
        raise InvalidRequest(f"A value is beyond what can be stored: {error}.") from None


@cache
def _rows_of(table: WorldTable) -> TypeAdapter[Any]:
    """Return what checks rows against the columns of a table: all of them, nothing else, of the types it stores."""
    kinds: dict[str, Any] = {
        column: kind | None if nullable else kind
        for column, (kind, nullable) in column_kinds(table.row).items()
    }
    shape = TypedDict("Row", {**kinds, "id": Annotated[str, Field(min_length=1)], "deleted": bool})  # type: ignore[misc]
    strictly = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    row: Any = with_config(strictly)(shape)
    return TypeAdapter(list[row])
