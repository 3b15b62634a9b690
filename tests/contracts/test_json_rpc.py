"""JSON-RPC as OpenEnv's MCP clients speak it, over HTTP and over sockets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.patience import PATIENCE_S

from .trainer_calls import socket_to

RESET = {"type": "reset", "data": {}}


def request(method: str, number: int | str | None = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params, "id": number}


async def call(http: httpx.AsyncClient, method: str, **params: Any) -> dict[str, Any]:
    answer = await http.post("/mcp", json=request(method, **params))
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    assert (body["jsonrpc"], body["id"]) == ("2.0", 1)
    return body


async def test_an_empty_request_is_answered_as_json_rpc(http: httpx.AsyncClient) -> None:
    answer = await http.post("/mcp", json={})

    assert (answer.status_code, answer.json()["jsonrpc"]) == (200, "2.0")
    assert answer.json()["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("wanted", "version"), [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25"), (None, "2025-11-25")]
)
async def test_initialize_is_answered_as_mcp_clients_expect(
    http: httpx.AsyncClient, wanted: str | None, version: str
) -> None:
    result = (await call(http, "initialize", protocolVersion=wanted, capabilities={}))["result"]

    assert (result["protocolVersion"], result["capabilities"]) == (version, {"tools": {}})
    assert result["serverInfo"]["name"] == "companyos"
    assert "session_id" in result["instructions"]
    assert (await call(http, "ping"))["result"] == {}


UNANSWERED: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "method": "notifications/unheard_of", "params": []},
    {"jsonrpc": "2.0", "method": "unheard_of"},
    {"jsonrpc": "2.0", "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 7, "result": {}},
    {"jsonrpc": "2.0", "id": 7, "error": {"code": -1, "message": "no"}},
]


@pytest.mark.parametrize("message", UNANSWERED, ids=json.dumps)
async def test_a_notification_or_a_response_is_not_answered_at_any_door(
    http: httpx.AsyncClient, url: str, message: dict[str, Any]
) -> None:
    answer = await http.post("/mcp", json=message)
    async with socket_to(url, "/mcp") as socket:
        await socket.say(json.dumps(message))
        after_it = await socket.ask(request("ping", 2))
    async with socket_to(url, "/ws") as socket:
        await socket.say(json.dumps({"type": "mcp", "data": message}))
        on_ws = await socket.ask({"type": "mcp", "data": request("ping", 3)})

    assert (answer.status_code, answer.content) == (202, b"")
    assert (after_it["id"], on_ws["data"]["id"]) == (2, 3)


@pytest.mark.parametrize(
    ("message", "echoed"),
    [
        ({"jsonrpc": "2.0", "method": "ping", "id": 4.0}, 4),
        ({"jsonrpc": "2.0", "method": "ping", "id": None}, None),
        ({"jsonrpc": "2.0", "method": "ping", "id": "", "params": None}, ""),
    ],
    ids=json.dumps,
)
async def test_a_request_is_answered_under_its_id(
    http: httpx.AsyncClient, message: dict[str, Any], echoed: Any
) -> None:
    answer = await http.post("/mcp", json=message)

    assert answer.json() == {"jsonrpc": "2.0", "id": echoed, "result": {}}


async def test_listed_tools_describe_the_arguments_that_they_share(http: httpx.AsyncClient) -> None:
    tools = (await call(http, "tools/list"))["result"]["tools"]

    shared = [
        schema
        for tool in tools
        for name, schema in tool["inputSchema"].get("properties", {}).items()
        if name in ("idempotency_key", "version", "min_version", "limit", "cursor")
    ]
    assert len(shared) > 50
    assert all(schema["description"] for schema in shared)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{", -32700),
        (b"", -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b'{"jsonrpc": "1.0", "method": "tools/list", "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "method": 7, "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "method": "tools/list", "id": {}}', -32600),
        (b'{"jsonrpc": "2.0", "method": "tools/list", "params": [], "id": 1}', -32602),
        (b'{"jsonrpc": "2.0", "method": "tools/list", "id": 1.5}', -32600),
        (b'{"jsonrpc": "2.0", "method": "tools/list", "id": true}', -32600),
        (b'{"jsonrpc": "2.0", "method": "reset", "id": 1}', -32601),
        (b'{"jsonrpc": "2.0", "method": "tools/call", "params": {"session_id": "x"}, "id": 1}', -32602),
        (b'{"jsonrpc": "2.0", "method": "openenv/session/close", "id": 1}', -32602),
        (
            b'{"jsonrpc": "2.0", "method": "openenv/session/close", "params": {"session_id": "x"}, "id": 1}',
            -32602,
        ),
    ],
)
async def test_a_bad_request_has_its_code_and_status_200(
    http: httpx.AsyncClient, raw: bytes, code: int
) -> None:
    answer = await http.post("/mcp", content=raw)

    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == code
    assert answer.json()["id"] == (1 if raw.endswith(b'"id": 1}') else None)


async def test_tools_are_listed_with_their_schemas(http: httpx.AsyncClient) -> None:
    tools = (await call(http, "tools/list"))["result"]["tools"]

    manifest = (await http.get("/manifest")).json()["tools"]
    assert [tool["name"] for tool in tools] == [tool["function"]["name"] for tool in manifest]
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


async def test_a_call_without_an_episode_says_what_to_do(http: httpx.AsyncClient) -> None:
    error = (await call(http, "tools/call", name="ticketdesk_list_tickets"))["error"]

    assert error["message"].startswith("no episode: send reset first")


async def test_a_session_is_created_attached_played_and_closed(url: str, http: httpx.AsyncClient) -> None:
    session = (await call(http, "openenv/session/create"))["result"]["session_id"]

    async with socket_to(url, f"/ws?session_id={session}") as socket:
        await socket.ask(RESET)
        result = (await call(http, "tools/call", name="ticketdesk_list_tickets", session_id=session))[
            "result"
        ]
        step_count = (await socket.ask({"type": "state"}))["data"]["step_count"]
        closing = (await call(http, "openenv/session/close", session_id=session))["result"]
    async with asyncio.timeout(PATIENCE_S):
        # It goes just after its socket has.
        while "error" not in (gone := await call(http, "openenv/session/close", session_id=session)):
            await asyncio.sleep(0.02)

    assert result["isError"] is False
    assert result["content"][0]["type"] == "text"
    assert result["data"] is not None
    assert step_count == 1
    assert closing == {"session_id": session, "closed": False, "closing": True}
    assert gone["error"]["code"] == -32602


async def test_a_session_outlives_its_socket_until_it_is_closed(url: str, http: httpx.AsyncClient) -> None:
    session = (await call(http, "openenv/session/create"))["result"]["session_id"]
    async with socket_to(url, f"/ws?session_id={session}") as socket:
        await socket.ask(RESET)

    again = await call(http, "tools/call", name="ticketdesk_list_tickets", session_id=session)
    closed = (await call(http, "openenv/session/close", session_id=session))["result"]

    assert again["result"]["isError"] is False
    assert closed == {"session_id": session, "closed": True}


async def test_an_unknown_tool_is_a_result_that_says_so(url: str) -> None:
    async with socket_to(url) as socket:
        await socket.ask(RESET)
        answer = await socket.ask({"type": "mcp", "data": request("tools/call", name="rm_rf", arguments={})})

    assert answer["type"] == "mcp"
    assert answer["data"]["result"]["isError"] is True
    assert answer["data"]["result"]["data"]["error"]["error_type"] == "tool_not_found"


async def test_a_socket_carries_json_rpc_beside_steps(url: str) -> None:
    async with socket_to(url) as socket:
        await socket.ask(RESET)
        first = await socket.ask(
            {"type": "mcp", "data": request("tools/call", name="ticketdesk_list_tickets")}
        )
        wrong = await socket.ask({"type": "mcp", "data": {"method": "tools/list"}})
        state = await socket.ask({"type": "state"})

    assert first["data"]["result"]["isError"] is False
    assert wrong["data"]["error"]["code"] == -32600
    assert state["data"]["step_count"] == 1


async def test_the_json_rpc_socket_survives_broken_json(url: str) -> None:
    async with socket_to(url, "/mcp") as socket:
        broken = await socket.ask("{")
        binary = await socket.ask(b"\xff")
        tools = await socket.ask(json.dumps(request("tools/list", "a")))

    assert broken["error"]["code"] == binary["error"]["code"] == -32700
    assert tools["id"] == "a"
    assert tools["result"]["tools"]


async def test_a_batch_of_the_revision_that_has_them_is_answered_as_a_list(
    http: httpx.AsyncClient, url: str
) -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [request("ping", 2), notification, request("reset", 3), request("initialize", 4), 7]

    answer = await http.post("/mcp", json=batch)
    async with socket_to(url, "/mcp") as socket:
        over_socket = await socket.ask(batch)
    later = await http.post("/mcp", json=batch, headers={"mcp-protocol-version": "2025-06-18"})

    assert answer.json() == over_socket
    assert [each["id"] for each in answer.json()] == [2, 3, 4, None]
    codes = [each.get("error", {}).get("code") for each in answer.json()]
    assert codes == [None, -32601, -32600, -32600]
    assert later.json()["error"]["code"] == -32600
    assert "2025-06-18 has no batches" in later.json()["error"]["message"]


async def test_a_batch_of_notifications_gets_no_body(http: httpx.AsyncClient) -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    answer = await http.post("/mcp", json=[notification, notification])

    assert (answer.status_code, answer.content) == (202, b"")
