"""Outages as the agent API tells them: waited out if short, and never with details."""

from __future__ import annotations

import asyncio

from .agent_client import LAMP, agent_of, begun, id_of, token_of
from .faulty_proxy import State
from .test_outages import through_a_proxy
from .toy_stack import ToyStack


async def test_a_short_outage_is_waited_out_for_the_agent(toy_stack: ToyStack) -> None:
    async with (
        through_a_proxy(toy_stack, patience_s=30.0) as (episodes, proxy),
        agent_of(episodes, token_of(await begun(episodes))) as agent,
    ):
        proxy.cut()
        call = asyncio.create_task(agent.post("/shop/orders", json=LAMP))
        await asyncio.sleep(0.2)
        proxy.state = State.UP

        placed = await call

    assert (placed.status_code, placed.headers["companyos-step"]) == (201, "1")


async def test_an_outage_is_told_without_details(toy_stack: ToyStack) -> None:
    async with (
        through_a_proxy(toy_stack, patience_s=30.0) as (episodes, proxy),
        agent_of(episodes, token_of(await begun(episodes))) as agent,
    ):
        proxy.cut()
        refused = await agent.post("/shop/orders", json=LAMP)
        result = await agent.post(
            "/mcp",
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "shop_place_order", "arguments": LAMP},
            },
        )

    assert (refused.status_code, refused.json()["type"]) == (503, "temporarily_unavailable")
    assert refused.json()["retryable"] is True
    assert (result.status_code, result.json()["result"]["isError"]) == (200, True)
    for answer in (refused, result):
        assert "shop" not in answer.text.replace("shop_place_order", "")
        assert "127.0.0.1" not in answer.text


async def test_an_episode_that_the_stack_failed_ends_without_details(toy_stack: ToyStack) -> None:
    async with through_a_proxy(toy_stack) as (episodes, proxy):
        reply = await begun(episodes)
        async with agent_of(episodes, token_of(reply)) as agent:
            proxy.cut()
            refused = await agent.post("/shop/orders", json=LAMP)

        assert (refused.status_code, refused.json()["type"]) == (503, "systems_failed")
        assert refused.json()["retryable"] is False
        assert "shop" not in refused.text
        assert (await episodes.episode(id_of(reply)))["invalid"] is True
