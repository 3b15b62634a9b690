"""Snapshots as files: another stack goes on from them exactly as the stack they are from."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from orchestrator.episodes.facade import Episodes, ResetOptions
from tests.sizes import size

from .second_stack import ROWS, left_to_be_reaped, lines_of, second_stack
from .test_branches import BUY, FINISH, LIST, WAIT, played, traced
from .test_fork_law import OPTIONS, call, play, plays, state_of
from .test_layer_lifetimes import CANCEL, DROP_OLD, layers_of, looked_at
from .toy_stack import Play, ToyStack, begin, ready_orchestrator


@pytest.fixture(scope="module")
async def second(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ToyStack]:
    async with second_stack(tmp_path_factory.mktemp("abroad")) as toy_stack:
        yield toy_stack


@pytest.fixture(scope="module")
async def there(second: ToyStack) -> AsyncIterator[Episodes]:
    async with ready_orchestrator(second) as opened:
        yield opened


async def kept_after(episodes: Episodes, *actions: dict[str, Any], **options: Any) -> str:
    """Return a snapshot of an episode after these actions."""
    begun = await begin(episodes, **{**OPTIONS, **options})
    await play(episodes, begun.id, list(actions))
    return str((await episodes.branches.snapshot(begun.id))["snapshot_id"])


@pytest.mark.proof
@settings(
    max_examples=size(12, 100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(prefix=plays, other=plays, suffix=plays)
async def test_an_imported_snapshot_goes_on_as_at_home(
    toy_stack: ToyStack,
    second: ToyStack,
    episodes: Episodes,
    there: Episodes,
    prefix: list[dict[str, Any]],
    other: list[dict[str, Any]],
    suffix: list[dict[str, Any]],
) -> None:
    solo, parent = await begin(episodes, **OPTIONS), await begin(episodes, **OPTIONS)
    await play(episodes, solo.id, [*prefix, *suffix])
    expected = await state_of(toy_stack, episodes, solo.id)
    await play(episodes, parent.id, prefix)
    kept = await episodes.branches.snapshot(parent.id)
    await play(episodes, parent.id, other)

    imported = await there.archives.import_(await episodes.archives.export(kept["snapshot_id"]))

    begun = (await there.reset(ResetOptions(snapshot=imported["snapshot_id"]))).metadata["episode_id"]
    stray = await begin(there, **OPTIONS)
    await play(there, stray.id, other)
    await there.branches.restore(stray.id, imported["snapshot_id"])
    for episode_id in (begun, stray.id):
        await play(there, episode_id, suffix)
        assert await state_of(second, there, episode_id) == expected


async def test_every_answer_is_the_same_as_at_home(episodes: Episodes, there: Episodes) -> None:
    expected_of = await begin(episodes)
    expected = await played(episodes, expected_of.id, BUY, WAIT, LIST, FINISH)
    kept = await kept_after(episodes, BUY, WAIT, chaos=0, seed=0, max_steps=10)

    imported = await there.archives.import_(await episodes.archives.export(kept), name="from home")
    reply = await there.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    episode_id = reply.metadata["episode_id"]

    at_home = await episodes.reset(ResetOptions(snapshot=kept))
    assert reply.observation == at_home.observation
    assert await played(there, episode_id, LIST, FINISH) == expected[2:]
    assert await traced(there, episode_id) == await traced(episodes, expected_of.id)
    card = {**await there.grade(episode_id), "episode_id": expected_of.id, "origin": None}
    assert card == await episodes.grade(expected_of.id)


async def test_a_repeated_key_and_a_counter_go_on_where_they_were(
    episodes: Episodes, there: Episodes
) -> None:
    keyed = call("shop_place_order", item="lamp", idempotency_key="mine")
    kept = await kept_after(episodes, keyed, BUY)

    imported = await there.archives.import_(await episodes.archives.export(kept))
    episode_id = (await there.reset(ResetOptions(snapshot=imported["snapshot_id"]))).metadata["episode_id"]
    [(again, *_), (new, *_)] = await played(there, episode_id, keyed, BUY)

    assert again["result"]["id"] == "ORD-0001"
    assert new["result"]["id"] == "ORD-0003"


async def test_an_archive_says_nothing_of_the_stack_it_is_from(episodes: Episodes, there: Episodes) -> None:
    kept = await kept_after(episodes, BUY, WAIT, DROP_OLD, LIST)
    archive = await episodes.archives.export(kept)

    imported = await there.archives.import_(archive)

    assert await there.archives.export(imported["snapshot_id"]) == archive
    assert await episodes.archives.export(kept) == archive
    first, *others = lines_of(archive)
    assert first["snapshot"]["step"] == 4
    assert [line["row"]["id"] for line in others if line.get("row", {}).get("deleted")] != []


async def test_imported_archive_is_an_ordinary_snapshot(episodes: Episodes, there: Episodes) -> None:
    begun = await begin(episodes)
    await episodes.step(begun.id, BUY)
    taken = await episodes.branches.snapshot(begun.id, name="bought")
    archive = await episodes.archives.export(taken["snapshot_id"])

    one = await there.archives.import_(archive)
    two = await there.archives.import_(archive, name="again", pinned=True)

    assert {**one, "snapshot_id": taken["snapshot_id"]} == taken
    assert (two["name"], two["pinned"], two["snapshot_id"] != one["snapshot_id"]) == ("again", True, True)
    assert await there.branches.kept(two["snapshot_id"]) == two
    assert two in (await there.branches.snapshots(name="again"))["items"]


async def test_an_archive_can_be_imported_where_it_was_made(episodes: Episodes) -> None:
    kept = await kept_after(episodes, BUY)
    archive = await episodes.archives.export(kept)

    imported = await episodes.archives.import_(archive)
    await episodes.branches.drop(kept)
    reply = await episodes.reset(ResetOptions(snapshot=imported["snapshot_id"]))

    assert await episodes.archives.export(imported["snapshot_id"]) == archive
    assert (await played(episodes, reply.metadata["episode_id"], BUY))[0][0]["result"]["id"] == "ORD-0002"


async def test_a_snapshot_of_the_very_beginning_can_be_carried_too(
    toy_stack: ToyStack, second: ToyStack, episodes: Episodes, there: Episodes
) -> None:
    kept = await kept_after(episodes)
    at_home = (await episodes.reset(ResetOptions(snapshot=kept))).metadata["episode_id"]

    imported = await there.archives.import_(await episodes.archives.export(kept))
    begun = (await there.reset(ResetOptions(snapshot=imported["snapshot_id"]))).metadata["episode_id"]

    assert await state_of(second, there, begun) == await state_of(toy_stack, episodes, at_home)


async def test_exporting_keeps_no_step_waiting_and_sees_none_of_them(episodes: Episodes) -> None:
    begun = await begin(episodes, **OPTIONS)
    await play(episodes, begun.id, [BUY, WAIT])
    kept = (await episodes.branches.snapshot(begun.id))["snapshot_id"]
    before = await episodes.archives.export(kept)
    others = [(await begin(episodes, **OPTIONS)).id for _ in range(4)]

    *replies, during = await asyncio.gather(
        *(episodes.step(other, BUY) for other in others),
        episodes.step(begun.id, CANCEL),
        episodes.archives.export(kept),
    )

    assert {reply.observation["step"] for reply in replies} == {1, 3}
    assert during == before


async def test_a_long_chain_gives_the_same_archive_before_and_after_it_is_folded(
    toy_stack: ToyStack, episodes: Episodes, there: Episodes
) -> None:
    begun = await begin(episodes, **OPTIONS)
    for action in [BUY, LIST, CANCEL, DROP_OLD, BUY, WAIT, LIST, BUY, LIST, LIST]:
        await episodes.step(begun.id, action)
        kept = await episodes.branches.snapshot(begun.id)
    layers = layers_of(toy_stack, begun)
    long = await episodes.archives.export(kept["snapshot_id"])

    folded, _ = await asyncio.gather(
        episodes.archives.export(kept["snapshot_id"]), episodes._background_jobs.fold()
    )
    await episodes._background_jobs.fold()
    assert (await episodes.branches.kept(kept["snapshot_id"]))["layers"] <= 8
    await looked_at(toy_stack, episodes, layers)

    assert [folded, await episodes.archives.export(kept["snapshot_id"])] == [long, long]
    imported = await there.archives.import_(long)
    reply = await there.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    assert await played(there, reply.metadata["episode_id"], LIST, WAIT) == await played(
        episodes, begun.id, LIST, WAIT
    )


async def test_a_dropped_import_leaves_nothing(second: ToyStack, episodes: Episodes, there: Episodes) -> None:
    archive = await episodes.archives.export(await kept_after(episodes, BUY, WAIT))
    await left_to_be_reaped(second, there)
    before = second.rows(ROWS)

    imported = await there.archives.import_(archive)
    await left_to_be_reaped(second, there)
    assert second.rows(ROWS) > before
    reply = await there.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    await there.branches.drop(imported["snapshot_id"])
    await left_to_be_reaped(second, there)
    assert (await there.step(reply.metadata["episode_id"], BUY)).observation["error"] is None
    await there.close(reply.metadata["episode_id"])
    await left_to_be_reaped(second, there)

    assert second.rows(ROWS) == before


async def test_an_episode_that_started_at_a_rung_goes_on_elsewhere(
    episodes: Episodes, there: Episodes
) -> None:
    here = await begin(episodes, start={"calls": 1}, rewards="drill")
    await here.call("shop_list_orders")
    kept = str((await episodes.branches.snapshot(here.id))["snapshot_id"])
    brought = await there.archives.import_(await episodes.archives.export(kept))
    first = await there.reset(ResetOptions(snapshot=brought["snapshot_id"]))
    abroad = Play(there, [first])
    for one in (here, abroad):
        await one.call("wait", seconds=3600)
        await one.call("finish", answer="It is there.")

    assert len(first.observation["prefix"]) == 2
    assert abroad.last.metadata["success"] is True
    assert abroad.last.metadata["trace_hash"] == here.last.metadata["trace_hash"]
