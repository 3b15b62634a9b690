"""A running stack seen from outside: its processes, its databases, and all that a world left in them."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psycopg
import pytest
from psycopg import sql
from redis.asyncio import Redis

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home, Process, Status
from tests.patience import PATIENCE_S

BACK_S = 30.0
POLL_S = 0.01
POSTGRES, VALKEY = "PostgreSQL", "Valkey"

T = TypeVar("T")
Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Stack:
    """One stack of this test, in a home of its own."""

    home: Home

    @property
    def status(self) -> Status:
        """What the supervisor says of it."""
        status = self.home.status()
        assert status is not None, "the supervisor is gone"
        return status

    @property
    def url(self) -> str:
        """The trainer API."""
        return self.status.url

    def process(self, name: str) -> Process:
        """Return the present life of a process."""
        return next(process for process in self.status.processes if process.name == name)

    @property
    def names(self) -> list[str]:
        """Every process but the supervisor."""
        return [process.name for process in self.status.processes]

    async def rows(self, statement: Any, *values: Any) -> list[tuple[Any, ...]]:
        """Return what a statement finds, as administrator; a database that restarts is waited for."""

        async def found() -> list[tuple[Any, ...]]:
            async with await psycopg.AsyncConnection.connect(self.status.addresses["postgres"]) as connection:
                return await (await connection.execute(statement, values)).fetchall()

        return await until_it_works(found, psycopg.OperationalError)

    def redis(self) -> Redis:
        """Return a client of Valkey."""
        return Redis.from_url(self.status.addresses["redis"])

    async def get(self, path: str) -> Any:
        """Return what a GET at the trainer API brings; one that is away is waited for."""

        async def found() -> Any:
            async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE_S, trust_env=False) as client:
                return (await client.get(path)).raise_for_status().json()

        return await until_it_works(found, httpx.HTTPError)

    async def world_of(self, episode_id: str) -> Rows | None:
        """Return every row an episode's own layer holds, of every table of every service, but for the layer.

        None if the layer was collected first, which happens ten seconds after an episode ends: on a slow
        machine a database that was killed takes longer to answer.
        """
        tables = await self.rows(WORLD_TABLES)
        one_by_one = [ROWS.format(f"{s}.{t}", sql.Identifier(s, t)) for s, t in tables]

        async def fetch_rows() -> list[tuple[Any, ...]] | None:
            async with await psycopg.AsyncConnection.connect(self.status.addresses["postgres"]) as connection:
                [[is_kept]] = await (await connection.execute(KEPT, [episode_id])).fetchall()
                of_all = sql.SQL(" UNION ALL ").join(one_by_one)
                rows = await connection.execute(of_all, [episode_id] * len(tables))
                return await rows.fetchall() if is_kept else None

        kept = await until_it_works(fetch_rows, psycopg.OperationalError)
        if kept is None:
            return None
        world: Rows = {}
        for name, row in kept:
            world.setdefault(name, []).append(row)
        return {
            name: sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
            for name, rows in world.items()
        }


ROWS = sql.SQL("""
SELECT {}, to_jsonb(t) - '{{layer_id,search}}'::text[] FROM {} t
WHERE layer_id = (SELECT world FROM orchestrator.episodes WHERE id = %s)
""")
#: A layer whose line is locked is not dropped meanwhile, and the line of one that is being dropped is locked already.
KEPT = """
SELECT NOT done OR (
    SELECT true FROM orchestrator.garbage WHERE layer = world AND NOT reaped FOR UPDATE SKIP LOCKED
) IS NOT NULL
FROM orchestrator.episodes WHERE id = %s
"""
WORLD_TABLES = """
SELECT table_schema, table_name FROM information_schema.columns
WHERE column_name = 'layer_id' AND table_name IN (
    SELECT table_name FROM information_schema.columns WHERE column_name = 'deleted')
ORDER BY 1, 2
"""


def is_collected(world: Rows | None, in_peace: Rows | None) -> bool:
    """Return whether an episode's world was read too late.

    A service drops a layer in one transaction, and one that is killed drops it later than the others: then only the
    rows of some services are there.
    """
    return world is None or (in_peace is not None and bool(_services_of(in_peace) - _services_of(world)))


def differences(world: Rows | None, in_peace: Rows | None) -> list[str]:
    """Return what differs between an episode's world and the same one in peace, where both were read in time."""
    if world is None or in_peace is None or is_collected(world, in_peace):
        return []
    return [
        f"{table} differs from its state in peace"
        for table in sorted(world.keys() | in_peace.keys())
        if world.get(table) != in_peace.get(table)
    ]


def _services_of(world: Rows) -> set[str]:
    return {table.partition(".")[0] for table in world}


async def until_it_works(work: Callable[[], Awaitable[T]], *failures: type[Exception]) -> T:
    """Do it until it does not fail in one of these ways; the last failure is raised."""
    ends = asyncio.get_running_loop().time() + BACK_S
    while True:
        try:
            return await work()
        except failures:
            if asyncio.get_running_loop().time() > ends:
                raise
        await asyncio.sleep(5 * POLL_S)


@contextmanager
def stack_in(folder: Path, *, replicas: int = 2, **settings: str) -> Iterator[Stack]:
    """Run a stack with these settings, so many of each of our processes, restarted without much delay."""
    home = Home.at(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"COMPANYOS_CALM_S": "1", **settings}.items():
            patch.setenv(name, value)
        with running_stack(home, replicas=replicas):
            yield Stack(home)
