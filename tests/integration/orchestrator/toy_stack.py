"""A shop and a depot, served for real, and orchestrators over them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from fastapi import FastAPI

from companyos.chassis.schema import create_roles, prepare
from orchestrator.episodes.facade import Episodes, Reply, ResetOptions, open_episodes
from orchestrator.runtime.settings import Settings
from orchestrator.storage import migrations
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY, TestDatabases, serving
from tests.patience import PATIENCE_S

from . import toy_depot, toy_shop
from .toy_scenario import scenarios


@dataclass
class ToyStack:
    """The running services, and how to open an orchestrator over them."""

    databases: TestDatabases
    services: dict[str, str]
    apps: dict[str, FastAPI]

    def settings(self, **other: Any) -> Settings:
        """Return the settings of an orchestrator process."""
        return Settings.model_validate(
            {
                "database_url": self.databases.url("orchestrator"),
                "redis_url": self.databases.redis_url,
                "context_key": CONTEXT_KEY,
                "admin_token": ADMIN_TOKEN,
                "services": self.services,
                # Everything runs in one event loop, which may stand still for seconds on a busy machine.
                "call_s": 20.0,
                **other,
            }
        )

    def orchestrator(self, **other: Any) -> AbstractAsyncContextManager[Episodes]:
        """Open an orchestrator process of its own."""
        return open_episodes(self.settings(**other), scenarios)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return what a query finds in the database, as its administrator."""
        with psycopg.connect(self.databases.admin_url) as connection:
            connection.read_only = True
            return connection.execute(statement, values).fetchall()

    async def write(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement that changes the database, as its administrator, and return what it returns.

        In a thread, since it may wait for a lock that an orchestrator of this very event loop holds.
        """

        def run() -> list[tuple[Any, ...]]:
            with psycopg.connect(self.databases.admin_url) as connection:
                return connection.execute(statement, values).fetchall()

        return await asyncio.to_thread(run)


@asynccontextmanager
async def toy_stack_on(databases: TestDatabases) -> AsyncIterator[ToyStack]:
    """Serve the shop and the depot on these databases."""
    with psycopg.connect(databases.admin_url) as connection:
        create_roles(connection, "orchestrator", databases.password)
    migrations.upgrade(databases.admin_url)
    async with AsyncExitStack() as stack:
        apps, services = {}, {}
        for module, service in ((toy_shop, toy_shop.SHOP), (toy_depot, toy_depot.DEPOT)):
            prepare(databases.admin_url, service.schema, databases.password)
            apps[service.name] = module.create_app(databases.settings(service.name))
            services[service.name] = await stack.enter_async_context(serving(apps[service.name]))
        yield ToyStack(databases, services, apps)


@asynccontextmanager
async def ready_orchestrator(toy_stack: ToyStack, **settings: Any) -> AsyncIterator[Episodes]:
    """Open an orchestrator process that knows its services."""
    async with toy_stack.orchestrator(**settings) as opened:
        async with asyncio.timeout(PATIENCE_S):
            while not (await opened.ready())["ready"]:
                await asyncio.sleep(0.02)
        yield opened


@dataclass
class Play:
    """One episode being played, and the replies so far."""

    episodes: Episodes
    replies: list[Reply]

    @property
    def id(self) -> str:
        """The episode's id."""
        return str(self.replies[0].metadata["episode_id"])

    @property
    def last(self) -> Reply:
        """The last reply."""
        return self.replies[-1]

    async def call(self, tool_name: str, **arguments: Any) -> Reply:
        """Play one call."""
        action = {"tool_name": tool_name, "arguments": arguments}
        self.replies.append(await self.episodes.step(self.id, action))
        return self.last


async def begin(episodes: Episodes, **options: Any) -> Play:
    """Begin an errand, fault-free unless asked otherwise."""
    wanted = ResetOptions.model_validate({"scenario": "errand", "chaos": 0, **options})
    return Play(episodes, [await episodes.reset(wanted)])


async def pruned(episodes: Episodes) -> None:
    """Run the background jobs now; a round that is under way may have looked before."""
    for _ in range(2):
        await episodes._background_jobs.prune()


async def solve(play: Play) -> Play:
    """Play the toy task to its success."""
    await play.call("shop_place_order", item="lamp")
    await play.call("wait", seconds=3600)
    await play.call("finish", answer="It is there.")
    return play
