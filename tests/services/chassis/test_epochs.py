"""A crash of the database ends an epoch, and what was begun in it is not done in the next."""

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import psycopg
import pytest
from redis.asyncio import Redis

from companyos.chassis.events import bus
from companyos.chassis.postgres.epochs import Connection, Pool
from companyos.chassis.world.context import sign
from companyos.chassis.world.statements import dumps
from companyos.embedded.stores.databases import Databases, start_databases
from tests.live_services import CONTEXT_KEY, Desk, World
from tests.patience import PATIENCE_S

from .test_bus import outbox

NOT_BACK = psycopg.OperationalError


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Databases]:
    """A PostgreSQL that may be killed."""
    with start_databases(tmp_path) as started:
        yield started


async def life_of(server: Databases) -> str:
    """Return the epoch a new connection is in, once there is one."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                async with await Connection.connect(server.admin_url) as connection:
                    await connection.learn_epoch()
                    return connection.epoch
            except NOT_BACK:
                await asyncio.sleep(0.05)


async def crash(server: Databases, pid: int) -> None:
    """Kill a process of the database, which then ends, and start it again as its supervisor does."""
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while server.postgres.alive():
            await asyncio.sleep(0.05)
    server.postgres.start()


async def test_every_connection_is_in_the_same_life_until_the_database_crashes(server: Databases) -> None:
    first = await life_of(server)
    victim = await psycopg.AsyncConnection.connect(server.admin_url)

    assert await life_of(server) == first
    await crash(server, victim.info.backend_pid)
    with pytest.raises(NOT_BACK):
        await victim.execute("SELECT 1")
    second = await life_of(server)
    server.postgres.stop()
    server.postgres.start()
    third = await life_of(server)

    assert len({first, second, third}) == 3
    await victim.close()


async def test_a_pool_hands_out_no_connection_that_a_crash_closed(server: Databases) -> None:
    async with Pool(server.admin_url, size=4, least=4) as pool:
        await pool.wait()
        [pid, *_] = [connection.info.backend_pid for connection in list(pool._pool)]
        await crash(server, pid)
        await life_of(server)

        answers = [await one(pool) for _ in range(8)]

    assert answers == [(1,)] * 8


async def one(pool: Pool) -> object:
    async with pool.connection(timeout=PATIENCE_S) as connection:
        return await (await connection.execute("SELECT 1")).fetchone()


async def test_an_event_of_a_life_before_is_applied_only_once_its_outbox_was_seen_to_hold_it(
    notebook: Desk,
) -> None:
    world = await notebook.world()
    undone = replace(world.context, epoch="before").caused_by("s1.before.1")
    body = {"id": "s1.before.1", "name": "note.shared", "payload": {"text": "ghost"}}
    text = dumps({**body, "context": sign(undone, CONTEXT_KEY)})
    async with notebook.app.state.database.pool.connection() as connection:
        epoch = connection.epoch

    await put_on_the_bus(notebook, text)
    await world.deliver("note.shared", {"text": "genuine"})
    before = [row["text"] for row in (await world.rows("notes")).values()]
    await put_on_the_bus(notebook, text, epoch)
    await world.applied("s1.before.1")

    assert before == ["genuine"]
    assert {row["text"] for row in (await world.rows("notes")).values()} == {"genuine", "ghost"}


async def test_an_event_settled_in_a_life_before_stays_in_the_outbox_since_a_crash_may_have_undone_its_reactions(
    notebook: Desk,
) -> None:
    undone, genuine = await notebook.world(), await notebook.world()
    for world in (undone, genuine):
        await world.post("/notes", json={"text": "kept"})
    async with notebook.app.state.database.pool.connection() as connection:
        epoch = connection.epoch

    # Notices are read in order: once the second is done, the first was.
    await settle(notebook, undone, "before")
    await settle(notebook, genuine, epoch)
    async with asyncio.timeout(PATIENCE_S):
        while outbox(genuine):
            await asyncio.sleep(0.05)

    assert outbox(undone) == ["s1.notebook.1"]


async def settle(notebook: Desk, world: World, epoch: str) -> None:
    """Say that the first event of a world is settled, as the orchestrator does."""
    notice = orjson.dumps([[world.context.layer, "s1.notebook.1"]])
    async with Redis.from_url(notebook.databases.redis_url) as redis:
        await redis.xadd(bus.settled_stream("notebook"), {"events": notice, "epoch": epoch})


async def put_on_the_bus(notebook: Desk, text: str, epoch: str = "") -> None:
    async with Redis.from_url(notebook.databases.redis_url) as redis:
        await redis.xadd(bus.stream_of("note.shared"), bus.entry(text, CONTEXT_KEY, epoch))  # type: ignore[arg-type]
