"""Snapshots, restores and forks: a world goes on exactly as it would have, and no branch sees another."""

import asyncio
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from tests.forks import forked

from .toy_stack import ToyStack, begin

BUY = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
LIST = {"tool_name": "shop_list_orders", "arguments": {"limit": 50}}
WAIT = {"tool_name": "wait", "arguments": {"seconds": 3600}}
FINISH = {"tool_name": "finish", "arguments": {"answer": "It is there."}}


async def played(episodes: Episodes, episode_id: str, *actions: dict[str, Any]) -> list[Any]:
    """Play actions and return what each brought."""
    replies = [await episodes.step(episode_id, action) for action in actions]
    return [(reply.observation, reply.reward, reply.done, reply.metadata["trace_hash"]) for reply in replies]


async def traced(episodes: Episodes, episode_id: str) -> list[dict[str, Any]]:
    """Return the trace without what the clock on the wall and the name of the run put into it."""
    records = await episodes.trace(episode_id)
    return [
        {key: value for key, value in record.items() if key not in ("took_ms", "origin", "seal")}
        for record in records
    ]


async def test_taking_a_snapshot_changes_nothing_for_the_episode(episodes: Episodes) -> None:
    play, solo = await begin(episodes), await begin(episodes)
    expected = await played(episodes, solo.id, BUY, LIST, WAIT, FINISH)

    seen = []
    for action in (BUY, LIST, WAIT, FINISH):
        await episodes.branches.snapshot(play.id)
        seen += await played(episodes, play.id, action)

    assert seen == expected
    assert await traced(episodes, play.id) == await traced(episodes, solo.id)


async def test_a_branch_is_served_by_any_process(toy_stack: ToyStack, episodes: Episodes) -> None:
    play, solo = await begin(episodes), await begin(episodes)
    expected = await played(episodes, solo.id, BUY, WAIT, FINISH)
    await played(episodes, play.id, BUY)
    [branch] = await forked(episodes.branches, play.id, 1)

    async with toy_stack.orchestrator() as other:
        assert await played(other, branch, WAIT, FINISH) == expected[1:]
        card = {**await other.grade(branch), "episode_id": solo.id, "origin": None}
        assert card == await episodes.grade(solo.id)


async def test_a_step_of_a_frozen_world_is_answered_from_its_record(episodes: Episodes) -> None:
    play = await begin(episodes)
    bought = await episodes.step(play.id, BUY, step=1)
    await episodes.branches.snapshot(play.id)
    [branch] = await forked(episodes.branches, play.id, 1)

    again = await episodes.step(play.id, BUY, step=1)
    in_branch = await episodes.step(branch, BUY, step=1)

    assert again == bought
    assert in_branch.observation == bought.observation
    with pytest.raises(Refusal, match="another action"):
        await episodes.step(branch, WAIT, step=1)


async def test_a_reset_from_a_snapshot_starts_where_it_was_taken(episodes: Episodes) -> None:
    play, solo = await begin(episodes, max_steps=7), await begin(episodes, max_steps=7)
    expected = await played(episodes, solo.id, BUY, WAIT, FINISH)
    await played(episodes, play.id, BUY, WAIT)
    kept = await episodes.branches.snapshot(play.id, name="delivered", pinned=True)
    await episodes.close(play.id)

    reply = await episodes.reset(ResetOptions(snapshot=kept["snapshot_id"]))

    assert (reply.observation["step"], reply.observation["steps_remaining"]) == (2, 5)
    assert reply.observation["brief"] == play.replies[0].observation["text"]
    assert reply.observation["sim_now"] == expected[1][0]["sim_now"]
    assert reply.observation["elapsed_s"] == 0
    assert reply.metadata["trace_hash"] == expected[1][3]
    assert await played(episodes, reply.metadata["episode_id"], FINISH) == expected[2:]


async def test_an_episode_that_failed_can_be_put_back_and_succeed(episodes: Episodes) -> None:
    play = await begin(episodes)
    await played(episodes, play.id, BUY)
    kept = await episodes.branches.snapshot(play.id)
    await played(episodes, play.id, FINISH)
    assert (await episodes.episode(play.id))["success"] is False

    await episodes.branches.restore(play.id, kept["snapshot_id"])
    await played(episodes, play.id, WAIT, FINISH)

    assert (await episodes.episode(play.id))["success"] is True


@pytest.mark.parametrize("other", [{"scenario": "riddle"}, {"seed": 8}, {"chaos": 1}, {"size": "small"}])
async def test_an_episode_is_not_put_into_another_company(episodes: Episodes, other: dict[str, Any]) -> None:
    play, foreign = await begin(episodes), await begin(episodes, **other)
    kept = await episodes.branches.snapshot(foreign.id)
    await played(episodes, play.id, FINISH)
    before = await episodes.episode(play.id)

    with pytest.raises(Refusal, match="reset with the option snapshot") as caught:
        await episodes.branches.restore(play.id, kept["snapshot_id"])

    assert (caught.value.status, caught.value.code) == (409, "snapshot_differs")
    assert await episodes.episode(play.id) == before


async def test_an_episode_can_be_put_where_another_of_its_task_was(episodes: Episodes) -> None:
    play, other = await begin(episodes), await begin(episodes, max_steps=9)
    await played(episodes, other.id, BUY)
    kept = await episodes.branches.snapshot(other.id)

    restored = await episodes.branches.restore(play.id, kept["snapshot_id"])

    assert (restored["step_count"], restored["max_steps"]) == (1, 9)


async def test_branching_during_a_step_is_refused(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    kept = await episodes.branches.snapshot(play.id)
    held = (
        "UPDATE orchestrator.episodes SET claim_action = 'x', claim_since = now() WHERE id = %s RETURNING 1"
    )
    await toy_stack.write(held, play.id)

    for work in (
        episodes.branches.snapshot(play.id),
        episodes.branches.fork(play.id, 2),
        episodes.branches.restore(play.id, kept["snapshot_id"]),
    ):
        with pytest.raises(Refusal) as caught:
            await work
        assert (caught.value.status, caught.value.code) == (409, "step_in_progress")


async def test_an_episode_that_is_over_has_no_branches(episodes: Episodes) -> None:
    play = await begin(episodes)
    await played(episodes, play.id, FINISH)

    for work in (episodes.branches.snapshot(play.id), episodes.branches.fork(play.id, 2)):
        with pytest.raises(Refusal) as caught:
            await work
        assert (caught.value.status, caught.value.code) == (409, "episode_done")


async def test_unknown_episodes_and_snapshots_are_refused(episodes: Episodes) -> None:
    play, branches = await begin(episodes), episodes.branches
    reset = episodes.reset(ResetOptions(snapshot="snap-99999999"))

    for work, code in (
        (branches.snapshot("nobody"), "episode_unknown"),
        (branches.fork("nobody", 2), "episode_unknown"),
        (branches.restore(play.id, "snap-99999999"), "snapshot_unknown"),
        (branches.restore(play.id, "yesterday"), "snapshot_unknown"),
        (branches.kept("snap-99999999"), "snapshot_unknown"),
        (branches.drop("snap-99999999"), "snapshot_unknown"),
        (reset, "snapshot_unknown"),
    ):
        with pytest.raises(Refusal) as caught:
            await work
        assert (caught.value.status, caught.value.code) == (404, code)


async def test_reset_refuses_options_that_its_snapshot_determines(episodes: Episodes) -> None:
    play = await begin(episodes)
    kept = await episodes.branches.snapshot(play.id)

    with pytest.raises(Refusal) as caught:
        await episodes.reset(ResetOptions(snapshot=kept["snapshot_id"], seed=3))

    assert (caught.value.code, caught.value.field) == ("snapshot_decides", "seed")


async def test_an_empty_layer_is_not_frozen_again(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    await played(episodes, play.id, BUY)

    taken = [await episodes.branches.snapshot(play.id) for _ in range(3)]
    await episodes.branches.fork(play.id, 2)

    [[chain]] = toy_stack.rows("SELECT chain FROM orchestrator.episodes WHERE id = %s", play.id)
    assert [one["layers"] for one in taken] == [2, 2, 2]
    assert len(chain) == 3


async def test_branching_at_once_with_steps_loses_and_doubles_nothing(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    async with toy_stack.orchestrator() as other:
        works = [
            *(episodes.branches.fork(play.id, 2) for _ in range(4)),
            *(other.branches.snapshot(play.id) for _ in range(4)),
            *(host.step(play.id, BUY, step=1) for host in (episodes, other)),
        ]
        done = await asyncio.gather(*works, return_exceptions=True)

    assert {getattr(one, "code", None) for one in done} <= {None, "step_in_progress"}
    await episodes.step(play.id, BUY, step=1)
    orders = (await episodes.step(play.id, LIST)).observation["result"]["items"]
    assert [order["id"] for order in orders if order["item"] == "lamp"] == ["ORD-0001"]


async def test_a_step_nobody_sends_any_more_does_not_keep_an_episode_from_going_back(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    kept = await episodes.branches.snapshot(play.id)
    await toy_stack.write(
        "UPDATE orchestrator.episodes SET claim_action = 'x', claim_since = now() - interval '2 minutes', "
        "used_at = now() - interval '2 minutes' WHERE id = %s RETURNING 1",
        play.id,
    )

    await episodes.branches.restore(play.id, kept["snapshot_id"])

    assert (await played(episodes, play.id, BUY))[0][0]["error"] is None
