"""Bases: generated company rows, loaded once into a frozen layer that any number of worlds share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import orjson
import psycopg
import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field

from ..errors import BaseConflict, InvalidRequest
from ..events.deferred import PLAN
from ..events.injection import EventFaultPlan
from ..postgres.epochs import Connection
from ..postgres.prepared import Call
from ..world import statements
from ..world.internals import Internals, used_numbers
from ..world.tables import WorldTable, described, world_tables

#: Restricts writes to one layer for the rest of the transaction.
_WRITE_IN = "SELECT set_config('app.layer', %(layer)s, true)"


class StoredService(Protocol):
    """The parts of a service that bases and layers need: what it stores, and which events its rows imply."""

    @property
    def name(self) -> str:
        """Name of the service's schema and role."""

    @property
    def metadata(self) -> sa.MetaData:
        """All tables of the service."""

    @property
    def internals(self) -> Internals:
        """The chassis' row classes in the service's schema."""

    @property
    def tables(self) -> dict[str, WorldTable]:
        """The business tables by name."""

    def planned(self, rows: dict[str, list[dict[str, Any]]], start: int) -> list[dict[str, Any]]:
        """Return rows for the due events that a base implies, by time and id."""

    def complete(self, table: WorldTable, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return rows with defaults for missing columns."""


class Base(BaseModel):
    """Rows of a service's tables for one scenario instance, and the instance's event faults."""

    model_config = ConfigDict(extra="forbid")

    layer: int = Field(lt=0)
    start: int = Field(ge=0)
    rows: dict[str, list[dict[str, Any]]]
    faults: EventFaultPlan | None = None


async def load(
    connection: Connection, service: StoredService, digest: str, base: Base
) -> tuple[dict[str, Any], bool]:
    """Load a base into its layer and freeze it, unless it is already loaded.

    Returns:
        The base's description (layer, start, rows, next_due), and whether this call loaded it.

    Raises:
        InvalidRequest: The service lacks a table of the base, or a row does not fit its table.
        BaseConflict: The digest is loaded in another layer.
    """
    if unknown := sorted(set(base.rows) - set(service.tables)):
        known = ", ".join(service.tables)
        raise InvalidRequest(f"This service has no table {unknown[0]!r}; it has {known}.")
    contents = _contents(service, base)
    facts = _description(service, base, contents)
    loads = [
        (statements.load(table), {"layer": base.layer, "rows": orjson.dumps(rows).decode()})
        for table, rows in contents.items()
        if rows
    ]
    frozen = f"UPDATE {service.name}.bases SET frozen = true WHERE digest = %(digest)s"  # noqa: S608
    try:
        await _together(
            connection,
            [
                _claim(service, digest, facts),
                (_WRITE_IN, {"layer": str(base.layer)}),
                *loads,
                (frozen, {"digest": digest}),
            ],
        )
    except psycopg.errors.UniqueViolation as error:
        if error.diag.table_name != "bases":
            raise
        return await _same(connection, service, digest, base.layer), False
    return facts, True


async def find(connection: Connection, service: StoredService, digest: str) -> dict[str, Any] | None:
    """Return the description of a base (layer, start, rows, next_due), or None."""
    cursor = await connection.execute(
        f"SELECT layer, start, rows, next_due FROM {service.name}.bases WHERE digest = %s",  # noqa: S608
        (digest,),
    )
    row = await cursor.fetchone()
    return None if row is None else dict(zip(("layer", "start", "rows", "next_due"), row, strict=True))


async def forget(connection: Connection, service: StoredService, digest: str) -> None:
    """Remove a base and its rows, if it is loaded."""
    if known := await find(connection, service, digest):
        unlisted = f"DELETE FROM {service.name}.bases WHERE digest = %(digest)s AND layer = %(layer)s"  # noqa: S608
        bound = {"digest": digest, "layer": known["layer"]}
        await _together(connection, [(unlisted, bound), *_removals(service, [known["layer"]])])


async def reap(connection: Connection, service: StoredService, layers: Iterable[int]) -> None:
    """Remove all rows of these layers, and their undelivered events."""
    statement = statements.occupied(tuple(world_tables(service.metadata)), outbox=service.name)
    occupied = await connection.rows(statement, {"layers": sorted(layers)})
    if occupied:
        await _together(connection, _removals(service, sorted(layer for (layer,) in occupied)))


async def fold(connection: Connection, service: StoredService, lower: list[int], into: int) -> None:
    """Merge the lower layers of a frozen chain into the layer above them.

    Existing rows of that layer stay, so reads of the chain return the same rows before, during and after the
    merge, with or without the lower layers. Deletion marks are merged too, because the base may hold the rows
    they hide.
    """
    async with connection.transaction():
        await write_in(connection, into)
        for table in world_tables(service.metadata):
            await connection.execute(statements.fold(table), {"layer": into, "lower": lower})


async def write_in(connection: Connection, layer: int) -> None:
    """Restrict writes to one layer for the rest of the transaction."""
    await connection.execute(_WRITE_IN, {"layer": str(layer)})


def _removals(service: StoredService, layers: Iterable[int]) -> list[Call]:
    statement = statements.reap(tuple(world_tables(service.metadata)), outbox=service.name)
    return [
        call
        for layer in layers
        for call in ((_WRITE_IN, {"layer": str(layer)}), (statement, {"layer": layer}))
    ]


async def _together(connection: Connection, calls: list[Call]) -> None:
    """Run statements in one round trip and one transaction."""
    try:
        await connection.together(("BEGIN", {}), *calls, ("COMMIT", {}))
    except BaseException:
        if not connection.broken:
            await connection.rows("ROLLBACK", {})
        raise


def _description(
    service: StoredService, base: Base, contents: Mapping[WorldTable, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    planned = contents[described(service.internals.due)]
    return {
        "layer": base.layer,
        "start": base.start,
        "rows": sum(len(rows) for rows in base.rows.values()),
        "next_due": min((plan["at"] for plan in planned), default=None),
    }


def _contents(service: StoredService, base: Base) -> dict[WorldTable, list[dict[str, Any]]]:
    business = {
        table: service.complete(table, base.rows.get(name, [])) for name, table in service.tables.items()
    }
    numbers = used_numbers({table.name: [row["id"] for row in rows] for table, rows in business.items()})
    counters = [{"id": name, "value": number} for name, number in numbers.items()]
    plan = [] if base.faults is None else [_plan(base.faults)]
    internal = {
        described(service.internals.counter): counters,
        described(service.internals.due): service.planned(base.rows, base.start),
        described(service.internals.fault): plan,
    }
    return {**business, **internal}


def _plan(armed: EventFaultPlan) -> dict[str, Any]:
    return {"id": f"{PLAN}:events", "kind": PLAN, "body": armed.model_dump()}


def _claim(service: StoredService, digest: str, facts: dict[str, Any]) -> Call:
    """Return the statement that lists a base, and fails if its digest or its layer is taken."""
    statement = (
        f"INSERT INTO {service.name}.bases (digest, layer, start, rows, next_due) "  # noqa: S608
        "VALUES (%(digest)s, %(layer)s, %(start)s, %(rows)s, %(next_due)s)"
    )
    return statement, {"digest": digest, **facts}


async def _same(connection: Connection, service: StoredService, digest: str, layer: int) -> dict[str, Any]:
    found = await find(connection, service, digest)
    if found is None or found["layer"] != layer:
        raise BaseConflict(f"The base {digest!r} is in another layer, or layer {layer} holds another base.")
    return found
