"""However fast a stack plays, what gathers is bounded: whoever loads or leaves one too many makes room first."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest

from orchestrator.episodes.facade import Episodes
from orchestrator.maintenance import background_jobs
from orchestrator.worlds.garbage_collection import MOST_WAITING
from tests.patience import PATIENCE_S

from .second_stack import second_stack
from .toy_stack import ToyStack, begin, ready_orchestrator

PLAYERS, BASES, KEPT = 8, 4, 10
LOADED = "SELECT count(*) FROM orchestrator.bases"
WAITING = "SELECT count(*) FROM orchestrator.garbage WHERE NOT reaped"
AHEAD = "SELECT 1 FROM orchestrator.garbage WHERE layer = %s AND reaped AND due_at > clock_timestamp()"
FINISHED = "SELECT count(*) FROM orchestrator.episodes WHERE done"


@pytest.fixture(scope="module")
async def alone(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ToyStack]:
    """A town that nobody else plays in."""
    async with second_stack(tmp_path_factory.mktemp("alone")) as toy_stack:
        yield toy_stack


@pytest.fixture
async def unkept(alone: ToyStack, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Episodes]:
    """An orchestrator whose garbage collection runs once, when there is nothing yet: what goes later, others let go."""
    monkeypatch.setattr(background_jobs, "TIDY_EVERY_S", 3600.0)
    async with ready_orchestrator(alone, max_bases=BASES, keep_episodes=KEPT) as episodes:
        yield episodes


async def most_of(toy_stack: ToyStack, episodes: Episodes, seeds: Iterator[int], *counted: str) -> list[int]:
    """Play an episode to its end for each seed, a few at once, and return the greatest of each count on the way."""
    most = [0] * len(counted)
    async with await psycopg.AsyncConnection.connect(
        toy_stack.databases.admin_url, autocommit=True
    ) as looking:

        async def look() -> None:
            for place, statement in enumerate(counted):
                [[count]] = await (await looking.execute(statement)).fetchall()
                most[place] = max(most[place], count)

        async def keep_playing() -> None:
            for seed in seeds:
                play = await begin(episodes, seed=seed)
                await look()
                await play.call("finish")
                await look()

        await asyncio.gather(*(keep_playing() for _ in range(PLAYERS)))
    return most


async def test_loaded_bases_are_limited_to_kept_and_used_ones(alone: ToyStack, unkept: Episodes) -> None:
    [most] = await most_of(alone, unkept, iter(range(0, 80, 2)), LOADED)

    assert most <= BASES + PLAYERS
    assert alone.rows("SELECT digest FROM orchestrator.bases EXCEPT SELECT digest FROM shop.bases") == []
    assert alone.rows("SELECT digest FROM shop.bases EXCEPT SELECT digest FROM orchestrator.bases") == []


async def test_layers_that_wait_to_be_reaped_and_surplus_episodes_stay_few(
    alone: ToyStack, unkept: Episodes
) -> None:
    most = 3 * (MOST_WAITING + PLAYERS)

    waiting, finished = await most_of(alone, unkept, iter([0] * 2 * most), WAITING, FINISHED)

    assert waiting <= most
    assert finished <= KEPT + most


async def test_late_writes_to_a_reaped_layer_are_removed(alone: ToyStack, unkept: Episodes) -> None:
    play = await begin(unkept)
    await play.call("finish")
    [[layer]] = alone.rows("SELECT world FROM orchestrator.episodes WHERE id = %s", play.id)
    await most_of(alone, unkept, iter([0] * 2 * MOST_WAITING))
    await tidied(alone, unkept, AHEAD, layer)
    late = "INSERT INTO shop.world_counters (layer_id, id, value) VALUES (%s, 'late', 1) RETURNING 1"
    await alone.write(late, layer)
    soon = "UPDATE orchestrator.garbage SET due_at = now() - interval '1 second' WHERE layer = %s RETURNING 1"
    await alone.write(soon, layer)

    looked_at = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM orchestrator.garbage WHERE layer = %s)"
    await tidied(alone, unkept, looked_at, layer)

    assert alone.rows("SELECT 1 FROM shop.world_counters WHERE layer_id = %s", layer) == []


async def tidied(toy_stack: ToyStack, episodes: Episodes, until: str, layer: int) -> None:
    """Collect garbage until a statement about a layer finds something."""
    async with asyncio.timeout(PATIENCE_S):
        while not toy_stack.rows(until, layer):
            await episodes._background_jobs.tidy()


async def test_a_base_that_is_asked_for_while_it_is_forgotten_is_loaded_again(
    alone: ToyStack, unkept: Episodes
) -> None:
    async def again_and_again(seed: int) -> None:
        for _ in range(6):
            play = await begin(unkept, seed=seed)
            listed = await play.call("shop_list_orders")
            assert listed.observation["result"]["items"]
            await play.call("finish")

    # More than may stay, in turns, so that each is forgotten again and again.
    await asyncio.gather(*(again_and_again(1_000 + 2 * number) for number in range(3 * BASES)))


async def test_an_orchestrator_that_stops_gives_up_what_it_is_clearing(alone: ToyStack) -> None:
    async with await psycopg.AsyncConnection.connect(alone.databases.admin_url) as looking:
        before = asyncio.all_tasks()
        async with ready_orchestrator(alone) as episodes:
            await looking.execute("LOCK orchestrator.garbage")
            asking = asyncio.create_task(episodes._background_jobs.tidy())
            while not (clearing := {task for task in asyncio.all_tasks() - before if "_clear" in repr(task)}):
                await asyncio.sleep(0)

        assert all(task.done() for task in clearing)
        await asyncio.wait([asking])
