"""Snapshots, restores and forks: a world goes on exactly as it would have, and no branch sees another."""

import asyncio
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from tests.forks import forked

from .toy_stack import Play, ToyStack, begin, pruned

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


async def test_a_restored_episode_goes_on_as_it_would_have(episodes: Episodes) -> None:
    play, solo = await begin(episodes), await begin(episodes)
    expected = await played(episodes, solo.id, BUY, LIST, WAIT, FINISH)
    await played(episodes, play.id, BUY)
    kept = await episodes.branches.snapshot(play.id)
    await played(episodes, play.id, WAIT, BUY, BUY)

    restored = await episodes.branches.restore(play.id, kept["snapshot_id"])

    assert (restored["step_count"], restored["trace_hash"]) == (1, kept["trace_hash"])
    assert await played(episodes, play.id, LIST, WAIT, FINISH) == expected[1:]
    assert await traced(episodes, play.id) == await traced(episodes, solo.id)
    assert (await episodes.grade(play.id))["success"] is True
    assert (await episodes.trace(play.id))[0]["origin"] == {
        "kind": "restore",
        "snapshot_id": kept["snapshot_id"],
        "step": 1,
        "from_step": 4,
    }


async def test_taking_a_snapshot_changes_nothing_for_the_episode(episodes: Episodes) -> None:
    play, solo = await begin(episodes), await begin(episodes)
    expected = await played(episodes, solo.id, BUY, LIST, WAIT, FINISH)

    seen = []
    for action in (BUY, LIST, WAIT, FINISH):
        await episodes.branches.snapshot(play.id)
        seen += await played(episodes, play.id, action)

    assert seen == expected
    assert await traced(episodes, play.id) == await traced(episodes, solo.id)


async def test_branches_and_their_parent_never_see_each_other(episodes: Episodes) -> None:
    play, solo = await begin(episodes), await begin(episodes)
    expected = await played(episodes, solo.id, BUY, LIST)
    await played(episodes, play.id, BUY)

    first, second, third = await forked(episodes.branches, play.id, 3)
    await played(episodes, first, BUY, BUY)
    await played(episodes, play.id, BUY)

    assert await played(episodes, second, LIST) == [expected[1]]
    assert await played(episodes, third, LIST) == [expected[1]]
    assert len((await played(episodes, first, LIST))[0][0]["result"]["items"]) > len(
        expected[1][0]["result"]["items"]
    )


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
    assert reply.observation["text"] == play.replies[0].observation["text"]
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


async def test_nothing_branches_while_a_step_is_under_way(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    kept = await episodes.branches.snapshot(play.id)
    held = (
        "UPDATE orchestrator.episodes SET claim_action = 'x', claim_since = now() WHERE id = %s RETURNING 1"
    )
    toy_stack.rows(held, play.id)

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


async def test_what_is_not_there_is_refused(episodes: Episodes) -> None:
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


async def test_what_the_snapshot_decides_cannot_be_asked_for_as_well(episodes: Episodes) -> None:
    play = await begin(episodes)
    kept = await episodes.branches.snapshot(play.id)

    with pytest.raises(Refusal) as caught:
        await episodes.reset(ResetOptions(snapshot=kept["snapshot_id"], seed=3))

    assert (caught.value.code, caught.value.field) == ("snapshot_decides", "seed")


async def test_snapshots_are_listed_found_by_name_and_dropped(episodes: Episodes) -> None:
    play, branches = await begin(episodes), episodes.branches
    first = await branches.snapshot(play.id, name="mine")
    second = await branches.snapshot(play.id, name="mine")

    page = await branches.snapshots(name="mine", limit=1)
    rest = await branches.snapshots(name="mine", limit=1, cursor=page["next_cursor"])
    assert [page["items"], rest["items"]] == [[first], [second]]
    assert await branches.kept(first["snapshot_id"]) == first

    await branches.drop(first["snapshot_id"])

    assert (await branches.snapshots(name="mine"))["items"] == [second]
    with pytest.raises(Refusal, match="no snapshot"):
        await branches.restore(play.id, first["snapshot_id"])


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


def layers_of(toy_stack: ToyStack, play: Play) -> list[int]:
    [[chain]] = toy_stack.rows("SELECT chain FROM orchestrator.episodes WHERE id = %s", play.id)
    return [layer for layer in chain if layer > 0]


async def looked_at(toy_stack: ToyStack, episodes: Episodes, layers: list[int]) -> None:
    """Let the waiting time of what was left behind pass, and wait until all of it was looked at."""
    async with asyncio.timeout(10):
        # In a thread: the statement may wait for garbage collection that goes on in this one.
        while await asyncio.to_thread(
            toy_stack.rows,
            "UPDATE orchestrator.garbage SET due_at = now() - interval '1 second' "
            "WHERE layer = ANY(%s) RETURNING 1",
            layers,
        ):
            await episodes._components.garbage.reap()


ROWS = "SELECT count(*) FROM shop.orders WHERE layer_id = ANY(%s)"
STEPS = "SELECT count(*) FROM orchestrator.steps WHERE world = ANY(%s)"


async def test_a_layer_stays_until_nobody_has_it(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    await played(episodes, play.id, BUY)
    kept = await episodes.branches.snapshot(play.id)
    [branch] = await forked(episodes.branches, play.id, 1)
    layers = layers_of(toy_stack, play)

    await episodes.close(play.id)
    await looked_at(toy_stack, episodes, layers)
    assert (toy_stack.rows(ROWS, layers), toy_stack.rows(STEPS, layers)) == ([(1,)], [(1,)])

    await episodes.branches.drop(kept["snapshot_id"])
    await looked_at(toy_stack, episodes, layers)
    assert (toy_stack.rows(ROWS, layers), toy_stack.rows(STEPS, layers)) == ([(1,)], [(1,)])

    await played(episodes, branch, FINISH)
    await looked_at(toy_stack, episodes, layers)
    assert (toy_stack.rows(ROWS, layers), toy_stack.rows(STEPS, layers)) == ([(0,)], [(1,)])
    assert len(await episodes.trace(branch)) == 3

    await episodes.close(branch)
    await looked_at(toy_stack, episodes, layers)
    assert (toy_stack.rows(ROWS, layers), toy_stack.rows(STEPS, layers)) == ([(0,)], [(0,)])


async def test_a_base_stays_while_a_snapshot_needs_it(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator(max_bases=1) as episodes:
        play, newer = await begin(episodes, seed=9011), await begin(episodes, seed=9013)
        [[base]] = toy_stack.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id)
        kept = await episodes.branches.snapshot(play.id)
        for one in (play, newer):
            await episodes.close(one.id)
        for _ in range(3):
            toy_stack.rows(
                "UPDATE orchestrator.bases SET used_at = now() - "
                "CASE WHEN digest = %s THEN interval '2 hours' ELSE interval '1 hour' END RETURNING 1",
                base,
            )
            await episodes._background_jobs.prune()

        reply = await episodes.reset(ResetOptions(snapshot=kept["snapshot_id"]))

        assert toy_stack.rows("SELECT ready FROM orchestrator.bases WHERE digest = %s", base) == [(True,)]
        assert (await played(episodes, reply.metadata["episode_id"], LIST))[0][0]["result"]["items"]


async def test_a_snapshot_nobody_used_for_long_goes_unless_it_is_pinned(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    loose = await episodes.branches.snapshot(play.id, name="loose")
    pinned = await episodes.branches.snapshot(play.id, name="pinned", pinned=True)
    ids = [one["snapshot_id"] for one in (loose, pinned)]
    toy_stack.rows(
        "UPDATE orchestrator.snapshots SET used_at = now() - interval '2 days' WHERE id = ANY(%s) RETURNING 1",
        ids,
    )

    await pruned(episodes)

    assert await episodes.branches.kept(pinned["snapshot_id"]) == pinned
    with pytest.raises(Refusal, match="no snapshot"):
        await episodes.branches.kept(loose["snapshot_id"])


CANCEL = {"tool_name": "shop_cancel_order", "arguments": {"order_id": "ORD-0001"}}
DROP_OLD = {"tool_name": "shop_cancel_order", "arguments": {"order_id": "OLD-0"}}


async def test_a_long_chain_is_folded_and_nobody_can_tell(toy_stack: ToyStack, episodes: Episodes) -> None:
    options: dict[str, Any] = {"max_steps": 30, "seed": 40}
    play, solo = await begin(episodes, **options), await begin(episodes, **options)
    actions = [BUY, LIST, CANCEL, DROP_OLD, BUY, WAIT, LIST, BUY, LIST, LIST]
    expected = await played(episodes, solo.id, *actions, LIST, BUY, WAIT, FINISH)
    taken: list[str] = []
    ever: set[int] = set()
    for action in actions:
        await played(episodes, play.id, action)
        taken.append((await episodes.branches.snapshot(play.id))["snapshot_id"])
        ever.update(layers_of(toy_stack, play))
    assert len(ever) > 8

    # Garbage collection may have folded some of them by itself already.
    await episodes._background_jobs.fold()
    assert len(layers_of(toy_stack, play)) <= 8
    [branch] = await forked(episodes.branches, play.id, 1)
    for snapshot in taken[:-1]:
        await episodes.branches.drop(snapshot)
    folded = sorted(ever - set(layers_of(toy_stack, play)))
    await looked_at(toy_stack, episodes, folded)

    assert await played(episodes, play.id, LIST, BUY, WAIT, FINISH) == expected[10:]
    assert await traced(episodes, play.id) == await traced(episodes, solo.id)
    async with toy_stack.orchestrator() as other:
        assert await played(other, branch, LIST, BUY, WAIT, FINISH) == expected[10:]
    assert len(folded) >= 6
    assert toy_stack.rows(ROWS, folded) == [(0,)]
    assert (await episodes.branches.kept(taken[-1]))["layers"] <= 8


async def test_a_step_under_way_does_not_notice_a_fold(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes, max_steps=30)
    for _ in range(9):
        await played(episodes, play.id, LIST)
        await episodes.branches.snapshot(play.id)

    replies = await asyncio.gather(episodes.step(play.id, BUY), episodes._background_jobs.fold())
    await episodes._background_jobs.fold()

    assert replies[0].observation["error"] is None
    assert len(layers_of(toy_stack, play)) <= 3
    assert (await played(episodes, play.id, WAIT, FINISH))[1][2] is True
    assert (await episodes.grade(play.id))["success"] is True


async def test_a_step_nobody_sends_any_more_does_not_keep_an_episode_from_going_back(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    kept = await episodes.branches.snapshot(play.id)
    toy_stack.rows(
        "UPDATE orchestrator.episodes SET claim_action = 'x', claim_since = now() - interval '2 minutes', "
        "used_at = now() - interval '2 minutes' WHERE id = %s RETURNING 1",
        play.id,
    )

    await episodes.branches.restore(play.id, kept["snapshot_id"])

    assert (await played(episodes, play.id, BUY))[0][0]["error"] is None


async def test_a_lost_base_takes_its_snapshots_along(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes, seed=9021)
    kept = await episodes.branches.snapshot(play.id)
    [[base]] = toy_stack.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id)

    await episodes._components.store.lose_worlds(base, "a service lost the episode's world")

    with pytest.raises(Refusal, match="no snapshot"):
        await episodes.branches.restore(play.id, kept["snapshot_id"])
