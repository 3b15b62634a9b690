"""Two processes that leave the same layers in different orders: PostgreSQL ends one statement, and nobody notices."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from orchestrator.episodes.facade import Episodes
from orchestrator.protocol.problems import Outage
from orchestrator.storage import deadlocks
from tests.patience import PATIENCE_S

from .toy_stack import Play, ToyStack, begin

LEAVE = "INSERT INTO orchestrator.garbage (layer, due_at) VALUES (%s, clock_timestamp() + interval '1 hour')"


@pytest.fixture
async def other(toy_stack: ToyStack) -> AsyncIterator[psycopg.AsyncConnection]:
    """Another process in the middle of a transaction, which is never the one that the server ends."""
    async with await psycopg.AsyncConnection.connect(toy_stack.databases.admin_url) as connection:
        await connection.execute("SET deadlock_timeout = '1h'")
        yield connection
        await connection.rollback()


async def layers_of(toy_stack: ToyStack, play: Play) -> list[int]:
    """An episode's own layers: two of them, since it was snapshotted after a step."""
    await play.call("shop_place_order", item="lamp")
    await play.episodes.branches.snapshot(play.id)
    [[chain]] = toy_stack.rows("SELECT chain FROM orchestrator.episodes WHERE id = %s", play.id)
    return sorted(layer for layer in chain if layer > 0)


async def test_a_statement_rolled_back_in_a_deadlock_is_run_again(
    toy_stack: ToyStack, episodes: Episodes, other: psycopg.AsyncConnection
) -> None:
    play = await begin(episodes)
    first, second = await layers_of(toy_stack, play)
    await other.execute(LEAVE, [second])
    closing = asyncio.create_task(episodes.close(play.id))
    async with asyncio.timeout(PATIENCE_S):
        while not toy_stack.rows("SELECT 1 FROM pg_locks WHERE NOT granted"):
            await asyncio.sleep(0.01)

    # The close has left the first layer and waits for the second. Here it is the other way round.
    await other.execute(LEAVE, [first])
    await other.commit()
    await closing

    assert toy_stack.rows("SELECT 1 FROM orchestrator.episodes WHERE id = %s AND NOT done", play.id) == []
    left = toy_stack.rows("SELECT layer FROM orchestrator.garbage WHERE layer IN (%s, %s)", first, second)
    assert len(left) == 2


async def test_a_statement_that_is_always_rolled_back_is_an_outage() -> None:
    tries = 0

    async def run() -> None:
        nonlocal tries
        tries += 1
        raise Outage("database", "deadlock detected") from psycopg.errors.DeadlockDetected()

    with pytest.raises(Outage):
        await deadlocks.despite_deadlocks(run)
    assert tries == deadlocks.MOST + 1


async def test_any_other_outage_is_told_at_once() -> None:
    tries = 0

    async def run() -> None:
        nonlocal tries
        tries += 1
        raise Outage("database", "gone") from psycopg.OperationalError()

    with pytest.raises(Outage):
        await deadlocks.despite_deadlocks(run)
    assert tries == 1
