"""What the stack fails at is refused and can be sent again; nothing is lost and nothing is done twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal

import httpx
import pytest
from fastapi import FastAPI

from companyos.chassis.world.context import HEADER, Context, sign
from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.protocol.problems import Outage
from orchestrator.protocol.records import StepOutcome
from tests.live_services import CONTEXT_KEY

from .faulty_proxy import FaultyProxy, State, proxy_to
from .toy_stack import Play, ToyStack, begin


@asynccontextmanager
async def through_a_proxy(
    toy_stack: ToyStack, *, patience_s: float = 0.0
) -> AsyncIterator[tuple[Episodes, FaultyProxy]]:
    """An orchestrator that reaches the shop through a proxy."""
    async with (
        proxy_to(toy_stack.services["shop"]) as proxy,
        toy_stack.orchestrator(
            services={**toy_stack.services, "shop": proxy.url}, call_s=1.0, patience_s=patience_s
        ) as episodes,
    ):
        yield episodes, proxy


@asynccontextmanager
async def consumer_stopped(app: FastAPI) -> AsyncIterator[None]:
    """A service that answers calls but applies no events."""
    await app.state.consumer.stop()
    try:
        yield
    finally:
        await app.state.consumer.start()
        # redis-py loses a cancellation that comes while it connects: let it, before somebody stops it again.
        await asyncio.sleep(0.1)


async def refused(play: Play, tool_name: str, **arguments: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        await play.call(tool_name, **arguments)
    return caught.value


async def orders(play: Play) -> list[str]:
    listed = await play.call("shop_list_orders")
    return [order["item"] for order in listed.observation["result"]["items"] if order["item"] != "chair"]


async def test_a_service_that_is_down_is_refused_until_it_is_back(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes)
        proxy.cut()
        told = await refused(play, "shop_place_order", item="lamp")
        assert (told.status, told.code, told.retryable) == (503, "service_unavailable", True)
        assert (await episodes.state(play.id))["step_count"] == 0

        proxy.state = State.UP
        reply = await play.call("shop_place_order", item="lamp")

        assert reply.reward == 0.9
        assert await orders(play) == ["lamp"]


async def test_a_service_that_restarts_is_only_slow(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes)
        proxy.cut()
        step = asyncio.create_task(play.call("shop_place_order", item="lamp"))
        await asyncio.sleep(0.2)
        proxy.state = State.UP

        assert (await step).reward == 0.9
        assert await orders(play) == ["lamp"]


async def test_a_reply_that_was_lost_is_not_done_again(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes)
        proxy.state = State.LOSING
        assert (await refused(play, "shop_place_order", item="lamp")).code == "service_unavailable"

        proxy.state = State.UP
        reply = await play.call("shop_place_order", item="lamp")

        assert reply.observation["result"]["id"] == "ORD-0001"
        assert await orders(play) == ["lamp"]
        [_, record, _] = await episodes.trace(play.id)
        assert [event["id"] for event in record["events"]] == ["s1.shop.1", "s1.shop.1.depot.1"]


async def test_a_service_that_hangs_is_refused_when_its_time_is_up(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes)
        proxy.state = State.SILENT

        async with asyncio.timeout(5):
            told = await refused(play, "shop_list_orders")

        assert "no answer in time" in told.detail


@pytest.fixture(scope="module")
async def hasty(toy_stack: ToyStack) -> AsyncIterator[Episodes]:
    """An orchestrator that waits for events no longer than a second."""
    async with toy_stack.orchestrator(settle_s=1.0) as opened:
        yield opened


async def test_a_step_whose_events_are_not_applied_is_unsettled_and_completed_when_sent_again(
    toy_stack: ToyStack, hasty: Episodes
) -> None:
    play = await begin(hasty)
    async with consumer_stopped(toy_stack.apps["depot"]):
        told = await refused(play, "shop_place_order", item="lamp")
        assert (told.status, told.code, told.retryable) == (503, "step_unsettled", True)
        assert "depot: did not apply event s1.shop.1" in told.detail

    reply = await play.call("shop_place_order", item="lamp")

    assert reply.reward == 0.9
    [_, record] = await hasty.trace(play.id)
    assert [event["id"] for event in record["events"]] == ["s1.shop.1", "s1.shop.1.depot.1"]
    assert await orders(play) == ["lamp"]


async def test_a_wait_that_was_cut_short_goes_on_where_it_stopped(
    toy_stack: ToyStack, hasty: Episodes
) -> None:
    play, straight = await begin(hasty), await begin(hasty)
    for one in (play, straight):
        await one.call("shop_place_order", item="lamp")
        await one.call("shop_place_order", item="table")
    async with consumer_stopped(toy_stack.apps["depot"]):
        assert (await refused(play, "wait", until="2030-01-12T18:00:00Z")).code == "step_unsettled"

    cut = await play.call("wait", until="2030-01-12T18:00:00Z")
    whole = await straight.call("wait", until="2030-01-12T18:00:00Z")

    assert cut.metadata["trace_hash"] == whole.metadata["trace_hash"]


async def test_a_failed_step_is_given_up_after_three_attempts_and_never_scored(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes, reward_mode="outcome")
        proxy.cut()
        await refused(play, "shop_place_order", item="lamp")
        await refused(play, "shop_place_order", item="lamp")

        reply = await play.call("shop_place_order", item="lamp")

        assert (reply.reward, reply.done) == (0.0, True)
        assert reply.metadata["invalid"] is True
        assert reply.metadata["success"] is None
        assert reply.observation["error"]["code"] == "episode_invalid"
        assert reply.metadata["truncated"] is True
        listed = await episodes.episodes(scenario="errand", limit=200)
        assert listed["counts"]["invalid"] >= 1
        assert (await refused(play, "shop_list_orders")).code == "episode_done"


async def test_a_short_outage_is_waited_out_however_often_the_step_is_sent(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack, patience_s=30.0) as (episodes, proxy):
        play = await begin(episodes)
        proxy.cut()
        for _ in range(6):
            assert (await refused(play, "shop_place_order", item="lamp")).retryable
        proxy.state = State.UP

        reply = await play.call("shop_place_order", item="lamp")

    assert reply.observation["result"]["id"] == "ORD-0001"
    assert reply.metadata["invalid"] is False


async def test_another_action_waits_for_the_step_that_failed(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes)
        proxy.cut()
        await refused(play, "shop_place_order", item="lamp")
        proxy.state = State.UP

        other = await refused(play, "shop_place_order", item="table")
        same = await play.call("shop_place_order", item="lamp")

        assert (other.status, other.code) == (409, "step_in_progress")
        assert same.observation["result"]["item"] == "lamp"


async def test_a_step_nobody_sends_again_gives_way_to_the_end_of_its_episode(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        play = await begin(episodes)
        proxy.cut()
        await refused(play, "shop_place_order", item="lamp")
        proxy.state = State.UP
        toy_stack.rows(
            "UPDATE orchestrator.episodes SET claim_since = claim_since - interval '2 minutes', "
            "used_at = used_at - interval '2 minutes' WHERE id = %s RETURNING id",
            play.id,
        )

        reply = await play.call("shop_list_orders")

        assert reply.done
        assert "abandoned" in reply.metadata["invalid_reason"]


async def test_a_reset_needs_every_service(toy_stack: ToyStack) -> None:
    async with (
        proxy_to(toy_stack.services["shop"]) as proxy,
        toy_stack.orchestrator(services={**toy_stack.services, "shop": proxy.url}, call_s=1.0) as episodes,
    ):
        proxy.cut()
        with pytest.raises(Refusal) as caught:
            await episodes.reset(ResetOptions(scenario="errand", chaos=0, seed=77))
        assert (caught.value.status, caught.value.code) == (503, "service_unavailable")
        assert (await episodes.ready())["ready"] is False

        proxy.state = State.UP
        assert (await begin(episodes, seed=77)).last.done is False
        assert (await episodes.ready())["ready"] is True


async def test_a_client_that_gives_up_leaves_a_whole_step_behind(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    action = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
    async with consumer_stopped(toy_stack.apps["depot"]):
        with pytest.raises(Refusal, match="still being played") as caught:
            await episodes.step(play.id, action, step=1, timeout_s=0.1)
        assert (caught.value.status, caught.value.retryable) == (503, True)
        with pytest.raises(Refusal) as meanwhile:
            await episodes.step(play.id, action, step=1)
        assert meanwhile.value.code == "step_in_progress"

    async with asyncio.timeout(5):
        while (await episodes.state(play.id))["step_count"] == 0:
            await asyncio.sleep(0.02)
    reply = await episodes.step(play.id, action, step=1)

    assert reply.observation["result"]["id"] == "ORD-0001"
    assert await orders(play) == ["lamp"]


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


def roll_back(toy_stack: ToyStack, play: Play) -> None:
    """Have the database forget the first step, as a crash does that had not reached the disk."""
    toy_stack.rows(
        "WITH forgotten AS (DELETE FROM orchestrator.steps s USING orchestrator.episodes e "
        "WHERE e.id = %s AND s.world = e.world RETURNING s.world) "
        "UPDATE orchestrator.episodes SET step = 0, total = 0, sim_now = 1000000 "
        "WHERE world IN (SELECT world FROM forgotten) RETURNING 1",
        play.id,
    )


def crash(toy_stack: ToyStack, play: Play) -> None:
    """Have the database forget all that the first step did, as a crash does, everywhere."""
    roll_back(toy_stack, play)
    first_hash = play.replies[0].metadata["trace_hash"]
    [[world]] = toy_stack.rows(
        "UPDATE orchestrator.episodes e SET hash = %s, due = b.due FROM orchestrator.bases b "
        "WHERE e.id = %s AND b.digest = e.base RETURNING world",
        first_hash,
        play.id,
    )
    for table in ("shop.orders", "shop.world_outcomes", "shop.world_counters", "shop.world_due"):
        toy_stack.rows(f"DELETE FROM {table} WHERE layer_id = %s RETURNING 1", world)
    for table in ("depot.world_outcomes", "depot.world_counters", "depot.world_due"):
        toy_stack.rows(f"DELETE FROM {table} WHERE layer_id = %s RETURNING 1", world)
    for table in ("shop.outbox", "depot.outbox"):
        toy_stack.rows(f"DELETE FROM {table} WHERE layer = %s RETURNING 1", world)


async def test_steps_that_a_database_forgot_end_an_episode_whose_trainer_does_not_count(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    crash(toy_stack, play)
    await episodes.grade(play.id)

    reply = await episodes.step(play.id, {"tool_name": "shop_list_orders"})

    assert reply.metadata["invalid"] is True
    assert "steps_lost" in reply.metadata["invalid_reason"]


async def test_a_trainer_who_counts_is_told_the_true_step_and_goes_on_from_there(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    crash(toy_stack, play)

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
    crash(toy_stack, play)
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
    played = StepOutcome(step=1, now=claim.episode.now, due={}, total=Decimal(0), hash="-", record={})

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
        roll_back(toy_stack, play)

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
    toy_stack.rows("DELETE FROM orchestrator.steps WHERE world = %s RETURNING 1", world)
    toy_stack.rows("DELETE FROM orchestrator.episodes WHERE id = %s RETURNING 1", old.id)
    toy_stack.rows("DELETE FROM shop.world_outcomes WHERE layer_id = %s RETURNING 1", world)
    toy_stack.rows("DELETE FROM shop.orders WHERE layer_id = %s RETURNING 1", world)
    toy_stack.rows(
        "UPDATE orchestrator.episodes SET world = %s, chain = ARRAY[chain[1], %s::bigint] WHERE id = %s RETURNING 1",
        world,
        world,
        new.id,
    )

    reply = await new.call("shop_list_orders")

    assert reply.metadata["invalid"] is False
    grade = await episodes.grade(new.id)
    assert [one["holds"] for one in grade["milestones"]] == [False, False]
