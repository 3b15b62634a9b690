"""A database that is gone, or forgets its last instants: whoever lost some is told, and no reward comes of it."""

from dataclasses import replace
from decimal import Decimal

import httpx
import pytest

from companyos.chassis.world.context import HEADER, Context, sign
from orchestrator.episodes.facade import Episodes, Refusal
from orchestrator.protocol.problems import Outage
from orchestrator.protocol.records import StepOutcome
from orchestrator.storage.store import ENDING_COLUMNS
from tests.live_services import CONTEXT_KEY

from .test_outages import orders
from .toy_stack import Play, ToyStack, begin


async def test_a_database_that_is_gone_is_an_outage(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator(
        database_url="postgresql://orchestrator@/companyos?host=/nowhere"
    ) as episodes:
        ready = await episodes.ready()

        assert ready["ready"] is False
        assert ready["parts"]["database"] != "ok"
        assert ready["parts"]["shop"] == "ok"
        with pytest.raises(Refusal, match="database") as caught:
            await episodes.state("ep-1")
        assert (caught.value.status, caught.value.retryable) == (503, True)


async def roll_back(toy_stack: ToyStack, play: Play) -> None:
    """Have the database forget the first step, as a crash does that had not reached the disk."""
    await toy_stack.write(
        "WITH forgotten AS (DELETE FROM orchestrator.steps s USING orchestrator.episodes e "
        "WHERE e.id = %s AND s.world = e.world RETURNING s.world) "
        "UPDATE orchestrator.episodes SET step = 0, total = 0, sim_now = 1000000 "
        "WHERE world IN (SELECT world FROM forgotten) RETURNING 1",
        play.id,
    )


async def crash(toy_stack: ToyStack, play: Play) -> None:
    """Have the database forget all that the first step did, as a crash does, everywhere."""
    await roll_back(toy_stack, play)
    first_hash = play.replies[0].metadata["trace_hash"]
    [[world]] = await toy_stack.write(
        "UPDATE orchestrator.episodes e SET hash = %s, due = b.due FROM orchestrator.bases b "
        "WHERE e.id = %s AND b.digest = e.base RETURNING world",
        first_hash,
        play.id,
    )
    for table in ("shop.orders", "shop.world_outcomes", "shop.world_counters", "shop.world_due"):
        await toy_stack.write(f"DELETE FROM {table} WHERE layer_id = %s RETURNING 1", world)
    for table in ("depot.world_outcomes", "depot.world_counters", "depot.world_due"):
        await toy_stack.write(f"DELETE FROM {table} WHERE layer_id = %s RETURNING 1", world)
    for table in ("shop.outbox", "depot.outbox"):
        await toy_stack.write(f"DELETE FROM {table} WHERE layer = %s RETURNING 1", world)


async def test_steps_that_a_database_forgot_end_an_episode_whose_trainer_does_not_count(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await crash(toy_stack, play)
    await episodes.grade(play.id)

    reply = await episodes.step(play.id, {"tool_name": "shop_list_orders"})

    assert reply.metadata["invalid"] is True
    assert "steps_lost" in reply.metadata["invalid_reason"]


async def test_a_trainer_who_counts_is_told_the_true_step_and_goes_on_from_there(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await crash(toy_stack, play)

    with pytest.raises(Refusal, match="the next step of this episode is 1") as caught:
        await episodes.step(play.id, {"tool_name": "shop_list_orders"}, step=2)
    other = {"tool_name": "shop_place_order", "arguments": {"item": "table"}}
    reply = await episodes.step(play.id, other, step=1)

    assert (caught.value.status, caught.value.code) == (409, "step_out_of_order")
    assert reply.metadata["invalid"] is False
    assert await orders(play) == ["table"]


async def test_a_replica_does_not_grade_by_steps_that_a_crash_undid(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play, straight = await begin(episodes), await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await crash(toy_stack, play)
    rest: list[dict[str, object]] = [
        {"tool_name": "wait", "arguments": {"seconds": 3600}},
        {"tool_name": "shop_list_orders"},
        {"tool_name": "finish"},
    ]

    async with toy_stack.orchestrator() as other:
        for step, action in enumerate(rest[:2], 1):
            await other.step(play.id, action, step=step)
    last = await episodes.step(play.id, rest[2], step=3)
    expected = [await episodes.step(straight.id, action) for action in rest][-1]

    assert last.metadata["trace_hash"] == expected.metadata["trace_hash"]
    assert last.metadata["success"] is False


async def test_a_step_is_not_recorded_after_a_crash_that_undid_what_the_services_did_for_it(
    episodes: Episodes,
) -> None:
    play = await begin(episodes)
    store = episodes._components.store
    claim = await store.claim(play.id, action="-", step=1)
    assert claim is not None
    record = {**dict.fromkeys(ENDING_COLUMNS), "step": 1, "sim_now": claim.episode.now, "hash": "-"}
    played = StepOutcome(record, due={}, total=Decimal(0))

    with pytest.raises(Outage, match="crashed after this work began"):
        await store.commit(replace(claim, epoch="the epoch before"), played, b"{}")

    assert (await episodes.state(play.id))["step_count"] == 0


async def test_a_call_of_a_life_before_is_refused_and_leaves_nothing(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    episode = await episodes._episode(play.id)
    context = Context(episode.world, episode.chain, episode.now, "ann", "clerk", "s1", "s1", epoch="before")

    async with httpx.AsyncClient(base_url=toy_stack.services["shop"]) as shop:
        headers = {HEADER: sign(context, CONTEXT_KEY)}
        answer = await shop.post("/orders", json={"item": "lamp"}, headers=headers)

    assert (answer.status_code, answer.json()["type"]) == (503, "database_unavailable")
    assert await orders(play) == []


async def test_a_world_that_is_ahead_of_its_episode_is_never_taken_for_the_agents_mistake(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    same, other = await begin(episodes), await begin(episodes)
    for play in (same, other):
        await play.call("shop_place_order", item="lamp")
        await roll_back(toy_stack, play)

    async with toy_stack.orchestrator() as fresh:
        again = await Play(fresh, same.replies).call("shop_place_order", item="lamp")
        ahead = await Play(fresh, other.replies).call("shop_place_order", item="table")

    assert again.observation["result"]["id"] == "ORD-0001"
    assert "world_ahead" in ahead.metadata["invalid_reason"]


async def test_a_world_number_given_out_again_is_not_taken_for_the_old_world(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    old, new = await begin(episodes, seed=0), await begin(episodes, seed=2)
    await old.call("shop_place_order", item="lamp")
    [[world]] = toy_stack.rows("SELECT world FROM orchestrator.episodes WHERE id = %s", old.id)
    await toy_stack.write("DELETE FROM orchestrator.steps WHERE world = %s RETURNING 1", world)
    await toy_stack.write("DELETE FROM orchestrator.episodes WHERE id = %s RETURNING 1", old.id)
    await toy_stack.write("DELETE FROM shop.world_outcomes WHERE layer_id = %s RETURNING 1", world)
    await toy_stack.write("DELETE FROM shop.orders WHERE layer_id = %s RETURNING 1", world)
    await toy_stack.write(
        "UPDATE orchestrator.episodes SET world = %s, chain = ARRAY[chain[1], %s::bigint] WHERE id = %s RETURNING 1",
        world,
        world,
        new.id,
    )

    reply = await new.call("shop_list_orders")

    assert reply.metadata["invalid"] is False
    grade = await episodes.grade(new.id)
    assert [one["holds"] for one in grade["milestones"]] == [False, False]
