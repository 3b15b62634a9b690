"""The same inputs give the same trace, whatever else goes on."""

import asyncio
import random
from typing import Any

from orchestrator.episodes.facade import Episodes

from .toy_stack import Play, ToyStack, begin

ACTIONS: list[dict[str, Any]] = [
    {"tool_name": "shop_place_pair", "arguments": {"first": "lamp", "second": "table"}},
    {"tool_name": "shop_place_order", "arguments": {"item": "shelf"}},
    {"tool_name": "shop_get_order", "arguments": {"order_id": "ORD-0002"}},
    {"tool_name": "shop_cancel_order", "arguments": {"order_id": "ORD-0003"}},
    {"tool_name": "shop_cancel_order", "arguments": {"order_id": "ORD-0003"}},
    {"tool_name": "wait", "arguments": {"seconds": 4000}},
    {"tool_name": "depot_list_parcels", "arguments": {"limit": 2}},
    {"tool_name": "shop_list_orders", "arguments": {}},
    {"tool_name": "finish", "arguments": {"answer": "done"}},
]
CHAOS = {"faults": {"svc.http_5xx": {"p": 0.3, "B": 2, "F": 3}}}


async def played(episodes: Episodes, seed: int) -> Play:
    play = await begin(episodes, seed=seed, chaos=CHAOS)
    for action in ACTIONS:
        play.replies.append(await episodes.step(play.id, action))
    return play


def course(play: Play) -> list[Any]:
    """Everything of an episode but its id."""
    return [
        (
            reply.observation,
            reply.reward,
            reply.done,
            {
                name: value
                for name, value in reply.metadata.items()
                if name not in ("episode_id", "episode_uid", "agent_token")
            },
        )
        for reply in play.replies
    ]


async def test_episodes_at_once_go_as_they_go_alone(toy_stack: ToyStack, episodes: Episodes) -> None:
    seeds = [seed for seed in range(4) for _ in range(8)]
    alone = {seed: course(await played(episodes, seed)) for seed in range(4)}

    async with toy_stack.orchestrator() as other:
        together = await asyncio.gather(
            *(played((episodes, other)[number % 2], seed) for number, seed in enumerate(seeds))
        )

    assert [course(play) == alone[seed] for play, seed in zip(together, seeds, strict=True)] == [True] * 32


async def test_interleaved_episodes_never_see_one_another(episodes: Episodes) -> None:
    plays = [await begin(episodes, seed=2 * number) for number in range(8)]
    turns = [play for play in plays for _ in range(4)]
    random.Random(5).shuffle(turns)

    for number, play in enumerate(turns):
        await play.call("shop_place_order", item=f"{play.id}-{number}")

    for play in plays:
        listed = await play.call("shop_list_orders")
        items = [order["item"] for order in listed.observation["result"]["items"]]
        assert {item.rpartition("-")[0] for item in items if item != "chair"} == {play.id}
        assert [
            order["id"] for order in listed.observation["result"]["items"] if order["item"] != "chair"
        ] == [f"ORD-{number:04}" for number in range(1, 5)]


async def test_a_reset_between_steps_changes_nothing(episodes: Episodes) -> None:
    quiet, busy = await begin(episodes), await begin(episodes)

    for action in ACTIONS[:6]:
        quiet.replies.append(await episodes.step(quiet.id, action))
        await begin(episodes, seed=4)
        busy.replies.append(await episodes.step(busy.id, action))
        await episodes.grade(busy.id)

    assert course(busy) == course(quiet)


async def test_different_seeds_begin_differently(episodes: Episodes) -> None:
    one, other = await begin(episodes, seed=0), await begin(episodes, seed=2)

    assert one.last.metadata["trace_hash"] != other.last.metadata["trace_hash"]


async def test_grading_again_from_the_record_says_the_same(toy_stack: ToyStack, episodes: Episodes) -> None:
    play = await played(episodes, 0)
    graded = await episodes.grade(play.id)

    async with toy_stack.orchestrator() as fresh:
        assert await fresh.grade(play.id) == graded
