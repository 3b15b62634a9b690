"""Batches of MCP messages, which only the revision 2025-03-26 has."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

PING = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "shop_list_orders"}}
NOTICE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


async def steps(agent: httpx.AsyncClient) -> int:
    count: int = (await agent.get("/task")).json()["step"]
    return count


@pytest.mark.parametrize("headers", [{}, {"mcp-protocol-version": "2025-03-26"}])
async def test_a_batch_is_played_in_order_and_answered_as_a_list(
    agent: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    start = {**PING, "id": 8, "method": "initialize"}

    answer = await agent.post(
        "/mcp", json=[PING, NOTICE, CALL, 7, {**PING, "method": "no"}, start], headers=headers
    )

    found = answer.json()
    assert answer.status_code == 200
    assert [each["id"] for each in found] == ["p", 7, None, "p", 8]
    assert [each.get("error", {}).get("code") for each in found] == [None, None, -32600, -32601, -32600]
    assert found[1]["result"]["isError"] is False
    assert await steps(agent) == 1


async def test_a_batch_of_notifications_is_not_answered(agent: httpx.AsyncClient) -> None:
    answer = await agent.post("/mcp", json=[NOTICE, NOTICE])

    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize(
    ("batch", "revision"),
    [([CALL], "2025-06-18"), ([CALL], "2025-11-25"), ([], "2025-03-26"), ([CALL] * 101, "2025-03-26")],
)
async def test_a_batch_that_its_revision_does_not_have_is_refused_without_a_step(
    agent: httpx.AsyncClient, batch: list[Any], revision: str
) -> None:
    answer = await agent.post("/mcp", json=batch, headers={"mcp-protocol-version": revision})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)
    assert await steps(agent) == 0


async def test_a_batch_needs_the_token(agent: httpx.AsyncClient) -> None:
    answer = await agent.post("/mcp", json=[PING], headers={"authorization": "Bearer wrong"})

    assert answer.status_code == 401
