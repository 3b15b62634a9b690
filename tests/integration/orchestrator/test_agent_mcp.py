"""The agent API as an MCP server: both kinds of beginning, every message answered as its revision wants."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import httpx
import jsonschema_rs
import pytest

from orchestrator.episodes.facade import Episodes

from .agent_client import LAMP, agent_of, begun, id_of, rpc, token_of

NEWEST = "2025-11-25"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def modern(method: str, *, name: str | None = None, **headers: str) -> dict[str, str]:
    """Return the headers of a request without a handshake."""
    routing = {"mcp-protocol-version": MODERN, "mcp-method": method}
    return {**routing, **({} if name is None else {"mcp-name": name}), **headers}


async def sent(agent: httpx.AsyncClient, message: Any, **headers: str) -> httpx.Response:
    return await agent.post("/mcp", json=message, headers=headers)


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [
        (NEWEST, NEWEST),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", NEWEST),
        (MODERN, NEWEST),
        (None, NEWEST),
        (7, NEWEST),
    ],
)
async def test_a_handshake_agrees_on_a_revision(agent: httpx.AsyncClient, wanted: Any, agreed: str) -> None:
    result = (await rpc(agent, "initialize", protocolVersion=wanted))["result"]

    assert result["protocolVersion"] == agreed


async def test_a_handshake_tells_the_task_and_that_there_are_tools(episodes: Episodes) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        answer = await sent(agent, request("initialize", protocolVersion=NEWEST))

    result = answer.json()["result"]
    assert result["instructions"] == reply.observation["text"]
    assert set(result["capabilities"]) == {"tools", "prompts", "resources"}
    assert result["serverInfo"]["name"] == "companyos"
    assert "mcp-session-id" not in answer.headers
    assert "resultType" not in result


async def test_discovery_tells_the_same_without_a_handshake(episodes: Episodes) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        answer = await sent(agent, request("server/discover", _meta=META), **modern("server/discover"))

    result = answer.json()["result"]
    assert result["supportedVersions"] == [MODERN, NEWEST, "2025-06-18", "2025-03-26", "2024-11-05"]
    assert result["instructions"] == reply.observation["text"]
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "companyos"


async def test_tools_tell_what_they_do_to_the_company(agent: httpx.AsyncClient) -> None:
    tools = {tool["name"]: tool for tool in (await rpc(agent, "tools/list"))["result"]["tools"]}

    reading, changing, ending = tools["shop_list_orders"], tools["shop_place_order"], tools["finish"]
    assert reading["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert (changing["annotations"]["readOnlyHint"], ending["annotations"]["destructiveHint"]) == (
        False,
        True,
    )
    assert tools["service_health"]["annotations"]["readOnlyHint"] is True
    assert all(tool["outputSchema"]["type"] == "object" for tool in tools.values())
    for tool in tools.values():
        jsonschema_rs.meta.validate(tool["inputSchema"])
        jsonschema_rs.meta.validate(tool["outputSchema"])


async def test_a_result_is_text_and_structure(agent: httpx.AsyncClient) -> None:
    result = (await rpc(agent, "tools/call", name="shop_place_order", arguments=LAMP))["result"]

    assert result["isError"] is False
    assert result["content"][0]["type"] == "text"
    assert "ORD-0001" in result["content"][0]["text"]
    assert result["structuredContent"]["item"] == "lamp"
    assert result["_meta"]["companyos/standing"]["steps_remaining"] == 9


async def test_a_result_that_is_no_object_is_put_into_one(agent: httpx.AsyncClient) -> None:
    pair = {"first": "lamp", "second": "table"}

    result = (await rpc(agent, "tools/call", name="shop_place_pair", arguments=pair))["result"]

    assert [order["item"] for order in result["structuredContent"]["result"]] == ["lamp", "table"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"name": "shop_get_order", "arguments": {"order_id": "ORD-9"}}, "order_unknown"),
        ({"name": "shop_get_order", "arguments": {}}, "invalid_arguments"),
        ({"name": "shop_get_order"}, "invalid_arguments"),
        ({"name": "shop_get_order", "arguments": None}, "invalid_arguments"),
        ({"name": "shop_get_order", "arguments": [1]}, "invalid_arguments"),
        ({"name": "shop_get_order", "arguments": "{"}, "invalid_arguments"),
        ({"name": "buy", "arguments": {}}, "tool_not_found"),
    ],
)
async def test_a_models_slip_is_a_result_and_a_step(
    episodes: Episodes, params: dict[str, Any], code: str
) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        answer = await sent(agent, request("tools/call", **params))

    result = answer.json()["result"]
    assert (answer.status_code, result["isError"]) == (200, True)
    assert result["structuredContent"]["error"]["code"] == code
    assert (await episodes.state(id_of(reply)))["step_count"] == 1


@pytest.mark.parametrize(
    "method", ["notifications/initialized", "notifications/cancelled", "notifications/x"]
)
async def test_a_notification_is_taken_and_not_answered(agent: httpx.AsyncClient, method: str) -> None:
    answer = await sent(agent, {"jsonrpc": "2.0", "method": method})

    assert (answer.status_code, answer.content) == (202, b"")


async def test_a_call_without_an_id_is_a_notification_and_no_step(agent: httpx.AsyncClient) -> None:
    call = {
        "jsonrpc": "2.0",
        "method": "tools/call",
        "params": {"name": "wait", "arguments": {"seconds": 60}},
    }

    answers = [await sent(agent, message) for message in (call, {**call, "params": []})]

    assert [(answer.status_code, answer.content) for answer in answers] == [(202, b"")] * 2
    assert (await agent.get("/task")).json()["step"] == 0


async def test_a_response_that_nothing_asked_for_is_taken(agent: httpx.AsyncClient) -> None:
    assert (await sent(agent, {"jsonrpc": "2.0", "id": 1, "result": {}})).status_code == 202


async def test_there_is_no_stream_to_listen_to_and_nothing_to_end(agent: httpx.AsyncClient) -> None:
    assert (await agent.get("/mcp")).status_code == 405
    assert (await agent.delete("/mcp")).status_code == 204
    assert (await agent.get("/task")).json()["step"] == 0


async def test_a_ping_is_answered_with_nothing(agent: httpx.AsyncClient) -> None:
    assert await rpc(agent, "ping") == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.parametrize("request_id", [0, 1, -5, 2**63, 1e3, "a", "", "é"])
async def test_a_request_gets_its_own_id_back(agent: httpx.AsyncClient, request_id: Any) -> None:
    answer = await sent(agent, {"jsonrpc": "2.0", "id": request_id, "method": "ping"})

    assert answer.json()["id"] == request_id


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, -32700),
        (b"{", 400, -32700),
        (b"\xff", 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', 400, -32700),
        (b"[]", 400, -32600),
        (b"7", 400, -32600),
        (b"{}", 400, -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"params":{}}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/subscribe"}', 200, -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}', 200, -32601),
    ],
)
async def test_malformed_mcp_request_returns_an_error_without_a_step(
    agent: httpx.AsyncClient, body: bytes, status: int, code: int
) -> None:
    answer = await agent.post("/mcp", content=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["id"] == (1 if b'"id":1,' in body and code != -32700 else None)
    assert (await agent.get("/task")).json()["step"] == 0


async def test_a_revision_that_is_not_spoken_is_refused_with_those_that_are(agent: httpx.AsyncClient) -> None:
    refused = await sent(agent, request("ping"), **{"mcp-protocol-version": "1999-01-01"})

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32022)
    assert refused.json()["error"]["data"]["requested"] == "1999-01-01"
    assert NEWEST in refused.json()["error"]["data"]["supported"]


async def test_a_call_without_a_handshake_is_a_step(agent: httpx.AsyncClient) -> None:
    call = request("tools/call", name="shop_list_orders", arguments={}, _meta=META)

    plain = await sent(agent, call, **modern("tools/call", name="shop_list_orders"))
    encoded = b64encode(b"shop_list_orders").decode()
    coded = await sent(agent, call, **modern("tools/call", name=f"=?base64?{encoded}?="))

    assert plain.json()["result"]["resultType"] == "complete"
    assert coded.json()["result"]["_meta"]["companyos/standing"]["step"] == 2


@pytest.mark.parametrize(
    ("meta", "headers", "status", "code"),
    [
        ({}, modern("tools/call", name="wait"), 400, -32602),
        (
            {"io.modelcontextprotocol/protocolVersion": MODERN},
            modern("tools/call", name="wait"),
            400,
            -32602,
        ),
        (META, {}, 400, -32020),
        (META, modern("tools/list", name="wait"), 400, -32020),
        (META, modern("tools/call", name="finish"), 400, -32020),
        (META, modern("tools/call"), 400, -32020),
        (META, modern("tools/call", name="=?base64?%%?="), 400, -32020),
        (META, {**modern("tools/call", name="wait"), "mcp-protocol-version": NEWEST}, 400, -32020),
        (
            {**META, "io.modelcontextprotocol/protocolVersion": "2027-01-01"},
            {**modern("tools/call", name="wait"), "mcp-protocol-version": "2027-01-01"},
            400,
            -32022,
        ),
    ],
)
async def test_headers_that_contradict_a_request_are_refused_and_no_step(
    agent: httpx.AsyncClient, meta: dict[str, Any], headers: dict[str, str], status: int, code: int
) -> None:
    call = request("tools/call", name="wait", arguments={"seconds": 60}, _meta=meta)

    refused = await sent(agent, call, **headers)

    assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
    assert (await agent.get("/task")).json()["step"] == 0


async def test_an_unknown_method_is_not_found_for_a_client_without_a_handshake(
    agent: httpx.AsyncClient,
) -> None:
    refused = await sent(agent, request("sampling/list", _meta=META), **modern("sampling/list"))

    assert (refused.status_code, refused.json()["error"]["code"]) == (404, -32601)


async def test_a_call_repeated_with_its_key_has_one_effect(agent: httpx.AsyncClient) -> None:
    keyed = {**LAMP, "idempotency_key": "mine"}

    for _ in range(3):
        await rpc(agent, "tools/call", name="shop_place_order", arguments=keyed)

    listed = (await agent.get("/shop/orders")).json()["items"]
    assert [order["item"] for order in listed].count("lamp") == 1


async def test_a_chosen_toolset_is_all_that_is_listed(episodes: Episodes) -> None:
    reply = await begun(episodes, tools=["shop_list_orders"])

    async with agent_of(episodes, token_of(reply)) as agent:
        listed = await rpc(agent, "tools/list")
        refused = await rpc(agent, "tools/call", name="shop_place_order", arguments=LAMP)

    assert [tool["name"] for tool in listed["result"]["tools"]] == ["get_task", "shop_list_orders"]
    assert refused["result"]["structuredContent"]["error"]["code"] == "tool_not_offered"
