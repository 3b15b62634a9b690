"""What nobody needs any more goes, and what is still needed stays."""

import asyncio
import secrets
from functools import partial

import httpx
import orjson
import pytest
from websockets.asyncio.client import connect

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from orchestrator.progress import progress_cache
from tests.live_services import serving
from tests.patience import PATIENCE_S

from .toy_stack import Play, ToyStack, begin, pruned, ready_orchestrator

STEPS = "SELECT count(*) FROM orchestrator.steps WHERE world = %s"
ROWS = "SELECT count(*) FROM shop.orders WHERE layer_id = %s"


def world_of(toy_stack: ToyStack, play: Play) -> int:
    [[world]] = toy_stack.rows("SELECT world FROM orchestrator.episodes WHERE id = %s", play.id)
    return int(world)


async def reaped(toy_stack: ToyStack, world: int) -> None:
    """Let the waiting times of the garbage pass, and wait until it is gone."""
    due_now = "UPDATE orchestrator.garbage SET due_at = now() WHERE layer = %s RETURNING 1"
    async with asyncio.timeout(PATIENCE_S):
        while await toy_stack.write(due_now, world):
            await asyncio.sleep(0.05)


async def test_a_closed_episode_leaves_nothing_behind(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    world = world_of(toy_stack, play)
    assert (toy_stack.rows(ROWS, world), toy_stack.rows(STEPS, world)) == ([(1,)], [(1,)])

    await episodes.close(play.id)
    await reaped(toy_stack, world)

    assert (toy_stack.rows(ROWS, world), toy_stack.rows(STEPS, world)) == ([(0,)], [(0,)])


async def test_a_finished_episode_keeps_its_records_but_not_its_world(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await play.call("finish")
    world = world_of(toy_stack, play)
    graded = await episodes.grade(play.id)

    await reaped(toy_stack, world)

    assert (toy_stack.rows(ROWS, world), toy_stack.rows(STEPS, world)) == ([(0,)], [(2,)])
    assert await episodes.grade(play.id) == graded
    async with toy_stack.orchestrator() as fresh:
        assert await fresh.grade(play.id) == graded


async def test_settled_events_are_forgotten_by_their_service(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    world = world_of(toy_stack, play)

    unsettled = (
        "SELECT 1 FROM shop.outbox WHERE layer = %s UNION ALL SELECT 1 FROM depot.outbox WHERE layer = %s"
    )
    for _ in range(500):
        if not toy_stack.rows(unsettled, world, world):
            break
        await asyncio.sleep(0.02)

    assert toy_stack.rows(unsettled, world, world) == []


async def test_a_base_nobody_uses_is_retired_and_loaded_again_when_asked_for(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator(max_bases=1) as episodes:
        seed = 2 * secrets.randbelow(10**9)
        play, newer = await begin(episodes, seed=seed), await begin(episodes, seed=seed + 2)
        [[base]] = toy_stack.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id)
        for one in (play, newer):
            await one.call("finish")
        background_jobs = episodes._background_jobs
        for _ in range(3):
            await toy_stack.write(
                "UPDATE orchestrator.bases SET used_at = now() - "
                "CASE WHEN digest = %s THEN interval '2 hours' ELSE interval '1 hour' END RETURNING 1",
                base,
            )
            await background_jobs.prune()
        assert toy_stack.rows("SELECT 1 FROM shop.bases WHERE digest = %s", base) == []
        assert toy_stack.rows("SELECT 1 FROM orchestrator.bases WHERE digest = %s", base) == []

        again = await begin(episodes, seed=seed)

        assert again.last.metadata["trace_hash"] == play.replies[0].metadata["trace_hash"]
        listed = await again.call("shop_list_orders")
        assert listed.observation["result"]["items"]


async def test_surplus_episodes_go_oldest_first(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator(keep_episodes=1) as episodes:
        plays = [await begin(episodes) for _ in range(3)]
        for play in plays[:2]:
            await play.call("finish")

        await pruned(episodes)

        with pytest.raises(Refusal, match="no episode"):
            await episodes.state(plays[0].id)
        assert (await episodes.state(plays[1].id))["done"] is True
        assert (await episodes.state(plays[2].id))["done"] is False


async def test_progress_cache_forgets_episodes_closed_by_another_replica(toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as one, toy_stack.orchestrator() as other:
        plays = [await begin(one) for _ in range(2)]
        for play in plays:
            await play.call("shop_list_orders")
        await other.close(plays[0].id)

        await one._background_jobs.prune()

        assert {episode_id for episode_id, _ in one._components.progress_cache._kept} == {plays[1].id}


async def test_few_companies_of_episodes_that_are_over_stay_in_memory_and_all_have_their_grades(
    toy_stack: ToyStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_cache, "MOST_ENDED", 1)
    async with ready_orchestrator(toy_stack) as episodes:
        plays = [await begin(episodes) for _ in range(3)]
        for play in plays:
            await play.call("finish")

        kept = episodes._components.progress_cache

        assert len(kept._ended) == 1
        assert not kept._kept
        grades = [await episodes.grade(play.id) for play in plays]
        assert grades[0]["musts"] == grades[1]["musts"] == grades[2]["musts"]


async def leave_unused(toy_stack: ToyStack, play: Play, hours: int) -> None:
    """Let a time pass in which nobody used an episode."""
    await toy_stack.write(
        "UPDATE orchestrator.episodes SET used_at = now() - make_interval(hours => %s) WHERE id = %s RETURNING 1",
        hours,
        play.id,
    )


async def test_an_episode_that_nobody_uses_is_ended_and_says_so(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    world = world_of(toy_stack, play)
    await leave_unused(toy_stack, play, hours=25)

    await pruned(episodes)

    ended = await episodes.episode(play.id)
    assert (ended["done"], ended["truncated"], ended["success"], ended["invalid"]) == (
        True,
        True,
        False,
        True,
    )
    assert ended["invalid_reason"] == "expired: unused for 86400 s"
    with pytest.raises(Refusal, match=r"ended after step 1: unused for 86400 s\..*Send reset") as caught:
        await play.call("shop_list_orders")
    assert (caught.value.status, caught.value.code) == (409, "episode_expired")
    again = await episodes.step(
        play.id, {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}, step=1
    )
    assert again.observation == play.last.observation
    assert (
        'companyos_episodes_ended_total{outcome="invalid",scenario="errand"}' in episodes.metrics().decode()
    )
    await reaped(toy_stack, world)
    assert (toy_stack.rows(ROWS, world), toy_stack.rows(STEPS, world)) == ([(0,)], [(1,)])
    assert len(await episodes.trace(play.id)) == 2


async def test_how_long_an_episode_may_be_idle_is_a_setting(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await begin(episodes)
    await leave_unused(toy_stack, play, hours=2)
    await pruned(episodes)
    assert (await episodes.state(play.id))["done"] is False

    async with toy_stack.orchestrator(idle_s=3600) as strict:
        await strict._background_jobs.prune()

    assert (await episodes.episode(play.id))["invalid_reason"] == "expired: unused for 3600 s"


async def test_an_ended_episode_can_be_restored_to_what_was_kept_of_it(
    episodes: Episodes, toy_stack: ToyStack
) -> None:
    play = await begin(episodes)
    kept = (await episodes.branches.snapshot(play.id))["snapshot_id"]
    await leave_unused(toy_stack, play, hours=25)
    await pruned(episodes)

    await episodes.branches.restore(play.id, kept)

    assert (await play.call("shop_list_orders")).observation["error"] is None


async def test_where_room_runs_out_episodes_that_nobody_uses_go_sooner(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    play = await begin(episodes)
    await leave_unused(toy_stack, play, hours=1)
    await pruned(episodes)
    assert (await episodes.state(play.id))["done"] is False

    async with toy_stack.orchestrator(max_episodes=1) as crowded:
        await crowded._background_jobs._capacity.count()
        await crowded._background_jobs.prune()

    assert (await episodes.state(play.id))["done"] is True


async def test_more_open_episodes_than_allowed_are_refused(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator(max_episodes=1) as episodes:
        await asyncio.sleep(0.1)
        with pytest.raises(Refusal) as caught:
            for _ in range(2):
                await episodes.reset(ResetOptions(scenario="errand", chaos=0))

    assert (caught.value.status, caught.value.code) == (429, "too_many_episodes")


async def test_a_full_house_is_told_as_openenv_does_with_a_time_to_try_again(toy_stack: ToyStack) -> None:
    opened = partial(toy_stack.orchestrator, max_episodes=1)
    api = trainer_api(opened, TrainerAccess(published_host="127.0.0.1"), max_sessions=8)
    reset = {"scenario": "errand", "chaos": 0}
    async with serving(api) as url:
        async with httpx.AsyncClient(base_url=url) as http:
            while (refused := await http.post("/reset", json=reset)).status_code == 200:
                continue
        async with connect(f"{url.replace('http', 'ws')}/ws") as socket:
            await socket.send(orjson.dumps({"type": "reset", "data": reset}).decode())
            answer = orjson.loads(await socket.recv())

    assert (refused.status_code, refused.json()["type"]) == (429, "too_many_episodes")
    assert refused.headers["retry-after"] == "1"
    assert answer["data"]["code"] == "CAPACITY_REACHED"
    assert (answer["data"]["retryable"], answer["data"]["retry_after_s"]) == (True, 1)


async def test_the_process_counts_what_it_does(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_list_orders")

    told = episodes.metrics().decode()

    assert 'companyos_steps_total{call="done"}' in told
    assert 'companyos_resets_total{scenario="errand"}' in told
    assert 'companyos_work_seconds_bucket{le="0.001",work="reset"}' in told
