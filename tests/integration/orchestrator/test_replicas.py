"""Two orchestrators over one database: whichever is asked, what it says and does is the same."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import cycle
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions

from .toy_stack import ToyStack, begin

LAMP = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
TABLE = {"tool_name": "shop_place_order", "arguments": {"item": "table"}}
LATER = {"tool_name": "wait", "arguments": {"seconds": 7200}}
FINISH = {"tool_name": "finish"}
ERRAND = [LAMP, TABLE, LATER, LAMP, FINISH]


@pytest.fixture
async def replicas(toy_stack: ToyStack, episodes: Episodes) -> AsyncIterator[list[Episodes]]:
    """Two orchestrators; the second has seen nothing yet."""
    async with toy_stack.orchestrator() as other:
        yield [episodes, other]


async def played(replicas: Sequence[Episodes], episode_id: str, actions: Sequence[Any]) -> str:
    """Play actions, each at the next replica, and return the hash of the trace."""
    for replica, action in zip(cycle(replicas), actions, strict=False):
        last = await replica.step(episode_id, action)
    return str(last.metadata["trace_hash"])


@pytest.mark.parametrize("before", [0, 1, 3])
async def test_a_snapshot_of_one_replica_is_restored_by_another(
    replicas: list[Episodes], before: int
) -> None:
    one, other = replicas
    play = await begin(one)
    for action in ERRAND[:before]:
        await one.step(play.id, action)
    snapshot = await other.branches.snapshot(play.id)
    first = await played([one, other], play.id, ERRAND[before:])

    restored = await other.branches.restore(play.id, snapshot["snapshot_id"])
    again = await played([one, other], play.id, ERRAND[before:])

    assert (restored["step_count"], again) == (before, first)


async def test_an_episode_begins_at_another_replica_from_a_snapshot(replicas: list[Episodes]) -> None:
    one, other = replicas
    play = await begin(one)
    await one.step(play.id, LAMP)
    snapshot = (await one.branches.snapshot(play.id))["snapshot_id"]

    begun = await other.reset(ResetOptions(snapshot=snapshot))

    expected = await played([one], play.id, ERRAND[1:])
    assert await played([other, one], begun.metadata["episode_id"], ERRAND[1:]) == expected


async def test_a_replica_that_remembers_a_snapshot_refuses_it_once_another_has_dropped_it(
    replicas: list[Episodes],
) -> None:
    one, other = replicas
    snapshot = (await one.branches.snapshot((await begin(one)).id))["snapshot_id"]
    await one.reset(ResetOptions(snapshot=snapshot))
    await other.branches.drop(snapshot)

    with pytest.raises(Refusal) as refused:
        await one.reset(ResetOptions(snapshot=snapshot))

    assert refused.value.code == "snapshot_unknown"


async def test_a_closed_episode_is_unknown_to_every_replica(replicas: list[Episodes]) -> None:
    one, other = replicas
    play = await begin(one)
    await other.step(play.id, LAMP)

    await other.close(play.id)

    with pytest.raises(Refusal, match="no episode"):
        await one.step(play.id, LAMP)


async def test_a_snapshot_waits_for_the_step_that_another_replica_plays(
    toy_stack: ToyStack, replicas: list[Episodes]
) -> None:
    one, other = replicas
    play = await begin(one)
    await toy_stack.apps["depot"].state.consumer.stop()
    try:
        step = asyncio.create_task(one.step(play.id, LAMP))
        while not toy_stack.rows(
            "SELECT 1 FROM orchestrator.episodes WHERE id = %s AND claim_token <> ''", play.id
        ):
            await asyncio.sleep(0.01)
        for refused in (other.branches.snapshot(play.id), other.branches.fork(play.id, 1)):
            with pytest.raises(Refusal, match="under way"):
                await refused
        with pytest.raises(Refusal, match="being played"):
            await other.step(play.id, TABLE)
    finally:
        await toy_stack.apps["depot"].state.consumer.start()
    assert (await step).observation["step"] == 1


async def test_housekeeping_of_several_replicas_leaves_what_one_leaves(
    toy_stack: ToyStack, replicas: list[Episodes]
) -> None:
    one, other = replicas
    kept = await begin(one)
    for _ in range(8):
        await one.step(kept.id, LAMP)
        await other.branches.drop((await one.branches.snapshot(kept.id))["snapshot_id"])
    for _ in range(10):
        await one.close((await begin(other)).id)
    await toy_stack.write("UPDATE orchestrator.garbage SET due_at = now() - interval '1 second' RETURNING 1")

    keepers = [(replica._background_jobs, replica._components.garbage) for replica in replicas] * 3
    works = (work for keeper, garbage in keepers for work in (garbage.reap, keeper.fold, keeper.prune))
    await asyncio.gather(*(work() for work in works))

    assert await played([other], kept.id, [FINISH])
    orders = await one.company(kept.id)
    assert str(orders).count("lamp") >= 8
    assert toy_stack.rows("SELECT 1 FROM orchestrator.garbage WHERE due_at < now() - interval '1 hour'") == []
