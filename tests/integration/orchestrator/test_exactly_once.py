"""A step is played exactly once, by whichever process, however often it is sent."""

import asyncio
from typing import Any

import psycopg
import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions

from .test_outages import consumer_stopped, orders
from .toy_stack import Play, ToyStack, begin

LAMP = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
TABLE = {"tool_name": "shop_place_order", "arguments": {"item": "table"}}


async def refusal(episodes: Episodes, episode_id: str, action: Any, step: int | None = None) -> Refusal:
    with pytest.raises(Refusal) as caught:
        await episodes.step(episode_id, action, step=step)
    return caught.value


async def test_a_repeated_step_returns_its_stored_reply(episodes: Episodes) -> None:
    play = await begin(episodes)
    first = await episodes.step(play.id, LAMP, step=1)
    await episodes.step(play.id, TABLE, step=2)

    again = await episodes.step(
        play.id, {"app": "shop", "method": "place_order", "params": {"item": "lamp"}}, step=1
    )

    assert again == first
    assert await orders(play) == ["lamp", "table"]


async def test_a_repeated_last_step_returns_its_stored_reply(episodes: Episodes) -> None:
    play = await begin(episodes)
    first = await episodes.step(play.id, {"tool_name": "finish"}, step=1)

    assert await episodes.step(play.id, {"tool_name": "finish"}, step=1) == first


async def test_a_step_number_that_is_taken_or_skipped_is_refused(episodes: Episodes) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LAMP, step=1)

    taken = await refusal(episodes, play.id, TABLE, step=1)
    skipped = await refusal(episodes, play.id, TABLE, step=3)
    nonsense = await refusal(episodes, play.id, TABLE, step=0)

    assert (taken.status, taken.code) == (409, "step_conflict")
    assert (skipped.status, skipped.code) == (409, "step_out_of_order")
    assert nonsense.code == "step_out_of_order"
    assert await orders(play) == ["lamp"]


async def test_two_steps_at_once_are_one_step_and_a_refusal(episodes: Episodes) -> None:
    play = await begin(episodes)

    answers = await asyncio.gather(*(episodes.step(play.id, LAMP) for _ in range(5)), return_exceptions=True)

    refusals = [answer for answer in answers if isinstance(answer, Refusal)]
    assert len(refusals) == 4
    assert {told.code for told in refusals} == {"step_in_progress"}
    assert await orders(play) == ["lamp"]


async def test_the_same_step_at_two_replicas_is_played_once(toy_stack: ToyStack, episodes: Episodes) -> None:
    async with toy_stack.orchestrator() as other:
        for number in range(5):
            play = await begin(episodes, episode_id=f"twin-{number}")
            answers = await asyncio.gather(
                *(one.step(play.id, LAMP, step=1) for one in (episodes, other)), return_exceptions=True
            )

            replies = [answer for answer in answers if not isinstance(answer, BaseException)]
            assert replies
            assert all(isinstance(answer, Refusal) for answer in answers if isinstance(answer, BaseException))
            assert (await other.step(play.id, LAMP, step=1)).metadata == replies[0].metadata
            assert await orders(play) == ["lamp"]


async def test_any_replica_plays_the_next_step(toy_stack: ToyStack, episodes: Episodes) -> None:
    alone, shared = await begin(episodes), await begin(episodes)
    async with toy_stack.orchestrator() as other:
        for action in (
            LAMP,
            TABLE,
            {"tool_name": "wait", "arguments": {"seconds": 7200}},
            {"tool_name": "finish"},
        ):
            for one, turns in ((alone, (episodes,)), (shared, (episodes, other))):
                one.replies.append(await turns[len(one.replies) % len(turns)].step(one.id, action))

    assert alone.last.metadata["trace_hash"] == shared.last.metadata["trace_hash"]
    assert alone.last.metadata["episode_return"] == shared.last.metadata["episode_return"]


async def test_a_restart_keeps_every_episode(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator() as before:
        play = await begin(before)
        await before.step(play.id, LAMP)
        trace = await before.trace(play.id)

    async with toy_stack.orchestrator() as after:
        assert await after.trace(play.id) == trace
        resumed = Play(after, play.replies)
        await resumed.call("wait", seconds=3600)
        await resumed.call("finish")

        assert resumed.last.metadata["success"] is True
        assert resumed.last.metadata["episode_return"] == 17.7


async def test_a_step_that_died_with_its_process_is_completed_by_the_next(toy_stack: ToyStack) -> None:
    async with consumer_stopped(toy_stack.apps["depot"]), toy_stack.orchestrator(settle_s=60.0) as dying:
        play = await begin(dying)
        step = asyncio.create_task(dying.step(play.id, LAMP))
        await asyncio.sleep(0.3)
        step.cancel()
        dying._steps._under_way.copy().pop().cancel()

    async with toy_stack.orchestrator() as after:
        assert (await refusal(after, play.id, TABLE)).code == "step_in_progress"
        reply = await after.step(play.id, LAMP)

        assert reply.reward == 0.9
        assert await orders(Play(after, play.replies)) == ["lamp"]


async def test_an_episode_closed_under_a_step_takes_no_step(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    async with consumer_stopped(toy_stack.apps["depot"]):
        step = asyncio.create_task(episodes.step(play.id, LAMP))
        await asyncio.sleep(0.2)
        await episodes.close(play.id)

    with pytest.raises(Refusal) as caught:
        await step
    assert caught.value.code == "episode_unknown"


async def test_a_base_is_loaded_once_however_many_ask_for_it(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator() as one, toy_stack.orchestrator() as other:
        options = ResetOptions(scenario="errand", chaos=0, seed=31337)
        replies = await asyncio.gather(*(each.reset(options) for each in (one, other) for _ in range(8)))

    assert len({reply.metadata["episode_id"] for reply in replies}) == 16
    assert len({reply.metadata["trace_hash"] for reply in replies}) == 1
    [[bases]] = toy_stack.rows(
        "SELECT count(DISTINCT base) FROM orchestrator.episodes WHERE scenario = 'errand' AND seed = 31337"
    )
    assert bases == 1


async def test_an_episode_is_not_called_unknown_where_a_crash_takes_a_step_that_is_just_looked_up(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LAMP, step=1)
    with psycopg.connect(toy_stack.databases.admin_url) as crash:
        crash.execute("LOCK TABLE orchestrator.steps IN ACCESS EXCLUSIVE MODE")
        looking = asyncio.create_task(refusal(episodes, play.id, LAMP, step=1))
        async with asyncio.timeout(9):
            while not toy_stack.rows(WAITS_FOR_RECORDS):
                await asyncio.sleep(0.05)
        crash.execute(
            "DELETE FROM orchestrator.steps s USING orchestrator.episodes e WHERE e.id = %s AND s.world = e.world",
            (play.id,),
        )
        crash.execute("UPDATE orchestrator.episodes SET step = 0 WHERE id = %s", (play.id,))

    told = await looking

    assert (told.status, told.code, told.retryable) == (409, "step_in_progress", True)


WAITS_FOR_RECORDS = "SELECT 1 FROM pg_locks WHERE relation = 'orchestrator.steps'::regclass AND NOT granted"
