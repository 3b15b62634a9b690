"""Admin routes of a service: manifest, bases, layers, the clock, and what is still on its way.

They are for the orchestrator, under the admin token; no tool catalogue lists them and the agent door has no way
to them.
"""

import hmac
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from psycopg import AsyncConnection
from pydantic import BaseModel, ConfigDict, Field

from . import context as contexts
from . import worlds
from .errors import AdminRefused, BaseConflict, BaseUnknown, InvalidRequest
from .events import Due
from .tables import WorldTable, described, world_tables
from .work import UnitOfWork, document


async def require_admin(request: Request) -> None:
    """Refuse a call without the admin token."""
    expected = f"Bearer {request.app.state.admin_token}"
    if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected.encode()):
        raise AdminRefused("Send the admin token as `Authorization: Bearer …`.")


router = APIRouter(prefix="/admin", dependencies=[Depends(require_admin)], include_in_schema=False)


class Base(BaseModel):
    """Rows of every table of a service, as one scenario instance generates them."""

    model_config = ConfigDict(extra="forbid")

    layer: int = Field(lt=0)
    start: int = Field(ge=0)
    rows: dict[str, list[dict[str, Any]]]


class Layers(BaseModel):
    """Layers that no world needs any more."""

    model_config = ConfigDict(extra="forbid")

    layers: list[int] = Field(max_length=1000)


def in_context(request: Request) -> contexts.Context:
    """Return the signed context of an admin call."""
    return contexts.read(request.headers.get(contexts.HEADER, ""), request.app.state.context_key)


@router.get("/manifest")
async def manifest(request: Request) -> Response:
    return _json(request.app.state.manifest())


@router.put("/bases/{digest}")
async def put_base(digest: str, request: Request) -> Response:
    base = Base.model_validate_json(await request.body())
    tables = _business_tables(request)
    if unknown := sorted(set(base.rows) - set(tables)):
        raise InvalidRequest(f"This service has no table {unknown[0]!r}; it has {', '.join(sorted(tables))}.")
    planned = request.app.state.service.planned(base.rows, base.start)
    async with request.app.state.database.pool.connection() as connection:
        answer, created = await _load_base(connection, request, digest, base, planned)
    return _json(answer, status=201 if created else 200)


@router.get("/bases/{digest}")
async def get_base(digest: str, request: Request) -> Response:
    async with request.app.state.database.pool.connection() as connection:
        found = await _find_base(connection, request, digest)
    if found is None:
        raise BaseUnknown(f"No base {digest!r} is loaded here.")
    return _json(found)


@router.delete("/bases/{digest}")
async def delete_base(digest: str, request: Request) -> Response:
    schema = request.app.state.service.name
    async with request.app.state.database.pool.connection() as connection, connection.transaction():
        gone = await connection.execute(
            f"DELETE FROM {schema}.bases WHERE digest = %s RETURNING layer",  # noqa: S608
            (digest,),
        )
        if row := await gone.fetchone():
            await _reap(connection, request, row[0])
    return Response(status_code=204)


@router.get("/layers")
async def get_layers(
    request: Request, scope: Annotated[str, Query(pattern="^(state|diff)$")] = "state"
) -> Response:
    context = in_context(request)
    async with request.app.state.database.reading(context) as unit:
        read = _live_rows if scope == "state" else _changed_rows
        tables = {name: await read(unit, table) for name, table in _business_tables(request).items()}
    return _json({"tables": tables})


@router.delete("/layers")
async def delete_layers(request: Request) -> Response:
    layers = Layers.model_validate_json(await request.body()).layers
    schema = request.app.state.service.name
    async with request.app.state.database.pool.connection() as connection:
        for layer in layers:
            async with connection.transaction():
                await _reap(connection, request, layer)
                await connection.execute(f"DELETE FROM {schema}.outbox WHERE layer = %s", (layer,))  # noqa: S608
    return Response(status_code=204)


@router.post("/tick")
async def tick(request: Request) -> Response:
    context, app = in_context(request), request.app
    async with app.state.database.writing(context, "tick") as writing:
        if writing.replayed is None:
            while due := await writing.unit.take_due():
                for plan in due:
                    await app.state.service.reactions.come_due(plan.name, plan.payload, writing.unit)
            writing.conclude(app.state.internals.outcome, 200, None)
    effects = writing.replayed.effects if writing.replayed else writing.effects.document()
    return _json({"effects": {**effects, "replayed": writing.replayed is not None}})


@router.get("/pending")
async def pending(request: Request, event: Annotated[list[str], Query()] = []) -> Response:  # noqa: B006
    context, app = in_context(request), request.app
    outcome = app.state.internals.outcome
    async with app.state.database.reading(context) as unit:
        found = {key: await unit.get(outcome, key) for key in event}
    async with app.state.database.pool.connection() as connection:
        unsent = await connection.execute(
            f"SELECT event_id FROM {app.state.service.name}.outbox WHERE layer = %s ORDER BY seq",  # noqa: S608
            (context.layer,),
        )
        waiting = [event_id for (event_id,) in await unsent.fetchall()]
    applied = {key: stored.effects for key, stored in found.items() if stored is not None}
    return _json({"unsent": waiting, "applied": applied})


async def _load_base(
    connection: AsyncConnection[Any], request: Request, digest: str, base: Base, planned: list[dict[str, Any]]
) -> tuple[dict[str, Any], bool]:
    app, schema = request.app, request.app.state.service.name
    count = sum(len(rows) for rows in base.rows.values())
    next_due = min((plan["at"] for plan in planned), default=None)
    async with connection.transaction():
        claimed = await connection.execute(
            f"INSERT INTO {schema}.bases (digest, layer, start, rows, next_due) VALUES (%s, %s, %s, %s, %s) "  # noqa: S608
            "ON CONFLICT (digest) DO NOTHING RETURNING digest",
            (digest, base.layer, base.start, count, next_due),
        )
        if await claimed.fetchone() is None:
            return await _same_base(connection, request, digest, base.layer), False
        await connection.execute("SELECT set_config('app.layer', %s, true)", (str(base.layer),))
        due_table: WorldTable = described(app.state.internals.due)
        contents = [(table, base.rows.get(name, [])) for name, table in _business_tables(request).items()]
        for table, rows in [*contents, (due_table, planned)]:
            if rows:
                text = orjson.dumps([app.state.service.complete(table, row) for row in rows]).decode()
                await connection.execute(worlds.load(table), {"layer": base.layer, "rows": text})
        await connection.execute(f"UPDATE {schema}.bases SET frozen = true WHERE digest = %s", (digest,))  # noqa: S608
    return {"layer": base.layer, "start": base.start, "rows": count, "next_due": next_due}, True


async def _same_base(
    connection: AsyncConnection[Any], request: Request, digest: str, layer: int
) -> dict[str, Any]:
    found = await _find_base(connection, request, digest)
    if found is None or found["layer"] != layer:
        raise BaseConflict(f"The base {digest!r} is loaded in another layer; delete it first.")
    return found


async def _find_base(
    connection: AsyncConnection[Any], request: Request, digest: str
) -> dict[str, Any] | None:
    cursor = await connection.execute(
        f"SELECT layer, start, rows, next_due FROM {request.app.state.service.name}.bases WHERE digest = %s",  # noqa: S608
        (digest,),
    )
    row = await cursor.fetchone()
    return None if row is None else dict(zip(("layer", "start", "rows", "next_due"), row, strict=True))


async def _reap(connection: AsyncConnection[Any], request: Request, layer: int) -> None:
    await connection.execute("SELECT set_config('app.layer', %s, true)", (str(layer),))
    for table in world_tables(request.app.state.service.metadata):
        await connection.execute(worlds.reap(table), {"layer": layer})


async def _live_rows(unit: UnitOfWork, table: WorldTable) -> dict[str, Any]:
    rows = await unit.find(worlds.everything(table.row))
    return {row.id: document(row) for row in rows}


async def _changed_rows(unit: UnitOfWork, table: WorldTable) -> dict[str, Any]:
    rows = await unit.raw(worlds.difference(table))
    return {
        values[0]: None if values[-1] else dict(zip(table.columns, values[:-1], strict=True))
        for values in rows
    }


def _business_tables(request: Request) -> dict[str, WorldTable]:
    return {
        table.name: table for table in world_tables(request.app.state.service.metadata) if not table.internal
    }


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, media_type="application/json")


def plan_document(due: Due, at: int, key: str) -> dict[str, Any]:
    """Return a due event as the row in which it waits."""
    return {"id": key, "at": at, "name": due.NAME, "payload": due.model_dump(mode="json")}
