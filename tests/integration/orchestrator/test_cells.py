"""Clients of two cells: they place what begins, find what has a name, and tell once that a cell is gone."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import pytest

from companyos.client import AsyncCompanyosEnv, CellGone, CompanyosBatch
from companyos.client.cells.directory import cells_at
from companyos.client.errors import TokenRefused
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from tests.live_services import serving

from .toy_scenario import ToyScenario
from .toy_stack import ToyStack

NAMES, ADDED = ("cell-a", "cell-b"), "cell-c"
RESET = {"scenario": ToyScenario.name}
FINISH = {"tool_name": "finish", "arguments": {}}


@asynccontextmanager
async def cell(toy_stack: ToyStack, name: str) -> AsyncIterator[str]:
    """Serve the trainer API of a cell of this name."""
    opened = partial(toy_stack.orchestrator, cell=name)
    api = trainer_api(opened, TrainerAccess(published_host="127.0.0.1"), max_sessions=8)
    async with serving(api) as url:
        await api.state.episodes.await_start()
        yield url


@asynccontextmanager
async def clients() -> AsyncIterator[Callable[..., AsyncCompanyosEnv]]:
    """Make clients, and close them with the episodes that they play."""
    async with AsyncExitStack() as stack:

        def client(*urls: str) -> AsyncCompanyosEnv:
            env = AsyncCompanyosEnv(urls)
            stack.push_async_callback(env.close)
            return env

        yield client


def cell_in(name: str | None) -> str:
    return str(name).partition(".")[0]


async def test_episodes_begin_where_they_were_prefetched_and_are_found_by_name(toy_stack: ToyStack) -> None:
    async with cell(toy_stack, NAMES[0]) as one, cell(toy_stack, NAMES[1]) as other, clients() as client:
        env = client(one, other)
        prefetched = await env.prefetch(range(6), **RESET)
        begun = [await env.reset(**RESET, seed=seed) and env.detach() for seed in range(6)]
        again = [await env.reset(**RESET, seed=seed) and env.detach() for seed in range(6)]

        await env.attach(begun[0])
        snapshot = await env.snapshot()
        (branch,) = await env.fork(1)
        continued = await client(other, one).reset(snapshot=snapshot)
        states = [await client(other, one).attach(str(name)) for name in begun]
        chosen = await env.reset(**RESET, episode_id="found-in-two-cells")
        stepped = await client(other, one).attach("found-in-two-cells")
        made = (snapshot, branch.episode_id, continued.metadata.episode_id)
        await branch.close()

    homes = [cell_in(name) for name in begun]
    assert prefetched.known + prefetched.queued == 6
    assert set(homes) == set(NAMES)
    assert homes == [cell_in(name) for name in again]
    assert {cell_in(name) for name in made} == {homes[0]}
    assert [state["episode_id"] for state in states] == begun
    assert chosen.metadata.episode_id == stepped["episode_id"] == "found-in-two-cells"


async def test_open_episodes_are_found_after_a_cell_is_added_and_after_another_is_removed(
    toy_stack: ToyStack,
) -> None:
    async with cell(toy_stack, NAMES[0]) as one, cell(toy_stack, NAMES[1]) as other, clients() as client:
        env = client(one, other)
        begun = [await begin(env, seed) for seed in range(12)]
        async with cell(toy_stack, ADDED) as third:
            more, fewer = client(one, other, third), client(third, one)
            begun_then = [await begin(more, seed) for seed in range(12)]
            with_more = [await finish(more, name) for name in begun[:6]]
            kept = [name for name in (*begun[6:], *begun_then) if cell_in(name) != NAMES[1]]
            with_fewer = [await finish(fewer, name) for name in kept]

    assert {cell_in(name) for name in begun} == set(NAMES)
    assert {cell_in(name) for name in begun_then} == {*NAMES, ADDED}
    assert (with_more, with_fewer) == ([True] * 6, [True] * len(kept))


async def begin(env: AsyncCompanyosEnv, seed: int) -> str:
    """Begin an episode that stays open, and return its name."""
    await env.reset(**RESET, seed=seed)
    return str(env.detach())


async def finish(env: AsyncCompanyosEnv, name: str) -> bool:
    """Finish an open episode, and return whether that was possible."""
    await env.attach(name)
    return (await env.step(FINISH)).done


async def test_a_batch_steps_the_episodes_of_both_cells(toy_stack: ToyStack) -> None:
    async with cell(toy_stack, NAMES[0]) as one, cell(toy_stack, NAMES[1]) as other:

        def play() -> tuple[list[str | None], list[bool]]:
            batch = CompanyosBatch([one, other], 40)
            batch.reset([{**RESET, "episode_id": f"{NAMES[n % 2]}.of-batch-{n}"} for n in range(40)])
            ids = batch.episode_ids
            done = [result.done for result in batch.step([FINISH] * 40)]
            batch.close()
            return ids, done

        ids, done = await asyncio.to_thread(play)

    assert done == [True] * 40
    assert Counter(map(cell_in, ids)) == dict.fromkeys(NAMES, 20)


async def test_a_cell_that_drains_or_is_gone_gets_no_resets_and_its_loss_is_told_once(
    toy_stack: ToyStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companyos.client.conversation.PAUSES_S", (0.0,))
    async with cell(toy_stack, NAMES[0]) as one, clients() as client:
        async with cell(toy_stack, NAMES[1]) as other:
            env = client(one, other)
            lost = await env.reset(**RESET, episode_id=f"{NAMES[1]}.lost")
            elsewhere = client(other, one)
            await elsewhere.attach(lost.metadata.episode_id)
            elsewhere.detach()
            noted = cells_at(f"{other},{one}")
            assert noted is not None
            noted.note_draining(f"{NAMES[0]}.any")
            while_draining = await elsewhere.reset(**RESET)
        with pytest.raises(CellGone, match="Its open episodes are lost"):
            await env.step(FINISH)
        others = [(await env.reset(**RESET, seed=seed)).metadata.episode_id for seed in range(6)]
        played = await env.step(FINISH)

    assert cell_in(lost.metadata.episode_id) == cell_in(while_draining.metadata.episode_id) == NAMES[1]
    assert {cell_in(name) for name in others} == {NAMES[0]}
    assert played.done


async def test_a_rollout_token_plays_with_our_client_and_reads_no_trace(toy_stack: ToyStack) -> None:
    access = TrainerAccess(published_host="127.0.0.1", token="the-trainers", rollout_token="the-workers")
    api = trainer_api(partial(toy_stack.orchestrator, cell=NAMES[0]), access, max_sessions=8)
    async with serving(api) as url, AsyncCompanyosEnv([url], token="the-workers") as env:
        await api.state.episodes.await_start()

        await env.reset(**RESET)
        played = await env.step(FINISH)
        with pytest.raises(TokenRefused) as refusal:
            await env.trace()

    assert played.done
    assert refusal.value.code == "trainer_token_required"
