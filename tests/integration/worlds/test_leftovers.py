"""Episodes that were opened, played and closed leave nothing behind: no row, no stream entry, nothing in memory."""

import asyncio
import gc
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from redis.asyncio import Redis

from companyos.chassis.world import context as contexts
from companyos.sdk.scenario import load_scenarios
from orchestrator.episodes.facade import Episodes
from orchestrator.progress.progress_cache import MOST_ANSWERED, MOST_ENDED
from orchestrator.step.commits import MOST_KNOWN
from tests.forks import forked
from tests.live_services import CONTEXT_KEY
from tests.sizes import FULL, size

from .plans import instance_of, plan_of
from .plausible_calls import PlausibleCaller
from .stack import Stack, episode_id

EPISODES, AT_ONCE, STEPS = size(50, 500), 16, 10
GONE_S = 60.0
SCENARIOS = sorted(load_scenarios())

LAST_LAYER = "SELECT last_value FROM orchestrator.worlds"
#: Columns that name a layer or a world, or several, of every table there is.
NAMING = """
SELECT table_schema || '.' || table_name, column_name, data_type = 'ARRAY' FROM information_schema.columns
WHERE column_name IN ('layer_id', 'layer', 'world', 'chain', 'lineage')
    AND table_schema NOT IN ('pg_catalog', 'information_schema')
"""
#: Nobody is in these worlds any more, so there is nothing to wait for.
NOW = "UPDATE orchestrator.garbage SET due_at = now() WHERE layer > %(after)s"


@pytest.fixture(scope="session")
async def redis(stack: Stack) -> AsyncIterator[Redis]:
    client = Redis.from_url(stack.databases.redis_url)
    yield client
    await client.aclose()


async def rows_after(stack: Stack, layer: int) -> dict[str, int]:
    """Return how many rows of later layers or worlds there are, by table and column."""
    found = {}
    for table, column, several in await stack.rows(NAMING):
        named = f"EXISTS (SELECT 1 FROM unnest({column}) AS one WHERE one > %(after)s)"
        later = named if several else f"{column} > %(after)s"
        [[count]] = await stack.rows(f"SELECT count(*) FROM {table} WHERE {later}", {"after": layer})
        found[f"{table}.{column}"] = count
    return found


async def entries_after(redis: Redis, layer: int) -> dict[str, int]:
    """Return how many entries about later layers or worlds there are, by stream; every other key counts as one."""
    found = {}
    keys: Any = await redis.keys("*")
    for key in keys:
        if await redis.type(key) == b"stream":
            entries: Any = await redis.xrange(key)
            found[key.decode()] = sum(max(worlds_of(fields)) > layer for _, fields in entries)
        else:
            found[key.decode()] = 1
    return found


def worlds_of(fields: dict[bytes, bytes]) -> list[int]:
    """Return the layers or worlds that a stream entry is about."""
    if b"event" in fields:
        return [contexts.read(orjson.loads(fields[b"event"])["context"], CONTEXT_KEY).world]
    if b"ack" in fields:
        return [orjson.loads(fields[b"ack"])["world"]]
    return [pair[0] for pair in orjson.loads(fields[b"events"])]


@dataclass(frozen=True)
class Past:
    """Episodes that are over: the last layer before them, and their ids."""

    before: int
    ids: list[str]


async def opened_played_closed(stack: Stack, number: int) -> list[str]:
    """Play an episode, a snapshot and a fork of it, let go of all three, and return the ids of the episodes."""
    options: dict[str, Any] = {
        "scenario": SCENARIOS[number % len(SCENARIOS)],
        "seed": number % 2,
        "chaos": 0,
    }
    episodes = stack.replicas[number % len(stack.replicas)]
    begun = await stack.begin(**options)
    plan = await plan_of(stack, **options)
    instance = instance_of(options["scenario"], options["seed"], options["chaos"])
    clerk = PlausibleCaller(str(number), begun.observation["tools"], instance, plan)
    for _ in range(STEPS - 3):
        await episodes.step(episode_id(begun), clerk.planned())
    kept = (await episodes.branches.snapshot(episode_id(begun)))["snapshot_id"]
    [branch] = await forked(episodes.branches, episode_id(begun), 1)
    for one in (episode_id(begun), branch, branch):
        await episodes.step(one, clerk.call_of(random.Random(number).choice(clerk.tools)))
    for one in (episode_id(begun), branch):
        await episodes.close(one)
    await episodes.branches.drop(kept)
    return [episode_id(begun), branch]


def kept_in_memory(episodes: Episodes) -> dict[str, int]:
    """Return how much this process holds that goes by an episode or a world."""
    parts = episodes._components
    return {
        "busy": len(parts.in_flight._busy),
        "watches": len(parts.barrier._watches),
        "under_way": len(episodes._steps._under_way),
        "settling": sum(len(pairs) for pairs in parts.settlements._waiting.values()),
        "loading": len(parts.instances._shared._under_way),
    }


def holders_of(ids: list[str]) -> list[Any]:
    """Return every dictionary and set of this process, services included, that has one of these ids as a key."""
    wanted = set(ids)
    return [
        one
        for one in gc.get_objects()
        # By the type, because a proxy asks what it stood for, which may be gone.
        if issubclass(type(one), dict | set)
        and one is not wanted
        and any(_is_about(key, wanted) for key in list(one))
    ]


def _is_about(key: Any, ids: set[str]) -> bool:
    name = key[0] if type(key) is tuple and key else key
    return type(name) is str and name in ids


@pytest.fixture(scope="session")
async def past(stack: Stack) -> Past:
    """Play all of them, a few at once."""
    [[before]] = await stack.rows(LAST_LAYER)
    turns = asyncio.Semaphore(AT_ONCE)

    async def in_turn(number: int) -> list[str]:
        async with turns:
            return await opened_played_closed(stack, number)

    played = await asyncio.gather(*(in_turn(number) for number in range(EPISODES)))
    return Past(int(before), [one for ids in played for one in ids])


@pytest.mark.proof
async def test_closed_episodes_leave_no_row_in_any_table(stack: Stack, past: Past) -> None:
    [[last]] = await stack.rows(LAST_LAYER)
    assert last >= past.before + 3 * EPISODES
    assert set(stack.services) < {name.partition(".")[0] for name in await rows_after(stack, 0)}

    async with asyncio.timeout(GONE_S):
        while any((left := await rows_after(stack, past.before)).values()):
            await stack.run(NOW, {"after": past.before})
            await asyncio.sleep(0.2)

    assert not any(left.values())


@pytest.mark.proof
async def test_closed_episodes_leave_nothing_on_the_bus(stack: Stack, redis: Redis, past: Past) -> None:
    async with asyncio.timeout(GONE_S):
        while any((left := await entries_after(redis, past.before)).values()):
            await asyncio.sleep(0.2)

    assert not any(left.values())
    assert await redis.keys("events:*")


@pytest.mark.proof
async def test_closed_episodes_leave_nothing_in_memory_but_what_bounded_caches_keep(
    stack: Stack, past: Past
) -> None:
    for episodes in stack.replicas:
        companies = episodes._components.progress_cache

        async with asyncio.timeout(GONE_S):
            while any((held := kept_in_memory(episodes)).values()):
                await asyncio.sleep(0.2)

        await companies.forget_unused()
        assert not any(held.values())
        assert not set(past.ids) & {episode_id for episode_id, _ in companies._kept}
        assert len(companies._ended) <= MOST_ENDED
        assert len(companies._answered) <= MOST_ANSWERED


@pytest.mark.proof
@pytest.mark.skipif(not FULL, reason="other tests of this process may hold the ids; `make prove` runs it")
async def test_only_three_bounded_caches_refer_to_closed_episodes(stack: Stack, past: Past) -> None:
    parts = [episodes._components for episodes in stack.replicas]
    for part in parts:
        await part.progress_cache.forget_unused()
    known = [episodes._steps._known._known for episodes in stack.replicas]
    caches: list[Any] = [
        *known,
        *(cache for part in parts for cache in (part.progress_cache._ended, part.progress_cache._answered)),
    ]

    async with asyncio.timeout(GONE_S):
        while strange := [one for one in holders_of(past.ids) if not any(one is cache for cache in caches)]:
            del strange
            gc.collect()
            await asyncio.sleep(0.2)

    assert holders_of(past.ids)
    assert all(len(cache) <= MOST_KNOWN for cache in known)
