"""Assembles a service's routes, tables, events and reactions into one FastAPI app."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import psycopg
import sqlalchemy as sa
from fastapi import APIRouter, FastAPI
from redis.exceptions import RedisError

from .admin import routes
from .automations import Automations
from .errors import InvalidRequest
from .events.bus import Relay
from .events.consumer import Consumer
from .events.reactions import Reactions
from .events.redis_client import connect
from .postgres.epochs import Pool
from .schema import ServiceSchema
from .settings import ProcessSettings
from .web import delivery_tools, probes
from .web.access import refuse_undeclared
from .web.documented_headers import document_headers
from .web.fast_path import FastPathApp
from .web.http import fast_path
from .web.logs import configure_logs
from .web.manifest import manifest
from .web.observability import MeasureRequests, Metrics, exported_spans
from .web.page_layouts import PageLayout
from .web.problems import add_problem_documents
from .web.requests import BodyLimit
from .world.database import Database
from .world.internals import Internals, declare_internals
from .world.messages import Due, Event
from .world.tables import WorldTable, column_defaults, world_tables

Derive = Callable[[Mapping[str, list[Any]], int], Iterable[tuple[Due, int, str]]]


def nothing_due(_rows: Mapping[str, list[Any]], _start: int) -> Iterable[tuple[Due, int, str]]:
    """Return no due events, for a service whose rows imply none."""
    return ()


@dataclass(frozen=True)
class Area:
    """A part of a service in its own folder: its operations, events and reactions.

    The attributes are those of `Service`. The area's tables belong to the service's metadata.
    """

    routers: Sequence[APIRouter]
    publishes: Sequence[type[Event]] = ()
    reactions: Reactions = field(default_factory=Reactions)
    derive: Derive = nothing_due


@dataclass(frozen=True)
class Service:
    """The definition of a service.

    Attributes:
        name: Name of its schema, role and tools.
        title: Display name.
        summary: One sentence on its purpose.
        schema_version: Incremented when rows change meaning without changing shape.
        metadata: Its tables.
        routers: Its operations.
        publishes: Events it may record.
        reactions: Its handlers of other services' events and of its own due events.
        derive: Maps the rows of a base and the start of a world to the due events they imply, as
            (due event, simulated time, id).
        areas: Its parts in folders of their own, whose operations, events and reactions are added to its own.
        automations: What it offers to the company's automations, if anything.
        pages: How its pages look, where that does not follow from its operations.
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
    areas: Sequence[Area] = ()
    automations: Automations | None = None
    pages: Sequence[PageLayout] = ()
    internals: Internals = field(init=False)

    def __post_init__(self) -> None:
        internals = replace(declare_internals(self.metadata), watcher=self.automations)
        object.__setattr__(self, "internals", internals)
        for area in self.areas:
            self._add(area)
        if self.automations is not None:
            self._add(self.automations)
        if self.reactions.consumed:
            object.__setattr__(self, "routers", [*self.routers, delivery_tools.router])

    def _add(self, area: Area | Automations) -> None:
        own, more = self.derive, area.derive
        object.__setattr__(self, "routers", [*self.routers, *area.routers])
        object.__setattr__(self, "publishes", [*self.publishes, *area.publishes])
        object.__setattr__(self, "reactions", Reactions.merged(self.reactions, area.reactions))
        object.__setattr__(self, "derive", lambda rows, start: [*own(rows, start), *more(rows, start)])

    @property
    def schema(self) -> ServiceSchema:
        """The database schema of the service."""
        return ServiceSchema(self.name, self.schema_version, self.metadata)

    @property
    def tables(self) -> dict[str, WorldTable]:
        """The business tables by name."""
        return {table.name: table for table in world_tables(self.metadata) if not table.internal}

    def planned(self, rows: dict[str, list[dict[str, Any]]], start: int) -> list[dict[str, Any]]:
        """Return rows for the due events that a base implies, by time and id."""
        implied = self.derive(_ParsedRows(self.tables, rows), start)
        return sorted(
            (
                {"id": key, "at": at, "name": due.NAME, "payload": due.model_dump(mode="json")}
                for due, at, key in implied
            ),
            key=lambda p: (p["at"], p["id"]),
        )

    def complete(self, table: WorldTable, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return rows with defaults for missing columns.

        Raises:
            InvalidRequest: A row has no value for a column without a default, or one for an unknown column.
        """
        defaults, columns = column_defaults(table.row), set(table.columns)
        completed = [{**defaults, **row} for row in rows]
        for row in completed:
            if row.keys() != columns:
                wrong = ", ".join(sorted(row.keys() ^ columns))
                raise InvalidRequest(f"A row of {table.name!r} lacks or adds columns: {wrong}.")
        return completed

    def app(self, settings: ProcessSettings | None = None) -> FastAPI:
        """Return the service as an ASGI app, by default with settings from the environment."""
        return _Assembly(self, settings or ProcessSettings()).app()


class _ParsedRows(Mapping[str, list[Any]]):
    """Rows of a base by table, parsed when a table is first read; unknown tables are empty."""

    def __init__(self, tables: Mapping[str, WorldTable], rows: Mapping[str, list[dict[str, Any]]]) -> None:
        self._tables = tables
        self._rows = rows
        self._parsed: dict[str, list[Any]] = {}

    def __getitem__(self, table: str) -> list[Any]:
        if table not in self._parsed:
            self._parsed[table] = [self._tables[table].row(**row) for row in self._rows.get(table, ())]
        return self._parsed[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class _Assembly:
    """A service app under construction."""

    def __init__(self, service: Service, settings: ProcessSettings) -> None:
        self.service = service
        self.settings = settings
        key = settings.context_key.get_secret_value()
        self.redis = connect(settings.redis_url.get_secret_value())
        self.database = Database(
            Pool(**settings.database),
            service.internals,
            key,
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
        self.metrics = Metrics(service.name)

    def app(self) -> FastAPI:
        configure_logs(self.settings.log_level)
        app = FastPathApp(
            title=self.service.title,
            summary=self.service.summary,
            version=f"1.{self.service.schema_version}.0",
            lifespan=self._lifespan,
            # Nothing in the stack needs the public document or its pages; `/admin/openapi` serves it.
            openapi_url=None,
            # A redirect would reveal to callers without a credential which paths exist.
            redirect_slashes=False,
        )
        app.state.service = self.service
        app.state.internals = self.service.internals
        app.state.database = self.database
        app.state.consumer = self.consumer
        app.state.context_key = self.settings.context_key.get_secret_value()
        app.state.admin_token = self.settings.admin_token.get_secret_value()
        operator_token = self.settings.operator_token
        app.state.operator_token = operator_token and operator_token.get_secret_value()
        app.state.metrics = self.metrics
        app.state.why_not_ready = self._why_not_ready
        app.state.real_kills = self.settings.real_kills
        app.state.manifest = cache(partial(self._manifest, app))
        for router in self.service.routers:
            app.include_router(router)
        app.include_router(routes.router)
        app.include_router(probes.router)
        refuse_undeclared(app)
        add_problem_documents(app)
        document_headers(app)
        app.add_middleware(BodyLimit)
        app.add_middleware(MeasureRequests, metrics=self.metrics)
        app.fast_path = fast_path(app, self.metrics)
        if self.settings.tracing:
            from .tracing import trace_requests

            trace_requests(app, self.service.name)
        return app

    @asynccontextmanager
    async def _lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        async with exported_spans(self.service.name, tracing=self.settings.tracing):
            # The pool opens without waiting: while the database is down, /ready fails but the process stays up.
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
            pages=self.service.pages,
        )

    async def _why_not_ready(self) -> dict[str, str]:
        """Return the reason of each part that does not answer."""
        checks = (self._why_no_database(), self._why_no_bus())
        reasons = await asyncio.gather(*map(probes.in_time, checks))
        return {part: reason for part, reason in zip(("database", "bus"), reasons, strict=True) if reason}

    async def _why_no_bus(self) -> str | None:
        try:
            await self.redis.ping()
        except (RedisError, OSError) as error:
            return f"{type(error).__name__}: {error}"
        return None

    async def _why_no_database(self) -> str | None:
        try:
            async with self.database.pool.connection() as connection:
                cursor = await connection.execute(f"SELECT digest FROM {self.service.name}.stamp")  # noqa: S608
                stamp = await cursor.fetchone()
        except (psycopg.Error, OSError) as error:
            return f"{type(error).__name__}: {error}"
        if stamp is None or stamp[0] != self.service.schema.stamp():
            return "The database holds another version of this schema. Run `companyos migrate`."
        return None
