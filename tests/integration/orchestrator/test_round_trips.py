"""Statements that share a round trip: each has its own answer, and its own failure."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from companyos.chassis.postgres.epochs import Connection, Pool
from companyos.chassis.postgres.prepared import Call, Rows
from orchestrator.protocol.problems import Outage
from orchestrator.storage.round_trips import MOST, SharedRoundTrips, StepStatement

from .toy_stack import ToyStack

NOTE = "INSERT INTO orchestrator.shared_notes (id, ratio) VALUES (%(id)s, 1 / %(by)s::int) RETURNING id"
NOTED = "SELECT id FROM orchestrator.shared_notes ORDER BY id"


@pytest.fixture
async def pool(toy_stack: ToyStack) -> AsyncIterator[Pool]:
    async with Pool(toy_stack.databases.admin_url, size=4) as pool, pool.connection() as connection:
        await connection.execute("CREATE TABLE orchestrator.shared_notes (id text PRIMARY KEY, ratio int)")
        yield pool
        await connection.execute("DROP TABLE orchestrator.shared_notes")


@pytest.fixture
def shared(pool: Pool) -> SharedRoundTrips:
    @asynccontextmanager
    async def lend() -> AsyncIterator[Connection]:
        try:
            async with pool.connection() as connection:
                yield connection
        except psycopg.OperationalError as error:
            raise Outage("database", str(error)) from error

    return SharedRoundTrips(lend)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of these tests' statements in each round trip so far."""
    sent: list[int] = []
    together = Connection.together

    async def counted(connection: Connection, *calls: Call) -> list[Rows]:
        if any("shared_notes" in sql for sql, _ in calls):
            sent.append(len(calls))
        return await together(connection, *calls)

    monkeypatch.setattr(Connection, "together", counted)
    return sent


def note(name: str, *, by: int = 1, epoch: str = "") -> StepStatement:
    return StepStatement(name, NOTE, {"id": name, "by": by}, epoch)


async def noted(pool: Pool) -> list[str]:
    async with pool.connection() as connection:
        return [name for (name,) in await connection.rows(NOTED, {})]


async def all_of(shared: SharedRoundTrips, *wanted: StepStatement) -> list[Any]:
    found = await asyncio.gather(*map(shared.run, wanted), return_exceptions=True)
    return [one if isinstance(one, BaseException) else [name for (name,) in one.rows] for one in found]


async def test_many_statements_share_few_round_trips_and_each_has_its_own_answer(
    shared: SharedRoundTrips, pool: Pool, batches: list[int]
) -> None:
    names = [f"n{number:03}" for number in range(150)]

    answers = await all_of(shared, *map(note, reversed(names)))

    assert answers == [[name] for name in reversed(names)]
    assert [count for count in batches if count > 1] == [MOST, MOST, 150 - 1 - 2 * MOST]
    assert await noted(pool) == names


async def test_a_statement_that_comes_alone_waits_for_no_other(
    shared: SharedRoundTrips, batches: list[int]
) -> None:
    for name in "abc":
        assert await all_of(shared, note(name)) == [[name]]

    assert batches == [1, 1, 1]


async def test_a_statement_that_fails_fails_alone(shared: SharedRoundTrips, pool: Pool) -> None:
    first, *answers = await all_of(shared, note("a"), note("b"), note("c", by=0), note("d"), note("b"))

    assert (first, answers[0], answers[2]) == (["a"], ["b"], ["d"])
    assert isinstance(answers[1], psycopg.errors.DivisionByZero)
    assert isinstance(answers[3], psycopg.errors.UniqueViolation)
    assert await noted(pool) == ["a", "b", "d"]


async def test_values_that_no_statement_takes_fail_alone(shared: SharedRoundTrips, pool: Pool) -> None:
    odd = StepStatement("b", NOTE, {"id": object(), "by": 1})

    first, failed, last = await all_of(shared, note("a"), odd, note("c"))

    assert (first, last) == (["a"], ["c"])
    assert isinstance(failed, TypeError)
    assert await noted(pool) == ["a", "c"]


async def test_work_from_before_a_crash_fails_alone(shared: SharedRoundTrips, pool: Pool) -> None:
    async with pool.connection() as connection:
        epoch = connection.epoch

    answers = await all_of(shared, note("a"), note("b", epoch="earlier"), note("c", epoch=epoch))

    assert [answers[0], answers[2]] == [["a"], ["c"]]
    assert isinstance(answers[1], Outage)
    assert await noted(pool) == ["a", "c"]


async def test_all_hear_of_a_lost_connection_and_none_is_carried_out_again(
    shared: SharedRoundTrips, pool: Pool
) -> None:
    lost = StepStatement("b", "SELECT pg_terminate_backend(pg_backend_pid())::text", {})

    first, *answers = await all_of(shared, note("a"), lost, note("c"))

    assert first == ["a"]
    assert all(isinstance(answer, Outage) for answer in answers)
    assert await all_of(shared, note("d")) == [["d"]]
    assert await noted(pool) == ["a", "d"]


async def test_one_that_no_longer_waits_holds_up_nobody(shared: SharedRoundTrips, pool: Pool) -> None:
    tasks = [asyncio.create_task(shared.run(note(name))) for name in "abcd"]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[2].cancel()

    answers = await asyncio.gather(*tasks, return_exceptions=True)

    assert [isinstance(answer, BaseException) for answer in answers] == [True, False, True, False]
    assert {"b", "d"} <= set(await noted(pool))
    assert await all_of(shared, note("e")) == [["e"]]
