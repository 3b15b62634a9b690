"""Bases: a company's rows as generated, loaded once into a frozen layer that any number of worlds start from."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field

from . import worlds
from .errors import BaseConflict, InvalidRequest
from .faults import Armed
from .held import PLAN
from .internals import used_numbers
from .lives import Connection
from .prepared import Call
from .tables import WorldTable, described, world_tables

if TYPE_CHECKING:
    from .service import Service

#: Lets the rest of the transaction write into a layer, and into no other.
_WRITE_IN = "SELECT set_config('app.layer', %(layer)s, true)"


class Base(BaseModel):
    """Rows of a service's tables, as one scenario instance generates them, and what goes wrong with events there."""

    model_config = ConfigDict(extra="forbid")

    layer: int = Field(lt=0)
    start: int = Field(ge=0)
    rows: dict[str, list[dict[str, Any]]]
    faults: Armed | None = None


async def load(
    connection: Connection, service: "Service", digest: str, base: Base
) -> tuple[dict[str, Any], bool]:
    """Load a base into its layer and freeze it; one that is there already stays as it is.

    Returns:
        What is known of it (layer, start, rows, next_due), and whether it was loaded just now.

    Raises:
        InvalidRequest: It has rows of a table that the service does not have.
        BaseConflict: The digest is loaded in another layer.
    """
    if unknown := sorted(set(base.rows) - set(service.tables)):
        known = ", ".join(service.tables)
        raise InvalidRequest(f"This service has no table {unknown[0]!r}; it has {known}.")
    contents = _contents(service, base)
    planned = contents[described(service.internals.due)]
    facts = {
        "layer": base.layer,
        "start": base.start,
        "rows": sum(len(rows) for rows in base.rows.values()),
        "next_due": min((plan["at"] for plan in planned), default=None),
    }
    async with connection.transaction():
        if not await _claim(connection, service, digest, facts):
            return await _same(connection, service, digest, base.layer), False
        await write_in(connection, base.layer)
        for table, rows in contents.items():
            if rows:
                text = orjson.dumps(rows).decode()
                await connection.execute(worlds.load(table), {"layer": base.layer, "rows": text})
        await connection.execute(
            f"UPDATE {service.name}.bases SET frozen = true WHERE digest = %s",  # noqa: S608
            (digest,),
        )
    return facts, True


async def find(connection: Connection, service: "Service", digest: str) -> dict[str, Any] | None:
    """Return what is known of a base (layer, start, rows, next_due), or None."""
    cursor = await connection.execute(
        f"SELECT layer, start, rows, next_due FROM {service.name}.bases WHERE digest = %s",  # noqa: S608
        (digest,),
    )
    row = await cursor.fetchone()
    return None if row is None else dict(zip(("layer", "start", "rows", "next_due"), row, strict=True))


async def forget(connection: Connection, service: "Service", digest: str) -> None:
    """Remove a base and its rows; nothing happens where there is none."""
    if known := await find(connection, service, digest):
        unlisted = f"DELETE FROM {service.name}.bases WHERE digest = %(digest)s AND layer = %(layer)s"  # noqa: S608
        bound = {"digest": digest, "layer": known["layer"]}
        await _together(connection, [(unlisted, bound), *_removals(service, [known["layer"]])])


async def reap(connection: Connection, service: "Service", layers: Iterable[int]) -> None:
    """Remove everything that these layers hold, and the events on their way from them."""
    statement = worlds.held(tuple(world_tables(service.metadata)), outbox=service.name)
    held = await connection.rows(statement, {"layers": sorted(layers)})
    if held:
        await _together(connection, _removals(service, sorted(layer for (layer,) in held)))


async def fold(connection: Connection, service: "Service", lower: list[int], into: int) -> None:
    """Push what the lower layers of a frozen chain add up to into the layer above them.

    Rows there stay as they are, so the chain reads the same before, during and after, with the lower layers or
    without. Marks of removal go along: the base below may have what they hide.
    """
    async with connection.transaction():
        await write_in(connection, into)
        for table in world_tables(service.metadata):
            await connection.execute(worlds.fold(table), {"layer": into, "lower": lower})


async def write_in(connection: Connection, layer: int) -> None:
    """Let the rest of the transaction write into a layer, and into no other."""
    await connection.execute(_WRITE_IN, {"layer": str(layer)})


def _removals(service: "Service", layers: Iterable[int]) -> list[Call]:
    statement = worlds.reap(tuple(world_tables(service.metadata)), outbox=service.name)
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


def _contents(service: "Service", base: Base) -> dict[WorldTable, list[dict[str, Any]]]:
    business = {
        table: [service.complete(table, row) for row in base.rows.get(name, [])]
        for name, table in service.tables.items()
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


def _plan(armed: Armed) -> dict[str, Any]:
    return {"id": f"{PLAN}:events", "kind": PLAN, "body": armed.model_dump()}


async def _claim(connection: Connection, service: "Service", digest: str, facts: dict[str, Any]) -> bool:
    claimed = await connection.execute(
        f"INSERT INTO {service.name}.bases (digest, layer, start, rows, next_due) "  # noqa: S608
        "VALUES (%(digest)s, %(layer)s, %(start)s, %(rows)s, %(next_due)s) "
        "ON CONFLICT DO NOTHING RETURNING digest",
        {"digest": digest, **facts},
    )
    return await claimed.fetchone() is not None


async def _same(connection: Connection, service: "Service", digest: str, layer: int) -> dict[str, Any]:
    found = await find(connection, service, digest)
    if found is None or found["layer"] != layer:
        raise BaseConflict(f"The base {digest!r} is in another layer, or layer {layer} holds another base.")
    return found
