"""The fork law: whichever way leads to the same actions, the world, clock, rewards and trace are the same."""

from typing import Any

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companyos.chassis.world.context import HEADER, Context, sign
from orchestrator.episodes.facade import Episodes, ResetOptions
from tests.forks import forked
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY

from .toy_stack import ToyStack, begin

OPTIONS: dict[str, Any] = {"max_steps": 40, "chaos": 1, "seed": 6}


def call(tool_name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_name": tool_name, "arguments": arguments}


order_ids = st.sampled_from(["ORD-0001", "ORD-0002", "ORD-0003", "OLD-0", "OLD-1", "ORD-9999"])
items = st.sampled_from(["lamp", "chair"])
actions = st.one_of(
    st.builds(lambda item: call("shop_place_order", item=item), items),
    st.builds(lambda one, two: call("shop_place_pair", first=one, second=two), items, items),
    st.builds(lambda key: call("shop_cancel_order", order_id=key), order_ids),
    st.builds(lambda key, item: call("shop_rename_order", order_id=key, item=item), order_ids, items),
    st.builds(lambda key: call("shop_approve_order", order_id=key), order_ids),
    st.builds(lambda seconds: call("wait", seconds=seconds), st.sampled_from([60, 3600, 7200])),
    st.just(call("shop_list_orders", limit="many")),
    st.just(call("shop_dance")),
)
plays = st.lists(actions, max_size=4)


async def play(episodes: Episodes, episode_id: str, steps: list[dict[str, Any]]) -> None:
    for action in steps:
        await episodes.step(episode_id, action)


async def state_of(toy_stack: ToyStack, episodes: Episodes, episode_id: str) -> dict[str, Any]:
    """Return everything an episode is, but for its name and the names of its layers."""
    episode = await episodes._episode(episode_id)
    context = Context(episode.world, episode.chain, episode.now, "ann", "clerk", "look", "look")
    headers = {HEADER: sign(context, CONTEXT_KEY), "authorization": f"Bearer {ADMIN_TOKEN}"}
    rows = {}
    async with httpx.AsyncClient() as client:
        for name, url in toy_stack.services.items():
            rows[name] = (await client.get(f"{url}/admin/layers", headers=headers)).json()["tables"]
    records = [
        {key: value for key, value in record.items() if key not in ("took_ms", "origin", "seal")}
        for record in await episodes.trace(episode_id)
    ]
    return {
        "rows": rows,
        "clock": (episode.now, episode.due),
        "rewards": (episode.total, [record.get("reward") for record in records]),
        "trace": records,
        "hash": episode.hash,
    }


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prefix=plays, other=plays, suffix=plays)
async def test_every_way_to_the_same_actions_leads_to_the_same_state(
    toy_stack: ToyStack,
    episodes: Episodes,
    prefix: list[dict[str, Any]],
    other: list[dict[str, Any]],
    suffix: list[dict[str, Any]],
) -> None:
    solo, parent = await begin(episodes, **OPTIONS), await begin(episodes, **OPTIONS)
    await play(episodes, solo.id, [*prefix, *suffix])
    expected = await state_of(toy_stack, episodes, solo.id)

    await play(episodes, parent.id, prefix)
    kept = (await episodes.branches.snapshot(parent.id))["snapshot_id"]
    first, second = await forked(episodes.branches, parent.id, 2)
    await play(episodes, parent.id, other)
    await play(episodes, first, [*other, *suffix])
    begun = (await episodes.reset(ResetOptions(snapshot=kept))).metadata["episode_id"]
    await episodes.branches.restore(parent.id, kept)
    for episode_id in (second, begun, parent.id):
        await play(episodes, episode_id, suffix)

    for episode_id in (second, begun, parent.id):
        assert await state_of(toy_stack, episodes, episode_id) == expected


async def test_a_reset_after_anything_is_as_the_first_one(toy_stack: ToyStack, episodes: Episodes) -> None:
    clean = await begin(episodes, **OPTIONS)
    expected = await state_of(toy_stack, episodes, clean.id)
    dirty = await begin(episodes, **OPTIONS)
    for action in (call("shop_place_pair", first="lamp", second="chair"), call("wait", seconds=7200)):
        await episodes.step(dirty.id, action)
    await episodes.branches.snapshot(dirty.id)
    await episodes.step(dirty.id, call("shop_cancel_order", order_id="OLD-0"))

    again = await begin(episodes, **OPTIONS, episode_id=dirty.id, replace=True)

    assert again.last.observation == clean.last.observation
    assert await state_of(toy_stack, episodes, again.id) == expected
