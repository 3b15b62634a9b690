"""A step that only reads needs no claim, and nobody can tell: not the trace, not another replica, not a refusal."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal
from orchestrator.storage.store import Store

from .faulty_proxy import State, proxy_to
from .toy_stack import Play, ToyStack, begin

LIST = {"tool_name": "shop_list_orders", "arguments": {}}
LAMP = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
TABLE = {"tool_name": "shop_place_order", "arguments": {"item": "table"}}
LATER = {"tool_name": "wait", "arguments": {"seconds": 7200}}
FINISH = {"tool_name": "finish"}
FAILING = {"faults": {"svc.http_5xx": {"p": 1, "F": 1, "match": {"operation": "list_orders"}}}}
ERRAND = [LIST, LAMP, LIST, LIST, LATER, LIST, LAMP, LIST, FINISH]


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The episodes of the claims so far."""
    episodes: list[str] = []
    claim = Store.claim

    async def noted(store: Store, episode_id: str, **wanted: Any) -> Any:
        episodes.append(episode_id)
        return await claim(store, episode_id, **wanted)

    monkeypatch.setattr(Store, "claim", noted)
    return episodes


@pytest.fixture
async def other(toy_stack: ToyStack) -> AsyncIterator[Episodes]:
    """Another replica."""
    async with toy_stack.orchestrator() as opened:
        yield opened


def items(reply: Any) -> list[str]:
    return [order["item"] for order in reply.observation["result"]["items"] if order["item"] != "chair"]


async def refused(episodes: Episodes, play: Play, action: Any, **step: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        await episodes.step(play.id, action, **step)
    return caught.value


async def test_only_the_first_of_several_reads_is_claimed(episodes: Episodes, claimed: list[str]) -> None:
    play = await begin(episodes)

    for _ in range(4):
        await episodes.step(play.id, LIST)

    assert claimed == [play.id]
    assert (await episodes.state(play.id))["step_count"] == 4


async def test_a_write_and_a_wait_are_claimed(episodes: Episodes, claimed: list[str]) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LIST)
    await episodes.step(play.id, LAMP)
    await episodes.step(play.id, LATER)

    assert len(claimed) == 3


async def test_a_read_during_which_work_becomes_due_is_claimed(
    toy_stack: ToyStack, episodes: Episodes, claimed: list[str]
) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LAMP)
    [[due, now]] = toy_stack.rows("SELECT due, sim_now FROM orchestrator.episodes WHERE id = %s", play.id)
    left = min(at for at in due.values() if at is not None) - now
    await episodes.step(play.id, {"tool_name": "wait", "arguments": {"seconds": left - 1}})
    before = len(claimed)

    await episodes.step(play.id, LIST)

    [_, *records] = await episodes.trace(play.id)
    assert len(claimed) == before + 1
    assert records[-1]["changes"]


@pytest.mark.parametrize("chaos", [0, 3, 5])
async def test_the_trace_is_that_of_claimed_steps(
    toy_stack: ToyStack, monkeypatch: pytest.MonkeyPatch, claimed: list[str], chaos: int
) -> None:
    async with toy_stack.orchestrator() as one:
        spared = await begin(one, chaos=chaos)
        hashes = [(await one.step(spared.id, action)).metadata["trace_hash"] for action in ERRAND]
        monkeypatch.setattr("orchestrator.step.commits.MOST_KNOWN", 0)
        plain = await begin(one, chaos=chaos)
        again = [(await one.step(plain.id, action)).metadata["trace_hash"] for action in ERRAND]

    assert hashes == again
    assert claimed.count(plain.id) == len(ERRAND)
    # A storm may disturb every read, which then is claimed.
    assert claimed.count(spared.id) < len(ERRAND) or chaos == 5


async def test_a_read_after_a_step_of_another_replica_sees_what_that_left(
    episodes: Episodes, other: Episodes
) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LAMP)
    await other.step(play.id, TABLE)

    reply = await episodes.step(play.id, LIST)

    assert (reply.observation["step"], items(reply)) == (3, ["lamp", "table"])


async def test_a_numbered_read_conflicts_with_what_another_replica_played(
    episodes: Episodes, other: Episodes
) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LAMP)
    await other.step(play.id, TABLE)

    assert (await refused(episodes, play, LIST, step=2)).code == "step_conflict"
    assert (await other.state(play.id))["step_count"] == 2


async def test_one_of_two_replicas_that_read_at_once_plays_the_step(
    episodes: Episodes, other: Episodes
) -> None:
    for _ in range(10):
        play = await begin(episodes)
        await episodes.step(play.id, LIST)
        await other.step(play.id, LIST, step=2)
        await episodes.step(play.id, LIST, step=3)

        replies = await asyncio.gather(
            *(each.step(play.id, LIST, step=4) for each in (episodes, other)), return_exceptions=True
        )

        played = [reply.metadata["trace_hash"] for reply in replies if not isinstance(reply, BaseException)]
        assert set(played) == {(await episodes.trace(play.id))[-1]["hash"]}
        assert (await episodes.state(play.id))["step_count"] == 4


async def test_a_repeated_read_returns_the_stored_response(episodes: Episodes) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LIST)

    first = await episodes.step(play.id, LIST, step=2)

    assert await episodes.step(play.id, LIST, step=2) == first
    assert (await episodes.state(play.id))["step_count"] == 2


async def test_a_read_that_a_fault_hits_is_claimed_and_the_next_is_not(
    episodes: Episodes, claimed: list[str]
) -> None:
    play = await begin(episodes, chaos=FAILING)
    await episodes.step(play.id, LAMP)
    failed = await episodes.step(play.id, LIST)
    assert len(claimed) == 2

    again = await episodes.step(play.id, LIST)

    assert [reply.observation["error"] is None for reply in (failed, again)] == [False, True]
    assert len(claimed) == 2
    assert (await episodes.episode(play.id))["faults"]["overcome"] == 1


async def test_a_chaos_put_in_force_meets_the_next_read(episodes: Episodes) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LIST)
    await episodes.chaos_override.put(play.id, FAILING)

    reply = await episodes.step(play.id, LIST)

    assert (reply.metadata["chaos_name"], reply.observation["error"] is None) == ("custom", False)


async def test_a_read_after_a_restore_sees_the_restored_world(episodes: Episodes, other: Episodes) -> None:
    play = await begin(episodes)
    snapshot = await episodes.branches.snapshot(play.id)
    await episodes.step(play.id, LAMP)
    await other.branches.restore(play.id, snapshot["snapshot_id"])

    reply = await episodes.step(play.id, LIST)

    assert (reply.observation["step"], items(reply)) == (1, [])


async def test_a_read_after_the_layers_were_folded_is_claimed(
    toy_stack: ToyStack, episodes: Episodes, claimed: list[str]
) -> None:
    def layers(play: Play) -> int:
        rows = toy_stack.rows("SELECT cardinality(chain) FROM orchestrator.episodes WHERE id = %s", play.id)
        return int(rows[0][0])

    async def long_chain() -> Play:
        """An episode that was read; the background job folds such a chain once a second."""
        while True:
            play = await begin(episodes, max_steps=30)
            for _ in range(8):
                await episodes.step(play.id, LAMP)
                await episodes.branches.snapshot(play.id)
            await episodes.step(play.id, LIST)
            if layers(play) > 9:
                return play

    play = await long_chain()
    before = len(claimed)
    await episodes._background_jobs.fold()

    await episodes.step(play.id, LIST)

    assert (layers(play), len(claimed)) == (3, before + 1)


async def test_a_read_meant_for_another_episode_is_refused(episodes: Episodes) -> None:
    play = await begin(episodes)
    await episodes.step(play.id, LIST)

    refusal = await refused(episodes, play, LIST, uid="0" * 16)

    assert (refusal.code, (await episodes.state(play.id))["step_count"]) == ("episode_replaced", 1)


async def test_the_agent_of_a_replaced_episode_reads_nothing_of_its_successor(episodes: Episodes) -> None:
    former = await begin(episodes, episode_id="known")
    token = former.last.metadata["agent_token"]
    await episodes.agents.step(token, LIST)
    successor = await begin(episodes, episode_id="known", replace=True)
    await episodes.step(successor.id, LIST)

    with pytest.raises(Refusal) as refusal:
        await episodes.agents.step(token, LIST)

    assert (refusal.value.code, (await episodes.state(successor.id))["step_count"]) == (
        "agent_token_invalid",
        1,
    )


async def test_a_read_of_a_service_that_is_down_counts_as_a_failed_step(toy_stack: ToyStack) -> None:
    async with (
        proxy_to(toy_stack.services["shop"]) as proxy,
        toy_stack.orchestrator(services={**toy_stack.services, "shop": proxy.url}, call_s=2.0) as episodes,
    ):
        play = await begin(episodes)
        await episodes.step(play.id, LIST)
        proxy.cut()

        outage = await refused(episodes, play, LIST)

        assert (outage.status, outage.code, outage.retryable) == (503, "service_unavailable", True)
        assert toy_stack.rows("SELECT step, failures FROM orchestrator.episodes WHERE id = %s", play.id) == [
            (1, 1)
        ]
        proxy.state = State.UP
        assert (await episodes.step(play.id, LIST)).observation["step"] == 2
