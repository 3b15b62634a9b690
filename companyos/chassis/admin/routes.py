"""Admin routes of a service: manifest, bases, layers, the clock and pending events.

They serve the orchestrator, authorized by the admin token. No tool catalog lists them, and the agent API does not
reach them.
"""

import os
import signal
from dataclasses import asdict
from typing import Annotated, Any, Final, Self

import orjson
from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from ..errors import AdminRefused, BaseUnknown, InvalidRequest, KillsRefused
from ..events import injection
from ..events.deferred import DOWN, INCIDENT, PLAN, DeferredEvents, DeliverDeferred
from ..web.access import Credential, bearer_token, is_one_of, requires
from ..web.fast_path import Handler
from ..world import context as contexts
from ..world import statements
from ..world.database import Writing
from ..world.internals import DueRow
from ..world.tables import WorldTable
from ..world.tracking import document
from ..world.work import UnitOfWork
from . import bases, layers


@requires(Credential.ADMIN_TOKEN)
class AdminRoute(APIRoute):
    """A route for the orchestrator that checks the admin token before it reads the body."""

    def get_route_handler(self) -> Handler:
        """Return the endpoint's handler, guarded by the check."""
        handler = super().get_route_handler()

        async def authorized(request: Request) -> Response:
            token = bearer_token(request.headers.get("authorization", ""))
            if not is_one_of(token, [request.app.state.admin_token]):
                raise AdminRefused("Send the admin token as `Authorization: Bearer …`.")
            return await handler(request)

        return authorized


@requires(Credential.SIGNED_CONTEXT)
async def signed_context(request: Request) -> contexts.Context:
    """Return the signed context of an admin call."""
    return contexts.read(request.headers.get(contexts.HEADER, ""), request.app.state.context_key)


InContext = Annotated[contexts.Context, Depends(signed_context)]


router = APIRouter(prefix="/admin", route_class=AdminRoute, include_in_schema=False)


class Layers(BaseModel):
    """Layers that no world needs anymore."""

    model_config = ConfigDict(extra="forbid")

    layers: list[int] = Field(max_length=1000)


class Fold(BaseModel):
    """Frozen layers above a base, oldest first, and the layer above them into which they are merged."""

    model_config = ConfigDict(extra="forbid")

    chain: list[Annotated[int, Field(gt=0)]] = Field(min_length=1, max_length=1000)
    into: int

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        layers = [*self.chain, self.into]
        if layers != sorted(set(layers)):
            raise ValueError("layers ascend along a chain, and `into` is above them")
        return self


class Released(BaseModel):
    """The call or tick whose deferred events are to be applied now."""

    model_config = ConfigDict(extra="forbid")

    cause: str


_ARMED: Final[TypeAdapter[injection.EventFaultPlan | None]] = TypeAdapter(injection.EventFaultPlan | None)


@router.get("/manifest")
async def manifest(request: Request) -> Response:
    return _json(request.app.state.manifest())


@router.get("/openapi")
async def openapi(request: Request) -> Response:
    return _json(request.app.openapi())


@router.put("/bases/{digest}")
async def put_base(digest: str, request: Request) -> Response:
    base = bases.Base.model_validate_json(await request.body())
    async with request.app.state.database.pool.connection(patient=True) as connection:
        answer, created = await bases.load(connection, request.app.state.service, digest, base)
    return _json(answer, status=201 if created else 200)


@router.get("/bases/{digest}")
async def get_base(digest: str, request: Request) -> Response:
    async with request.app.state.database.pool.connection() as connection:
        found = await bases.find(connection, request.app.state.service, digest)
    if found is None:
        raise BaseUnknown(f"No base {digest!r} is loaded here.")
    return _json(found)


@router.delete("/bases/{digest}")
async def delete_base(digest: str, request: Request) -> Response:
    async with request.app.state.database.pool.connection(patient=True) as connection:
        await bases.forget(connection, request.app.state.service, digest)
    return Response(status_code=204)


@router.get("/layers")
async def get_layers(
    request: Request, context: InContext, scope: Annotated[str, Query(pattern="^(state|diff)$")] = "state"
) -> Response:
    async with request.app.state.database.reading(context) as unit:
        read = _live_rows if scope == "state" else _changed_rows
        tables = {name: await read(unit, table) for name, table in request.app.state.service.tables.items()}
    return _json({"tables": tables})


@router.delete("/layers")
async def delete_layers(request: Request) -> Response:
    unneeded = Layers.model_validate_json(await request.body()).layers
    async with request.app.state.database.pool.connection(patient=True) as connection:
        await bases.reap(connection, request.app.state.service, unneeded)
    return Response(status_code=204)


@router.post("/layers/fold")
async def fold_layers(request: Request, fold: Fold) -> Response:
    async with request.app.state.database.pool.connection(patient=True) as connection:
        await bases.fold(connection, request.app.state.service, fold.chain, fold.into)
    return Response(status_code=204)


@router.post("/layers/export")
async def export_layers(request: Request, excerpt: layers.Excerpt) -> Response:
    async with request.app.state.database.pool.connection(patient=True) as connection:
        return _json(await layers.read(connection, request.app.state.service, excerpt))


@router.post("/layers/import")
async def import_rows(request: Request, load: layers.Load) -> Response:
    async with request.app.state.database.pool.connection(patient=True) as connection:
        await layers.load(connection, request.app.state.service, load)
    return Response(status_code=204)


@router.post("/tick")
async def tick(request: Request, context: InContext) -> Response:
    app = request.app
    async with app.state.database.writing(context, "tick") as writing:
        if writing.replayed is None:
            while due := await writing.unit.take_due():
                for plan in due:
                    await _come_due(app, plan, writing.unit)
            writing.conclude(app.state.internals.outcome, 200, None)
    return _effects(writing)


@router.get("/faults")
async def get_faults(request: Request, context: InContext) -> Response:
    async with request.app.state.database.reading(context) as unit:
        waiting = await DeferredEvents.of(unit)
    return _json(
        {
            "plan": next(iter(waiting.bodies(PLAN)), None),
            "incidents": waiting.bodies(INCIDENT),
            "down": waiting.bodies(DOWN),
            "deferred": [asdict(deferred) for deferred in waiting.all if deferred.letter is None],
            "dead_letters": [asdict(deferred) for deferred in waiting.all if deferred.letter is not None],
        }
    )


@router.put("/faults")
async def put_faults(request: Request, context: InContext) -> Response:
    try:
        armed = _ARMED.validate_json(await request.body())
    except ValidationError as error:
        raise InvalidRequest(f"That is no plan: {error.errors(include_url=False)[0]['msg']}.") from None
    app = request.app
    async with app.state.database.writing(context, "arm") as writing:
        if writing.replayed is None:
            injection.arm(await DeferredEvents.of(writing.unit), armed)
            writing.conclude(app.state.internals.outcome, 200, None)
    return _effects(writing)


@router.post("/kill")
async def kill(request: Request) -> Response:
    """Kill this process as `kill -9` does, without any cleanup."""
    if not request.app.state.real_kills:
        raise KillsRefused()
    os.kill(os.getpid(), signal.SIGKILL)
    return Response(status_code=204)  # pragma: no cover - the process is gone


@router.post("/deferred/release")
async def release_held(request: Request, context: InContext, released: Released) -> Response:
    app = request.app
    async with app.state.database.writing(context, f"release {released.cause}") as writing:
        if writing.replayed is None:
            waiting = await DeferredEvents.of(writing.unit)
            chosen = [
                deferred
                for deferred in waiting.all
                if deferred.group == released.cause and deferred.fault is None
            ]
            waiting.replay((deferred for deferred in chosen if deferred.letter is None), "release")
            await waiting.deliver(app.state.service.reactions, app.state.service.name)
            writing.conclude(app.state.internals.outcome, 200, None)
    return _effects(writing)


@router.get("/pending")
async def pending(
    request: Request,
    context: InContext,
    event: Annotated[list[str], Query()] = [],  # noqa: B006
) -> Response:
    app = request.app
    outcome = app.state.internals.outcome
    async with app.state.database.reading(context) as unit:
        found = {key: await unit.get(outcome, key) for key in event}
    async with app.state.database.pool.connection() as connection:
        unsent = await connection.execute(
            f"SELECT event_id FROM {app.state.service.name}.outbox WHERE layer = %s ORDER BY seq",  # noqa: S608
            (context.layer,),
        )
        waiting = [event_id for (event_id,) in await unsent.fetchall()]
    unpack = app.state.internals.answers.unpack
    applied = {key: unpack(stored.answer).effects for key, stored in found.items() if stored is not None}
    return _json({"unsent": waiting, "applied": applied})


async def _come_due(app: FastAPI, plan: DueRow, unit: UnitOfWork) -> None:
    service = app.state.service
    if plan.name == DeliverDeferred.NAME:
        await (await DeferredEvents.of(unit)).deliver(service.reactions, service.name)
    else:
        await service.reactions.come_due(plan.name, plan.payload, unit)


def _effects(writing: Writing) -> Response:
    return _json({"effects": {**writing.reported_effects(), "replayed": writing.replayed is not None}})


async def _live_rows(unit: UnitOfWork, table: WorldTable) -> dict[str, Any]:
    rows = await unit.find(statements.everything(table.row))
    return {row.id: document(row) for row in rows}


async def _changed_rows(unit: UnitOfWork, table: WorldTable) -> dict[str, Any]:
    rows = await unit.raw(statements.difference(table))
    return {
        values[0]: None if values[-1] else dict(zip(table.columns, values[:-1], strict=True))
        for values in rows
    }


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, media_type="application/json")
