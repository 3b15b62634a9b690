"""Real services on real databases for tests, and worlds to call them in.

`running` serves a service's app over HTTP on a free port. `Desk.world` loads rows as a base and returns a
`World` whose calls carry a signed context, like the orchestrator's. Nothing is mocked.
"""

import asyncio
import itertools
import pkgutil
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import httpx
import orjson
import uvicorn
from fastapi import FastAPI
from psycopg import AsyncConnection
from pydantic import SecretStr
from redis.asyncio import Redis
from starlette.types import ASGIApp

import services
from companyos.chassis.events import bus
from companyos.chassis.schema import prepare
from companyos.chassis.settings import ProcessSettings
from companyos.chassis.web.http import EFFECTS_MEDIA_TYPE
from companyos.chassis.world.context import HEADER, Context, sign
from companyos.chassis.world.statements import dumps
from companyos.embedded.migration import migrate
from companyos.embedded.stores.databases import start_databases
from tests.patience import PATIENCE_S

CONTEXT_KEY = "a-context-key-for-tests"
ADMIN_TOKEN = "an-admin-token-for-tests"

#: Far above the world numbers of an orchestrator on the same databases.
_numbers = itertools.count(10**12)


@dataclass(frozen=True)
class TestDatabases:
    """A PostgreSQL and a Redis for one test run."""

    __test__ = False

    admin_url: str
    redis_url: str
    password: str

    def url(self, role: str) -> str:
        """Return the database's address for a service's own role."""
        return self.admin_url.replace("//postgres@", f"//{role}:{self.password}@")

    def migrate(self) -> None:
        """Prepare the schemas of every service and of the orchestrator."""
        migrate(self.admin_url, dict.fromkeys(_roles(), self.password))

    def settings(self, role: str) -> ProcessSettings:
        """Return the settings of a service on these databases."""
        return ProcessSettings(
            database_url=SecretStr(self.url(role)),
            redis_url=SecretStr(self.redis_url),
            context_key=SecretStr(CONTEXT_KEY),
            admin_token=SecretStr(ADMIN_TOKEN),
            log_level="warning",
            # The event loop of these services stands still while other tests run; then all of them wait at once.
            connection_s=10,
            statement_s=20,
        )


@contextmanager
def databases_in(home: Path) -> Iterator[TestDatabases]:
    """Start databases in a folder and stop them at the end."""
    with start_databases(home) as started:
        yield TestDatabases(started.admin_url, started.redis_url, secrets.token_hex(16))


def _roles() -> list[str]:
    return [*(module.name for module in pkgutil.iter_modules(services.__path__)), "orchestrator"]


def free_port() -> int:
    """Return a port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def serving(app: ASGIApp, *, lifespan: Literal["on", "off"] = "on") -> AsyncIterator[str]:
    """Serve an app on a free port of 127.0.0.1 and yield its address."""
    # Clients close an idle connection after five seconds; a server with the same timeout would race them.
    server = uvicorn.Server(
        uvicorn.Config(
            app, port=0, log_config=None, lifespan=lifespan, ws="websockets-sansio", timeout_keep_alive=60
        )
    )
    task = asyncio.create_task(server.serve())
    while not server.started:
        if task.done():
            await task
            raise RuntimeError("the app did not start; its log says why")
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def running(
    create_app: Callable[[ProcessSettings], FastAPI], databases: TestDatabases, *, name: str | None = None
) -> AsyncIterator["Desk"]:
    """Prepare a service's schema, run it, and yield a desk to work with it; its name is its package's unless given."""
    name = name or create_app.__module__.split(".")[1]
    app = create_app(databases.settings(name))
    prepare(databases.admin_url, app.state.service.schema, databases.password)
    async with serving(app) as url, httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:
        yield Desk(name, app, client, databases)


@dataclass
class Desk:
    """A running service."""

    name: str
    app: FastAPI
    client: httpx.AsyncClient
    databases: TestDatabases

    @property
    def admin(self) -> dict[str, str]:
        """Headers that open admin routes."""
        return {"authorization": f"Bearer {ADMIN_TOKEN}"}

    async def world(
        self,
        rows: dict[str, list[dict[str, Any]]] | None = None,
        *,
        now: int = 0,
        actor: str = "alex.agent",
        role: str = "analyst",
        like: "World | None" = None,
    ) -> "World":
        """Return a new world over a base of these rows.

        Args:
            rows: Rows by table.
            now: The simulated second at which it starts.
            actor: Who acts in it.
            role: That person's role.
            like: A world of another service: the new one is this service's part of the same world.
        """
        number = next(_numbers)
        chain = like.context.chain if like else (-number, number)
        world = like.context.world if like else number
        context = Context(world, chain, now, actor, role, cause="s0", key="s0")
        body = {"layer": chain[0], "start": now, "rows": rows or {}}
        answer = await self.client.put(f"/admin/bases/base{-chain[0]}", json=body, headers=self.admin)
        answer.raise_for_status()
        return World(self, context)


@dataclass
class World:
    """One world of a running service, and the calls of one actor in it. Each call is a step of its own."""

    desk: Desk
    context: Context
    steps: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def next_context(self) -> Context:
        """Return the context of the next step."""
        step = f"s{next(self.steps)}"
        self.context = replace(self.context, cause=step, key=step)
        return self.context

    def headers(self, context: Context | None = None) -> dict[str, str]:
        """Return the headers of a call in this world; by default those of the next step."""
        return {HEADER: sign(context or self.next_context(), CONTEXT_KEY)}

    def acting(self, actor: str, role: str) -> "World":
        """Return the same world with another person acting."""
        return World(self.desk, replace(self.context, actor=actor, role=role), self.steps)

    async def call(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Call the service in this world."""
        headers = {**self.headers(), **request.pop("headers", {})}
        return await self.desk.client.request(method, path, headers=headers, **request)

    async def get(self, path: str, **request: Any) -> httpx.Response:
        return await self.call("GET", path, **request)

    async def post(self, path: str, **request: Any) -> httpx.Response:
        return await self.call("POST", path, **request)

    async def patch(self, path: str, **request: Any) -> httpx.Response:
        return await self.call("PATCH", path, **request)

    async def effects(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """Call the service and return what the call did: changes, events, next_due."""
        answer = await self.call(method, path, headers={"accept": EFFECTS_MEDIA_TYPE}, **request)
        answer.raise_for_status()
        effects: dict[str, Any] = answer.json()["effects"]
        return effects

    async def advance(self, seconds: int) -> dict[str, Any]:
        """Move the clock and deliver what has come due; return the effects."""
        self.context = replace(self.context, now=self.context.now + seconds)
        answer = await self.desk.client.post("/admin/tick", headers={**self.headers(), **self.desk.admin})
        answer.raise_for_status()
        effects: dict[str, Any] = answer.json()["effects"]
        return effects

    async def rows(self, table: str, *, scope: str = "state") -> dict[str, Any]:
        """Return the committed rows of a table in this world, by id."""
        headers = {**self.headers(self.context), **self.desk.admin}
        answer = await self.desk.client.get("/admin/layers", params={"scope": scope}, headers=headers)
        answer.raise_for_status()
        rows: dict[str, Any] = answer.json()["tables"][table]
        return rows

    async def internal_rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return columns of the rows that this world's own layer holds of a table no layer document shows, by id."""
        async with await AsyncConnection.connect(self.desk.databases.admin_url) as connection:
            cursor = await connection.execute(
                f"SELECT {', '.join(columns)} FROM {self.desk.name}.{table} "
                "WHERE layer_id = %s AND NOT deleted ORDER BY id",
                [self.context.layer],
            )
            return await cursor.fetchall()

    async def events(self) -> list[dict[str, Any]]:
        """Return the events this service has recorded in this world, oldest first: `id`, `name`, `payload`."""
        async with await AsyncConnection.connect(self.desk.databases.admin_url) as connection:
            cursor = await connection.execute(
                f"SELECT text FROM {self.desk.name}.outbox WHERE layer = %s ORDER BY seq",
                (self.context.layer,),
            )
            messages = [orjson.loads(text) for (text,) in await cursor.fetchall()]
        return [{key: message[key] for key in ("id", "name", "payload")} for message in messages]

    async def send(self, name: str, payload: dict[str, Any], *, event_id: str | None = None) -> str:
        """Publish an event of another service on the real bus; return its id."""
        event_id = event_id or f"{self.next_context().cause}.elsewhere.1"
        token = sign(self.context.caused_by(event_id), CONTEXT_KEY)
        text = dumps({"id": event_id, "name": name, "payload": payload, "context": token})
        redis = Redis.from_url(self.desk.databases.redis_url)
        await redis.xadd(bus.stream_of(name), bus.entry(text, CONTEXT_KEY))  # type: ignore[arg-type]
        await redis.aclose()
        return event_id

    async def deliver(self, name: str, payload: dict[str, Any], *, event_id: str | None = None) -> str:
        """Publish an event of another service and wait until this one has applied it; return its id."""
        event_id = await self.send(name, payload, event_id=event_id)
        await self.applied(event_id)
        return event_id

    async def applied(self, event_id: str) -> dict[str, Any]:
        """Wait until this service has applied an event; return the effects."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                headers = {**self.headers(self.context), **self.desk.admin}
                answer = await self.desk.client.get(
                    "/admin/pending", params={"event": event_id}, headers=headers
                )
                answer.raise_for_status()
                if event_id in (found := answer.json()["applied"]):
                    effects: dict[str, Any] = found[event_id]
                    return effects
                await asyncio.sleep(0.01)
