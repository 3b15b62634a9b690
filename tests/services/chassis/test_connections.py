"""A connection that comes back to the pool carries no world, however the work on it ended."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg import AsyncConnection
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg_pool import PoolTimeout

from companyos.chassis import ServiceError
from companyos.chassis.postgres import epochs
from companyos.chassis.postgres.epochs import Pool
from companyos.chassis.world.database import Database
from tests.live_services import CONTEXT_KEY, Desk, World
from tests.sizes import size

from .notebook import SERVICE, Note, NoteUnknown, load, write

POOL = 4
AT_ONCE = 6
ROUNDS = size(4, 10)

#: What a session may hold that outlives a transaction; numbers of worlds in tests have thirteen digits.
REMAINS = """
SELECT 'setting ' || name FROM pg_settings WHERE source = 'session' AND name LIKE 'app.%'
UNION ALL SELECT 'layer ' || layer FROM current_setting('app.layer', true) AS layer WHERE layer <> ''
UNION ALL SELECT 'lock ' || locktype FROM pg_locks
    WHERE pid = pg_backend_pid() AND (locktype = 'advisory' OR NOT granted)
UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
UNION ALL SELECT 'listens to ' || channel FROM pg_listening_channels() AS channel
UNION ALL SELECT 'temporary ' || relname FROM pg_class WHERE relpersistence = 't'
UNION ALL SELECT 'prepared for a world ' || statement FROM pg_prepared_statements WHERE statement ~ '[0-9]{12}'
"""


@pytest.fixture
async def database(notebook: Desk, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """A database of its own for the notebook: small, so that work waits for connections."""
    # On a machine that stands still for a second, a session that was ended is not gone yet.
    monkeypatch.setattr(epochs, "END_MS", 10_000)
    url = notebook.databases.url("notebook") + "&application_name=borrowed"
    opened = Database(
        Pool(url, size=POOL), SERVICE.internals, CONTEXT_KEY, after_commit=lambda _messages: None
    )
    await opened.pool.open()
    yield opened
    await opened.pool.close()


async def finish(database: Database, world: World) -> None:
    world.next_context()
    await repeat(database, world)


async def repeat(database: Database, world: World) -> None:
    async with database.writing(world.context) as writing:
        if writing.replayed is None:
            await write("done", None, writing.unit)
            writing.conclude(SERVICE.internals.outcome, 201, "{}")


async def refuse(database: Database, world: World) -> None:
    with pytest.raises(NoteUnknown):
        async with database.writing(world.next_context()) as writing:
            await write("in vain", None, writing.unit)
            await load("N-none", writing.unit)


async def fail_in_the_database(database: Database, world: World) -> None:
    with pytest.raises(psycopg.DataError):
        async with database.writing(world.next_context()) as writing:
            note = await write("too much", None, writing.unit)
            note.version = 2**63
            await writing.unit.all(Note)


async def refuse_to_write_elsewhere(database: Database, world: World) -> None:
    base, _ = world.context.chain
    misled = replace(world.next_context(), chain=(base - 1, base))
    with pytest.raises((psycopg.Error, ServiceError)):
        async with database.writing(misled) as writing:
            await write("into a base", None, writing.unit)


async def look(database: Database, world: World) -> None:
    async with database.reading(world.context) as unit:
        await unit.all(Note)


WORK = [finish, finish, repeat, refuse, fail_in_the_database, refuse_to_write_elsewhere, look]
INTERRUPTIONS = (psycopg.OperationalError, PoolTimeout, TimeoutError, asyncio.CancelledError)


async def cycle(database: Database, world: World, rng: random.Random) -> str:
    """Borrow a connection for some work, which may be cut short at any moment; say whether it was."""
    act, end, moment = (
        rng.choice(WORK),
        rng.choice(["let", "let", "cancel", "time out"]),
        rng.random() ** 3 / 50,
    )
    task = asyncio.create_task(act(database, world))
    try:
        if end == "time out":
            await asyncio.wait_for(task, moment)
        elif end == "cancel":
            await asyncio.wait([task], timeout=moment)
            task.cancel()
        await task
    except INTERRUPTIONS as interruption:
        return type(interruption).__name__
    return "done"


async def kill_some(admin: AsyncConnection[Any], rng: random.Random) -> str:
    """End backends of the pool at a random moment, whatever they are doing."""
    await asyncio.sleep(rng.random() / 50)
    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'borrowed' AND random() < 0.3"
    )
    return "killed"


async def remains(database: Database) -> list[Any]:
    """Return what every connection of the pool still carries."""
    found: list[Any] = []
    async with AsyncExitStack() as stack:
        for _ in range(POOL):
            connection = await stack.enter_async_context(database.pool.connection())
            states = connection.info.transaction_status, connection.info.pipeline_status
            found += [] if states == (TransactionStatus.IDLE, PipelineStatus.OFF) else [states]
            found += await (await connection.execute(REMAINS.encode(), prepare=False)).fetchall()
    return found


async def replace_the_dead(database: Database) -> None:
    """Have the pool notice connections whose backends were killed while they were idle."""
    await database.pool.put_all_back()
    await database.pool.check()
    await database.pool.wait()


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_a_connection_comes_back_without_a_world_however_its_work_ended(
    notebook: Desk, database: Database, seed: int
) -> None:
    rng = random.Random(seed)
    worlds = [await notebook.world({"notes": []}) for _ in range(3)]
    ends: set[str] = set()
    async with await AsyncConnection.connect(notebook.databases.admin_url, autocommit=True) as admin:
        for _ in range(size(200, 10_000) // ROUNDS // AT_ONCE + 1):
            kills = [kill_some(admin, rng)] if rng.random() < 0.2 else []
            borrowed = [cycle(database, rng.choice(worlds), rng) for _ in range(AT_ONCE)]
            ends |= set((await asyncio.gather(*borrowed, *kills))[:AT_ONCE])
            await replace_the_dead(database)

            assert await remains(database) == []

    assert ends >= {"done", "CancelledError", "TimeoutError"}
    for world in worlds:
        before = len(await world.rows("notes"))
        await finish(database, world)
        assert len(await world.rows("notes")) == before + 1


async def test_leftover_state_of_a_connection_is_detected(database: Database) -> None:
    async with database.pool.connection() as connection:
        await connection.execute("SELECT set_config('app.layer', '7', false)")
        await connection.execute("SELECT pg_advisory_lock(7)")
        await connection.execute("PREPARE plan AS SELECT 1 WHERE 1000000000001 > 0")

    found = await remains(database)

    assert {what.split(" AS ")[0] for (what,) in found} >= {
        "layer 7",
        "lock advisory",
        "prepared for a world PREPARE plan",
    }
    await database.pool.put_all_back()
    await database.pool.drain()
