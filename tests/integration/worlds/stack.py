"""The product as these proofs use it: real services and databases, two replicas of the orchestrator in this process."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool

from orchestrator.episodes.facade import Episodes, Reply, ResetOptions, open_episodes
from orchestrator.runtime.settings import Settings
from services.approvalflow.app import create_app as create_approvalflow
from services.datahub.app import create_app as create_datahub
from services.ticketdesk.app import create_app as create_ticketdesk
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY, TestDatabases, serving

APPS = {"ticketdesk": create_ticketdesk, "datahub": create_datahub, "approvalflow": create_approvalflow}
REPLICAS = 2
READY_S = 20.0

Action = Any
Rows = list[tuple[Any, ...]]


@dataclass
class Stack:
    """What runs, and a way to look into its databases.

    Attributes:
        replicas: Orchestrators; any of them can serve any episode.
        looking: Connections as the administrator, who sees every row.
    """

    databases: TestDatabases
    services: dict[str, str]
    replicas: list[Episodes]
    looking: AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]]

    async def rows(self, statement: str, values: dict[str, Any] | None = None) -> Rows:
        """Return what a statement finds in the database."""
        async with self.looking.connection() as connection:
            return await (await connection.execute(statement, values)).fetchall()

    async def run(self, statement: str, values: dict[str, Any] | None = None) -> None:
        """Run a statement for what it does."""
        async with self.looking.connection() as connection:
            await connection.execute(statement, values)

    async def begin(self, replica: int = 0, **options: Any) -> Reply:
        """Reset on one of the replicas."""
        return await self.replicas[replica].reset(ResetOptions.model_validate(options))


async def serving_all(databases: TestDatabases, running: AsyncExitStack) -> Stack:
    """Start everything and return it; it runs until the exit stack is closed."""
    services = {}
    for name, create_app in APPS.items():
        app = create_app(databases.settings(name))
        services[name] = await running.enter_async_context(serving(app))
    settings = _settings(databases, services)
    replicas = [await running.enter_async_context(open_episodes(settings)) for _ in range(REPLICAS)]
    async with asyncio.timeout(READY_S):
        while not all([(await replica.ready())["ready"] for replica in replicas]):
            await asyncio.sleep(0.02)
    kwargs = {"autocommit": True, "row_factory": tuple_row}
    looking: AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]] = AsyncConnectionPool(
        databases.admin_url, open=False, min_size=1, max_size=4, kwargs=kwargs
    )
    await running.enter_async_context(looking)
    return Stack(databases, services, replicas, looking)


def episode_id(reply: Reply) -> str:
    """Return the id of the episode that a reply is about."""
    return str(reply.metadata["episode_id"])


def told(reply: Reply) -> tuple[Any, ...]:
    """Return everything that a reply tells but the name of its episode."""
    metadata = {
        name: value
        for name, value in reply.metadata.items()
        if name not in ("episode_id", "episode_uid", "agent_token")
    }
    return reply.observation, reply.reward, reply.done, metadata


def _settings(databases: TestDatabases, services: dict[str, str]) -> Settings:
    return Settings.model_validate(
        {
            "database_url": databases.url("orchestrator"),
            "redis_url": databases.redis_url,
            "context_key": CONTEXT_KEY,
            "admin_token": ADMIN_TOKEN,
            "services": services,
        }
    )
