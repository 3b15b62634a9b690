"""Prepared statements past psycopg's cursors: values, errors and cancellations as any caller expects them.

They hold whether a connection waits by itself or as psycopg does.
"""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg import generators
from psycopg.abc import PQGen
from psycopg.pq.abc import PGresult
from psycopg.types.json import Jsonb

from companyos.chassis.postgres.epochs import Pool
from companyos.chassis.postgres.prepared import Connection
from tests.live_services import TestDatabases
from tests.patience import PATIENCE_S

PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %(like)s"


@pytest.fixture(autouse=True, params=["own waiter", "psycopg's waiter"])
def waiter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "OWN_WAITER", request.param == "own waiter")


@pytest.fixture
async def pool(databases: TestDatabases) -> AsyncIterator[Pool]:
    async with Pool(databases.admin_url, size=1) as pool:
        yield pool


@pytest.fixture
async def connection(pool: Pool) -> AsyncIterator[Connection]:
    async with pool.connection() as connection:
        yield connection


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", 'it\'s "quoted" \\ {here}, 100 % ünïcode'),
        ("text", ""),
        ("text", None),
        ("bigint", -(2**63)),
        ("boolean", True),
        ("boolean", False),
        ("float8", 0.1),
        ("numeric", Decimal("12.30")),
        ("bigint[]", [-1, 77]),
        ("bigint[]", []),
        ("bytea", b"\x00\x01\\x\xff"),
        ("bytea", b""),
        ("text[]", ["a,b", 'c"d', "e\\f", "", "NULL", None]),
    ],
)
async def test_a_value_comes_back_as_it_was_given(connection: Connection, kind: str, value: Any) -> None:
    rows = await connection.rows(f"SELECT %(value)s::{kind}, '%%', %(value)s::{kind}", {"value": value})

    assert rows == [(value, "%", value)]


async def test_a_wait_of_psycopg_rests_until_the_server_answers(connection: Connection) -> None:
    turns: list[int] = []

    def counted(exchange: PQGen[list[PGresult]]) -> PQGen[list[PGresult]]:
        wanted = next(exchange)
        while True:
            turns.append((yield wanted))
            try:
                wanted = exchange.send(turns[-1])
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]

    connection.pgconn.send_query(b"SELECT pg_sleep(0.3)")
    results = await connection.wait(counted(generators.execute(connection.pgconn)))

    assert len(results) == 1
    assert len(turns) <= 10


async def test_a_document_comes_back_as_it_was_given(connection: Connection) -> None:
    document = {"b": [1, None, {"ü": "\n"}], "a": 0.5}

    assert await connection.rows("SELECT %(it)s::jsonb", {"it": Jsonb(document)}) == [(document,)]


async def test_text_that_postgresql_cannot_hold_is_refused_before_anything_runs(
    connection: Connection,
) -> None:
    with pytest.raises(psycopg.DataError):
        await connection.together(("BEGIN", {}), ("SELECT %(text)s::text", {"text": "a\0b"}))

    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


async def test_statements_run_in_order_and_each_has_its_rows(connection: Connection) -> None:
    one, none, two = await connection.together(
        ("SELECT %(number)s::int", {"number": 1}),
        ("SELECT 1 WHERE false", {}),
        ("SELECT g, g * %(factor)s FROM generate_series(1, 2) AS g", {"factor": 10}),
    )

    assert (one, none, two) == ([(1,)], [], [(1, 10), (2, 20)])


async def test_the_first_error_is_raised_and_what_follows_is_not_run(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        await connection.together(
            ("BEGIN", {}), ("SELECT 1 / %(by)s::int", {"by": 0}), ("CREATE TABLE never (it int)", {})
        )
    await connection.rows("ROLLBACK", {})

    assert await connection.rows("SELECT to_regclass('never')", {}) == [(None,)]


async def test_a_statement_is_prepared_once_and_outlives_a_rollback(connection: Connection) -> None:
    for _ in range(3):
        await connection.together(("BEGIN", {}), ("SELECT %(it)s::int + 41", {"it": 1}), ("ROLLBACK", {}))

    assert await connection.rows(PREPARED, {"like": "SELECT $1::int + 41"}) == [(1,)]


async def test_a_statement_that_cannot_be_prepared_can_be_corrected(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable):
        await connection.rows("SELECT * FROM not_there_yet", {})
    await connection.execute("CREATE TEMPORARY TABLE not_there_yet AS SELECT 1 AS it")

    assert await connection.rows("SELECT * FROM not_there_yet", {}) == [(1,)]


async def test_a_cancelled_statement_leaves_a_connection_that_works(pool: Pool) -> None:
    async def sleep() -> None:
        async with pool.connection() as connection:
            await connection.together(("BEGIN", {}), ("SELECT pg_sleep(60)", {}), ("COMMIT", {}))

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(sleep(), 0.2)

    async with pool.connection() as connection:
        assert await connection.rows("SELECT 1", {}) == [(1,)]


async def test_a_connection_that_the_server_ended_is_replaced(pool: Pool) -> None:
    with pytest.raises(psycopg.OperationalError):
        async with pool.connection() as connection:
            await connection.rows("SELECT pg_terminate_backend(pg_backend_pid())", {})

    async with pool.connection() as connection:
        assert await connection.rows("SELECT 1", {}) == [(1,)]


async def test_a_statement_and_an_answer_longer_than_any_buffer_are_passed_on_whole(
    connection: Connection,
) -> None:
    long = "ü" * 8_000_000

    assert await connection.rows("SELECT %(long)s::text", {"long": long}) == [(long,)]
    assert await connection.rows("SELECT 1", {}) == [(1,)]


async def test_batches_and_cursors_take_turns_on_one_connection(connection: Connection) -> None:
    for number in range(3):
        assert await connection.rows("SELECT %(it)s::int", {"it": number}) == [(number,)]
        assert await (await connection.execute("SELECT %s", (number,))).fetchone() == (number,)


async def test_a_connection_waits_for_one_batch_after_the_other(connection: Connection) -> None:
    asked = [connection.rows("SELECT %(it)s::int, pg_sleep(0.01)", {"it": number}) for number in range(5)]

    assert [rows[0][0] for rows in await asyncio.gather(*asked)] == list(range(5))


async def test_an_idle_connection_that_the_server_ended_is_not_lent_again(
    pool: Pool, databases: TestDatabases
) -> None:
    async with pool.connection() as connection:
        [(backend,)] = await connection.rows("SELECT pg_backend_pid()", {})
    async with await psycopg.AsyncConnection.connect(databases.admin_url, autocommit=True) as admin:
        # With a time to wait, in milliseconds, it returns once the backend is gone.
        await admin.execute("SELECT pg_terminate_backend(%s, 5000)", (backend,))

    for _ in range(2):
        async with pool.connection() as connection:
            assert await connection.rows("SELECT pg_backend_pid() = %(old)s", {"old": backend}) == [(False,)]


async def test_the_connection_that_came_back_last_is_lent_first(databases: TestDatabases) -> None:
    async with Pool(databases.admin_url, size=3, least=3) as pool:
        async with pool.connection(), pool.connection(), pool.connection():
            pass
        async with pool.connection() as first:
            pass
        for _ in range(3):
            async with pool.connection() as again:
                assert again is first


async def test_all_connections_can_be_lent_again_after_they_came_back(databases: TestDatabases) -> None:
    async with Pool(databases.admin_url, size=2) as pool:
        for _ in range(3):
            async with pool.connection() as one, pool.connection() as other:
                assert one is not other
            await pool.put_all_back()


async def test_waiting_callers_get_the_next_connection_returned(pool: Pool) -> None:
    async def ask(number: int) -> int:
        async with pool.connection() as connection:
            [(answer,)] = await connection.rows("SELECT %(it)s::int", {"it": number})
        return int(answer)

    async with asyncio.timeout(PATIENCE_S):
        assert await asyncio.gather(*map(ask, range(20))) == list(range(20))
