"""How long layers, bases and snapshots stay: as long as anybody may read them, and folded where chains grow."""

import asyncio
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.storage.snapshot_rows import SnapshotRows
from tests.forks import forked
from tests.patience import PATIENCE_S

from .test_branches import BUY, FINISH, LIST, WAIT, played, traced
from .toy_stack import Play, ToyStack, begin, pruned


def layers_of(toy_stack: ToyStack, play: Play) -> list[int]:
    [[chain]] = toy_stack.rows("SELECT chain FROM orchestrator.episodes WHERE id = %s", play.id)
    return [layer for layer in chain if layer > 0]


async def looked_at(toy_stack: ToyStack, episodes: Episodes, layers: list[int]) -> None:
    """Let the waiting time of what was left behind pass, and wait until all of it was looked at."""
    async with asyncio.timeout(PATIENCE_S):
        while await toy_stack.write(
            "UPDATE orchestrator.garbage SET due_at = now() - interval '1 second' "
            "WHERE layer = ANY(%s) RETURNING 1",
            layers,
        ):
            await episodes._components.garbage.reap()


async def emptied(toy_stack: ToyStack, episodes: Episodes, layers: list[int]) -> None:
    """Wait until the services hold nothing of these layers, whatever is folded beside this test."""
    async with asyncio.timeout(PATIENCE_S):
        while toy_stack.rows(ROWS, layers) != [(0,)]:
            await looked_at(toy_stack, episodes, layers)


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
            await toy_stack.write(
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
    await toy_stack.write(
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
    await emptied(toy_stack, episodes, folded)
    assert (await episodes.branches.kept(taken[-1]))["layers"] <= 8


async def test_a_fold_that_comes_after_its_chain_was_dropped_leaves_nothing_behind(
    toy_stack: ToyStack, episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = await begin(episodes, max_steps=30)
    taken, chain = [], []
    for _ in range(9):
        await played(episodes, play.id, BUY)
        taken.append((await episodes.branches.snapshot(play.id))["snapshot_id"])
        chain.append(layers_of(toy_stack, play)[-2])
    await episodes.branches.restore(play.id, taken[0])
    for snapshot in taken[1:]:
        await episodes.branches.drop(snapshot)
    await emptied(toy_stack, episodes, chain[1:])

    async def found_before(rows: SnapshotRows, limit: int) -> list[list[int]]:
        return [chain]

    with monkeypatch.context() as late:
        late.setattr(SnapshotRows, "long_chains", found_before)
        await episodes._background_jobs.fold()

    assert toy_stack.rows(ROWS, chain[1:]) == [(1,)]
    await emptied(toy_stack, episodes, chain[1:])
    [(seen, *_)] = await played(episodes, play.id, LIST)
    assert [item["id"] for item in seen["result"]["items"] if item["item"] == "lamp"] == ["ORD-0001"]


async def test_a_step_under_way_does_not_notice_a_fold(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes, max_steps=30)
    for _ in range(9):
        await played(episodes, play.id, LIST)
        await episodes.branches.snapshot(play.id)

    replies = await asyncio.gather(episodes.step(play.id, BUY), episodes._background_jobs.fold())
    await episodes._background_jobs.fold()

    assert replies[0].observation["error"] is None
    # Garbage collection may have folded some of them before, and folds only long chains.
    assert len(layers_of(toy_stack, play)) <= 8
    assert (await played(episodes, play.id, WAIT, FINISH))[1][2] is True
    assert (await episodes.grade(play.id))["success"] is True


async def test_a_lost_base_takes_its_snapshots_along(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes, seed=9021)
    kept = await episodes.branches.snapshot(play.id)
    [[base]] = toy_stack.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id)

    await episodes._components.store.lose_worlds(base, "a service lost the episode's world")

    with pytest.raises(Refusal, match="no snapshot"):
        await episodes.branches.restore(play.id, kept["snapshot_id"])


async def test_a_base_that_a_service_has_in_another_layer_is_loaded_anew(episodes: Episodes) -> None:
    gateway, bases = episodes._components.gateway, episodes._components.bases
    service, digest = gateway.services[0], "a-base-in-another-layer"
    before = {"layer": -(10**12), "start": 0, "rows": {}, "faults": None}
    now = {**before, "layer": -(10**12) - 1}

    assert await bases._load_into(service, digest, before) == (None, True)
    assert await bases._load_into(service, digest, before) == (None, False)
    assert await bases._load_into(service, digest, now) == (None, True)

    found = await gateway.find_base(service, digest)
    assert found is not None
    assert found.layer == now["layer"]
    await gateway.forget_base(service, digest)
