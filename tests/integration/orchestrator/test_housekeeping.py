"""What nobody needs any more goes, and what is still needed stays."""

import asyncio
import secrets
from typing import Any

import pytest

from orchestrator.episodes import Episodes, Refusal, ResetOptions

from .conftest import Play, Town, begin

STEPS = "SELECT count(*) FROM orchestrator.steps WHERE world = %s"
ROWS = "SELECT count(*) FROM shop.orders WHERE layer_id = %s"


def world_of(town: Town, play: Play) -> int:
    [[world]] = town.rows("SELECT world FROM orchestrator.episodes WHERE id = %s", play.id)
    return int(world)


async def reaped(town: Town, world: int) -> None:
    """Let the waiting time of the garbage pass, and wait until it is gone."""
    town.rows("UPDATE orchestrator.garbage SET due_at = now() WHERE layer = %s RETURNING 1", world)
    async with asyncio.timeout(10):
        while town.rows("SELECT 1 FROM orchestrator.garbage WHERE layer = %s", world):
            await asyncio.sleep(0.05)


async def test_a_closed_episode_leaves_nothing_behind(town: Town, episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    world = world_of(town, play)
    assert (town.rows(ROWS, world), town.rows(STEPS, world)) == ([(1,)], [(1,)])

    await episodes.close(play.id)
    await reaped(town, world)

    assert (town.rows(ROWS, world), town.rows(STEPS, world)) == ([(0,)], [(0,)])


async def test_a_finished_episode_keeps_its_records_but_not_its_world(town: Town, episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await play.call("finish")
    world = world_of(town, play)
    graded = await episodes.grade(play.id)

    await reaped(town, world)

    assert (town.rows(ROWS, world), town.rows(STEPS, world)) == ([(0,)], [(2,)])
    assert await episodes.grade(play.id) == graded
    async with town.orchestrator() as fresh:
        assert await fresh.grade(play.id) == graded


async def test_settled_events_are_forgotten_by_their_service(town: Town, episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    world = world_of(town, play)

    async with asyncio.timeout(10):
        for table in ("shop.outbox", "depot.outbox"):
            while town.rows(f"SELECT 1 FROM {table} WHERE layer = %s", world):
                await asyncio.sleep(0.02)


async def test_a_base_nobody_uses_is_retired_and_loaded_again_when_asked_for(town: Town) -> None:
    async with town.orchestrator(max_bases=1) as episodes:
        seed = 2 * secrets.randbelow(10**9)
        play, newer = await begin(episodes, seed=seed), await begin(episodes, seed=seed + 2)
        [[base]] = town.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id)
        for one in (play, newer):
            await one.call("finish")
        housekeeping = episodes._housekeeping
        for _ in range(3):
            town.rows(
                "UPDATE orchestrator.bases SET used_at = now() - "
                "CASE WHEN digest = %s THEN interval '2 hours' ELSE interval '1 hour' END RETURNING 1",
                base,
            )
            await housekeeping.prune()
        assert town.rows("SELECT 1 FROM shop.bases WHERE digest = %s", base) == []
        assert town.rows("SELECT 1 FROM orchestrator.bases WHERE digest = %s", base) == []

        again = await begin(episodes, seed=seed)

        assert again.last.metadata["trace_hash"] == play.replies[0].metadata["trace_hash"]
        listed = await again.call("shop_list_orders")
        assert listed.observation["result"]["items"]


async def test_surplus_episodes_go_oldest_first(town: Town) -> None:
    async with town.orchestrator(keep_episodes=1) as episodes:
        plays = [await begin(episodes) for _ in range(3)]
        for play in plays[:2]:
            await play.call("finish")

        await episodes._housekeeping.prune()

        with pytest.raises(Refusal, match="no episode"):
            await episodes.state(plays[0].id)
        assert (await episodes.state(plays[1].id))["done"] is True
        assert (await episodes.state(plays[2].id))["done"] is False


async def test_where_room_runs_out_episodes_that_nobody_uses_go_sooner(
    town: Town, episodes: Episodes
) -> None:
    play = await begin(episodes)
    town.rows(
        "UPDATE orchestrator.episodes SET used_at = now() - interval '1 hour' WHERE id = %s RETURNING 1",
        play.id,
    )
    await episodes._housekeeping.prune()
    assert (await episodes.state(play.id))["done"] is False

    async with town.orchestrator(max_episodes=1) as crowded:
        await crowded._housekeeping._capacity.count()
        await crowded._housekeeping.prune()

    with pytest.raises(Refusal, match="no episode"):
        await episodes.state(play.id)


async def test_more_open_episodes_than_allowed_are_refused(town: Town) -> None:
    async with town.orchestrator(max_episodes=1) as episodes:
        await asyncio.sleep(0.1)
        with pytest.raises(Refusal) as caught:
            for _ in range(2):
                await episodes.reset(ResetOptions(scenario="errand", chaos=0))

    assert (caught.value.status, caught.value.code) == (429, "too_many_episodes")


async def every_page(episodes: Episodes, *, limit: int = 200, **filters: Any) -> list[str]:
    found, cursor = [], None
    while True:
        page = await episodes.episodes(cursor=cursor, limit=limit, **filters)
        found += [item["episode_id"] for item in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            return found


async def test_episodes_are_listed_and_counted(episodes: Episodes) -> None:
    done, still_open = await begin(episodes, seed=1), await begin(episodes, seed=3)
    await done.call("refuse", reason_code="no_assistant")

    succeeded = await every_page(episodes, scenario="errand", success=True, limit=7)
    unfinished = await every_page(episodes, done=False)

    assert done.id in succeeded
    assert still_open.id in unfinished
    assert done.id not in unfinished
    counts = (await episodes.episodes())["counts"]
    assert counts["total"] >= counts["open"] >= 1
    with pytest.raises(Refusal) as caught:
        await episodes.episodes(cursor="next")
    assert (caught.value.status, caught.value.field) == (422, "cursor")


async def test_the_process_counts_what_it_does(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_list_orders")

    told = episodes.metrics().decode()

    assert 'companyos_steps_total{call="done"}' in told
    assert 'companyos_resets_total{scenario="errand"}' in told
    assert 'companyos_work_seconds_bucket{le="0.001",work="reset"}' in told


async def test_tools_and_scenarios_are_told(episodes: Episodes) -> None:
    names = [tool["function"]["name"] for tool in episodes.manifest()["tools"]]

    assert "shop_place_order" in names
    assert [scenario["name"] for scenario in episodes.scenarios()] == ["errand", "riddle"]
    assert episodes.scenario("errand")["readme"] == ""
