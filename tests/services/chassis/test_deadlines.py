"""A frozen database, which refuses nothing and answers nothing: every wait for it ends, and nothing is done late."""

from collections.abc import AsyncIterator, Iterator
from time import monotonic

import httpx
import psycopg
import pytest
from psycopg_pool import PoolTimeout

from companyos.chassis.postgres.epochs import Pool
from companyos.chassis.postgres.prepared import Connection
from companyos.chassis.postgres.waiting import StatementTimedOut
from companyos.embedded.stores.databases import Databases, start_databases
from tests.frozen import frozen_database
from tests.live_services import Desk, serving
from tests.patience import PATIENCE_S

from .notebook import create_app

LIMIT_S = 0.3
#: Far above the limit, and far below any freeze worth the name.
SOON_S = 15.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """A PostgreSQL that nothing else uses."""
    with start_databases(tmp_path_factory.mktemp("frozen")) as started:
        with psycopg.connect(started.admin_url) as connection:
            connection.execute("CREATE TABLE notes (text text)")
        yield started


@pytest.fixture(params=["own waiter", "psycopg's waiter"])
async def pool(
    server: Databases, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Pool]:
    monkeypatch.setattr(Connection, "OWN_WAITER", request.param == "own waiter")
    async with Pool(server.admin_url, size=2, statement_s=LIMIT_S, connection_s=2) as opened:
        yield opened


async def count(pool: Pool) -> int:
    async with pool.connection(timeout=PATIENCE_S) as connection:
        [[number]] = await connection.rows("SELECT count(*) FROM notes", {})
        return int(number)


async def test_a_statement_to_a_frozen_database_ends_by_itself(server: Databases, pool: Pool) -> None:
    await count(pool)

    with frozen_database(server.admin_url):
        begun = monotonic()
        with pytest.raises(StatementTimedOut):
            await count(pool)
        took = monotonic() - begun

    assert took < SOON_S


async def test_a_connection_is_awaited_no_longer_than_the_setting(server: Databases, pool: Pool) -> None:
    await count(pool)

    with frozen_database(server.admin_url):
        with pytest.raises(StatementTimedOut):
            await count(pool)
        begun = monotonic()
        with pytest.raises((PoolTimeout, StatementTimedOut)):
            async with pool.connection() as connection:
                await connection.rows("SELECT 1", {})
        took = monotonic() - begun

    assert took < SOON_S


async def test_after_the_thaw_nothing_that_was_given_up_is_done_late(server: Databases, pool: Pool) -> None:
    before = await count(pool)
    async with pool.connection() as connection:
        session = connection.session

    with frozen_database(server.admin_url), pytest.raises(StatementTimedOut):
        async with pool.connection() as connection:
            await connection.rows("INSERT INTO notes SELECT 'late' FROM pg_sleep(60)", {})

    async with pool.connection(timeout=PATIENCE_S) as connection:
        alive = "SELECT concat(pid, ' ', backend_start) FROM pg_stat_activity"
        sessions = {name for (name,) in await connection.rows(alive, {})}
    assert session not in sessions
    assert await count(pool) == before


async def test_a_transaction_that_was_begun_is_given_up_too(server: Databases, pool: Pool) -> None:
    before = await count(pool)

    async with pool.connection() as connection:
        with frozen_database(server.admin_url), pytest.raises(StatementTimedOut):
            async with connection.transaction():
                await connection.execute("INSERT INTO notes VALUES ('late')")

    assert await count(pool) == before


@pytest.fixture
async def quick(notebook: Desk) -> AsyncIterator[httpx.AsyncClient]:
    """The notebook, served by a process that waits for its database only briefly."""
    settings = notebook.databases.settings("notebook")
    settings = settings.model_copy(update={"statement_s": LIMIT_S, "connection_s": 1.0})
    async with (
        serving(create_app(settings)) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client,
    ):
        yield client


async def test_a_frozen_database_leaves_a_service_waiting_but_answering(
    notebook: Desk, quick: httpx.AsyncClient
) -> None:
    world = await notebook.world()
    headers = world.headers(world.next_context())
    assert (await quick.get("/ready")).status_code == 200

    with frozen_database(notebook.databases.admin_url):
        begun = monotonic()
        ready = await quick.get("/ready")
        ready_took = monotonic() - begun
        refused = await quick.post("/notes", json={"text": "once"}, headers=headers)
        took = monotonic() - begun
    answered = await quick.post("/notes", json={"text": "once"}, headers=headers)
    repeated = await quick.post("/notes", json={"text": "once"}, headers=headers)

    assert (ready.status_code, ready_took < SOON_S) == (503, True)
    assert (refused.status_code, refused.json()["type"]) == (503, "database_unavailable")
    assert refused.headers["retry-after"]
    assert took < SOON_S
    assert answered.status_code == repeated.status_code == 201
    assert [row["text"] for row in (await world.rows("notes")).values()] == ["once"]
