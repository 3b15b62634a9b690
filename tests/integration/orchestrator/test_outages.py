"""What the stack fails at is refused and can be sent again; nothing is lost and nothing is done twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from tests.patience import PATIENCE_S

from .agent_client import trainer_of
from .faulty_proxy import FaultyProxy, State, proxy_to
from .toy_stack import Play, ToyStack, begin

ORDER = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}


@asynccontextmanager
async def through_a_proxy(
    toy_stack: ToyStack, *, patience_s: float = 0.0
) -> AsyncIterator[tuple[Episodes, FaultyProxy]]:
    """An orchestrator that reaches the shop through a proxy."""
    async with (
        proxy_to(toy_stack.services["shop"]) as proxy,
        toy_stack.orchestrator(
            services={**toy_stack.services, "shop": proxy.url}, call_s=2.0, patience_s=patience_s
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

        async with asyncio.timeout(PATIENCE_S):
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
        await toy_stack.write(
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
        toy_stack.orchestrator(services={**toy_stack.services, "shop": proxy.url}, call_s=2.0) as episodes,
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

    async with asyncio.timeout(PATIENCE_S):
        while (await episodes.state(play.id))["step_count"] == 0:
            await asyncio.sleep(0.02)
    reply = await episodes.step(play.id, action, step=1)

    assert reply.observation["result"]["id"] == "ORD-0001"
    assert await orders(play) == ["lamp"]


async def test_a_batch_that_met_nothing_but_an_outage_is_to_be_sent_again_as_a_whole(
    toy_stack: ToyStack,
) -> None:
    async with (
        through_a_proxy(toy_stack, patience_s=30.0) as (episodes, proxy),
        trainer_of(episodes) as trainer,
    ):
        plays = [await begin(episodes), await begin(episodes)]
        steps = [{"episode_id": play.id, "action": ORDER, "step": 1} for play in plays]
        proxy.cut()
        away = await trainer.post("/batch/step", json=steps)
        partly = await trainer.post("/batch/step", json=[*steps, {"episode_id": "none", "action": ORDER}])
        proxy.state = State.UP
        back = await trainer.post("/batch/step", json=steps)

    assert (away.status_code, away.json()["type"], away.json()["retryable"]) == (
        503,
        "service_unavailable",
        True,
    )
    assert away.headers["retry-after"]
    assert [item["error"]["status"] for item in partly.raise_for_status().json()] == [503, 503, 404]
    assert [item["observation"]["step"] for item in back.raise_for_status().json()] == [1, 1]
