"""A service put together: routes, tables, events and reactions as one FastAPI app."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, partial
from typing import Any

import psycopg
import sqlalchemy as sa
from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse, Response
from redis.exceptions import RedisError

from . import admin, deliveries
from .bus import Relay
from .consumer import Consumer
from .database import Database
from .direct import Direct
from .events import Due, Event, Reactions
from .http import shortcut
from .internals import Internals, declare_internals
from .manifest import TOOL, VERSIONED, manifest
from .observability import MeasureRequests, Metrics, configure_logs
from .problems import add_problem_documents
from .redis_client import connect
from .requests import BodyLimit
from .schema import ServiceSchema
from .settings import Settings
from .tables import WorldTable, world_tables
from .views import GREATEST_VERSION, MIN_VERSION

Derive = Callable[[dict[str, list[Any]], int], Iterable[tuple[Due, int, str]]]


def nothing_due(_rows: dict[str, list[Any]], _start: int) -> Iterable[tuple[Due, int, str]]:
    """Derive no due events: for a service whose rows imply none."""
    return ()


@dataclass(frozen=True)
class Service:
    """Everything the chassis must know to run a service.

    Attributes:
        name: Name of its schema, role and tools.
        title: What people call it.
        summary: One sentence on what it is for.
        schema_version: Raised when its rows change meaning without changing shape.
        metadata: Its tables.
        routers: Its operations.
        publishes: Events it may record.
        reactions: What it does on events of others and on its own due events.
        derive: From the rows of a base and the instant a world starts: the due events they imply, as
            (due event, simulated time, id).
    """

    name: str
    title: str
    summary: str
    schema_version: int
    metadata: sa.MetaData
    routers: list[APIRouter]
    publishes: list[type[Event]]
    reactions: Reactions
    derive: Derive = nothing_due
    internals: Internals = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "internals", declare_internals(self.metadata))
        if self.reactions.consumed:
            object.__setattr__(self, "routers", [*self.routers, deliveries.router])

    @property
    def schema(self) -> ServiceSchema:
        """What the database must hold for this service."""
        return ServiceSchema(self.name, self.schema_version, self.metadata)

    @property
    def tables(self) -> dict[str, WorldTable]:
        """Its business tables by name."""
        return {table.name: table for table in world_tables(self.metadata) if not table.internal}

    def planned(self, rows: dict[str, list[dict[str, Any]]], start: int) -> list[dict[str, Any]]:
        """Return the due events that a base's rows imply, as rows, by time and id."""
        tables = self.tables
        parsed = {name: [tables[name].row(**row) for row in listed] for name, listed in rows.items()}
        implied = self.derive(_Rows(parsed), start)
        return sorted(
            (
                {"id": key, "at": at, "name": due.NAME, "payload": due.model_dump(mode="json")}
                for due, at, key in implied
            ),
            key=lambda p: (p["at"], p["id"]),
        )

    def complete(self, table: WorldTable, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row with the defaults of the columns it leaves out."""
        return {**{name: make() for name, make in _defaults(table.row) if name not in row}, **row}

    def app(self, settings: Settings | None = None) -> FastAPI:
        """Return the service as an ASGI app; settings come from the environment unless given."""
        return _Assembly(self, settings or Settings()).app()


class _Rows(dict[str, list[Any]]):
    """Rows of a base by table; a table without rows is empty."""

    def __missing__(self, _table: str) -> list[Any]:
        return []


class _Assembly:
    """One service app in the making."""

    def __init__(self, service: Service, settings: Settings) -> None:
        self.service = service
        self.settings = settings
        key = settings.context_key.get_secret_value()
        self.redis = connect(settings.redis_url.get_secret_value())
        self.database = Database(
            settings.database_url.get_secret_value(),
            service.internals,
            key,
            pool_size=settings.pool_size,
            after_commit=lambda messages: self.relay.publish(messages),
        )
        names = [event.NAME for event in service.publishes]
        self.relay = Relay(service.name, names, self.redis, self.database, key)
        self.consumer = Consumer(
            service.name,
            self.redis,
            self.database,
            service.internals,
            service.reactions,
            key,
            real_kills=settings.real_kills,
        )
        self.metrics = Metrics()

    def app(self) -> FastAPI:
        configure_logs(self.settings.log_level)
        app = Direct(
            title=self.service.title,
            summary=self.service.summary,
            version=f"1.{self.service.schema_version}.0",
            lifespan=self._lifespan,
        )
        app.state.service = self.service
        app.state.internals = self.service.internals
        app.state.database = self.database
        app.state.consumer = self.consumer
        app.state.context_key = self.settings.context_key.get_secret_value()
        app.state.admin_token = self.settings.admin_token.get_secret_value()
        app.state.real_kills = self.settings.real_kills
        app.state.manifest = cache(partial(self._manifest, app))
        for router in self.service.routers:
            app.include_router(router)
        app.include_router(admin.router)
        self._add_probes(app)
        add_problem_documents(app)
        _document_headers(app)
        app.add_middleware(BodyLimit)
        app.add_middleware(MeasureRequests, metrics=self.metrics)
        app.shortcut = shortcut(app, self.metrics)
        return app

    @asynccontextmanager
    async def _lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        # The pool opens without waiting: a database that is not there yet makes /ready say no, not the process die.
        await self.database.pool.open(wait=False)
        await self.relay.start()
        await self.consumer.start()
        yield
        await self.consumer.stop()
        await self.relay.stop()
        await self.redis.aclose()
        await self.database.pool.close()

    def _manifest(self, app: FastAPI) -> dict[str, Any]:
        return manifest(
            name=self.service.name,
            title=self.service.title,
            summary=self.service.summary,
            schema_version=self.service.schema_version,
            openapi=app.openapi(),
            publishes=self.service.publishes,
            reactions=self.service.reactions,
            tables=world_tables(self.service.metadata),
        )

    def _add_probes(self, app: FastAPI) -> None:
        @app.get("/health", include_in_schema=False)
        async def health() -> dict[str, str]:
            return {"status": "healthy"}

        @app.get("/ready", include_in_schema=False)
        async def ready() -> Response:
            trouble = await self._trouble()
            body = {"status": "waiting", "reason": trouble} if trouble else {"status": "ready"}
            return JSONResponse(body, status_code=503 if trouble else 200)

        @app.get("/metrics", include_in_schema=False)
        async def metrics() -> Response:
            return self.metrics.page()

    async def _trouble(self) -> str | None:
        try:
            await self.redis.ping()
            async with self.database.pool.connection(timeout=2) as connection:
                cursor = await connection.execute(f"SELECT digest FROM {self.service.name}.stamp")  # noqa: S608
                stamp = await cursor.fetchone()
        except (psycopg.Error, RedisError, OSError) as error:
            return f"{type(error).__name__}: {error}"
        if stamp is None or stamp[0] != self.service.schema.stamp():
            return "The database holds another version of this schema. Run `companyos migrate`."
        return None


@cache
def _defaults(row: type) -> tuple[tuple[str, Callable[[], Any]], ...]:
    found: list[tuple[str, Callable[[], Any]]] = []
    for column in fields(row):
        if column.default is not MISSING:
            found.append((column.name, partial(_same, column.default)))
        elif column.default_factory is not MISSING:
            found.append((column.name, column.default_factory))
    return tuple(found)


def _same(value: Any) -> Any:
    return value


def _document_headers(app: FastAPI) -> None:
    """Add to the OpenAPI document what every operation takes and refuses: context, idempotency key, problems."""
    generate = app.openapi

    def documented() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
            schemes["context"] = {"type": "apiKey", "in": "header", "name": "X-Companyos-Context"}
            document["components"].setdefault("schemas", {})["Problem"] = _PROBLEM
            for methods in document["paths"].values():
                for method, operation in methods.items():
                    _document_operation(method, operation)
        return app.openapi_schema or {}

    app.openapi = documented  # type: ignore[method-assign]


def _document_operation(method: str, operation: dict[str, Any]) -> None:
    if TOOL in operation:
        operation["security"] = [{"context": []}]
        if method != "get":
            operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
        if VERSIONED in operation:
            operation.setdefault("parameters", []).append(_MIN_VERSION)
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    refusals = {"4XX": {"description": "Refused: `type` says why, `detail` what would make it right."}}
    operation["responses"] = {
        **{status: answer for status, answer in operation["responses"].items() if status != "422"},
        **{status: {**answer, "content": content} for status, answer in refusals.items()},
    }


_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[ -~]+$"},
}
_MIN_VERSION = {
    "name": MIN_VERSION,
    "in": "query",
    "required": False,
    "description": "Refuse an answer older than this `version`, for example the one that your own change returned.",
    "schema": {"type": "integer", "minimum": 1, "maximum": GREATEST_VERSION},
}
_PROBLEM = {
    "type": "object",
    "description": "A problem document, RFC 9457.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "The stable code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what would make it right."},
        "field": {"type": "string"},
        "violation": {"type": "boolean"},
        "retry_after_s": {"type": "integer", "description": "Simulated seconds after which to call again."},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}
