"""The oracle's advice at any state, and the value of a state: each proved on a copy of the world."""

import pytest

from orchestrator.episodes.facade import Episodes, Refusal

from .toy_stack import ToyStack, begin, ready_orchestrator

BUY = {"type": "call_tool", "tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
WAIT = {"type": "call_tool", "tool_name": "wait", "arguments": {"seconds": 3600}}
FINISH = {"type": "call_tool", "tool_name": "finish", "arguments": {"answer": "It is there."}}
NO_CALL = {
    "action": None,
    "then": [],
    "calls_left": None,
    "why": "The oracle does not solve the task from here.",
}


async def test_an_agent_that_follows_the_advice_solves_the_task(episodes: Episodes) -> None:
    play = await begin(episodes)
    told = []
    while not play.last.done:
        advice = await episodes.advice.advise(play.id)
        told.append((advice["action"], advice["then"], advice["calls_left"]))
        play.replies.append(await episodes.step(play.id, advice["action"]))

    assert told == [(BUY, [WAIT, FINISH], 3), (WAIT, [FINISH], 2), (FINISH, [], 1)]
    assert play.last.metadata["success"] is True


async def test_reads_between_its_calls_do_not_disturb_the_oracle(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_list_orders")
    await play.call("shop_place_order", item="lamp")
    await play.call("shop_list_orders")

    assert (await episodes.advice.advise(play.id))["action"] == WAIT
    assert await episodes.advice.value(play.id) == {"solvable": True, "calls_left": 2}


async def test_after_harm_no_call_solves_the_task(episodes: Episodes) -> None:
    play = await begin(episodes)
    for _ in range(2):
        await play.call("shop_place_order", item="lamp")

    assert await episodes.advice.advise(play.id) == NO_CALL
    assert await episodes.advice.value(play.id) == {"solvable": False, "calls_left": None}


async def test_advice_leaves_the_episode_as_it_was(episodes: Episodes, toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as alone:
        play, solo = await begin(alone), await begin(alone)
        for one in (play, solo):
            await one.call("shop_place_order", item="lamp")
        await alone.advice.value(play.id)
        for one in (play, solo):
            await one.call("wait", seconds=3600)

    assert play.last.metadata["trace_hash"] == solo.last.metadata["trace_hash"]


async def test_a_drill_without_exits_and_with_one_step_left_has_a_value_too(episodes: Episodes) -> None:
    play = await begin(episodes, start={"calls": 1}, max_steps="+1", tools=["wait"], rewards="drill")

    assert await episodes.advice.advise(play.id) == {
        "action": WAIT,
        "then": [FINISH],
        "calls_left": 2,
        "why": None,
    }


async def test_a_task_that_cannot_be_done_is_not_advised_on(episodes: Episodes) -> None:
    assert await episodes.advice.advise((await begin(episodes, seed=1)).id) == NO_CALL


async def test_a_finished_episode_has_no_advice(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("finish", answer="No.")

    with pytest.raises(Refusal) as refused:
        await episodes.advice.advise(play.id)
    assert (refused.value.status, refused.value.code) == (409, "episode_done")


async def test_advice_leaves_no_copy_and_no_snapshot_behind(toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as alone:
        play = await begin(alone, episode_id="advised")
        before = (await alone.episodes())["counts"]
        await alone.advice.advise(play.id)

        assert (await alone.episodes())["counts"] == before
        assert (await alone.branches.snapshots(name="advice"))["items"] == []
