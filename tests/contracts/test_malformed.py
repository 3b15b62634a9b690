"""Whatever names a tool is a step, however it is spelled, over every transport; what is no call can be reported."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.patience import PATIENCE_S

from .agent_calls import agent_in
from .trainer_calls import Socket, socket_to, started, stepped

GET = "ticketdesk_get_ticket"
TICKET = {"ticket_id": "TD-1001"}

#: What names a tool and is no call, and the code and the cost it has.
SLIPS: list[tuple[dict[str, Any], str, float]] = [
    ({"tool_name": GET, "arguments": "{not json"}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": "[1]"}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": [1]}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": 3}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": TICKET, "thoughts": "…"}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": {"n": 2**63}}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": {"n": [0] * 20_001}}, "invalid_arguments", -0.6),
    ({"tool_name": GET, "arguments": {**TICKET, "color": "red"}}, "invalid_arguments", -0.6),
    ({"tool_name": GET}, "invalid_arguments", -0.6),
    ({"tool_name": "x" * 100_000}, "invalid_arguments", -0.6),
    ({"type": "dance", "tool_name": GET, "arguments": TICKET}, "invalid_arguments", -0.6),
    ({"type": "list_tools", "tool_name": GET}, "invalid_arguments", -0.6),
    ({"app": "ticketdesk", "params": TICKET}, "invalid_arguments", -0.6),
    ({"app": "ticketdesk", "method": 7}, "invalid_arguments", -0.6),
    ({"tool_name": "ticketdesk_get_tickt", "arguments": TICKET}, "tool_not_found", -1.1),
    ({"type": "invalid", "raw": "I believe we are done."}, "invalid_action", -1.1),
]


@pytest.mark.parametrize(("action", "code", "reward"), SLIPS)
async def test_a_slip_is_a_step_that_says_what_is_wrong_and_costs_what_it_costs(
    http: httpx.AsyncClient, action: dict[str, Any], code: str, reward: float
) -> None:
    episode_id = await started(http, chaos=0)

    answer = await stepped(http, episode_id, action, step=1)
    again = await stepped(http, episode_id, action, step=1)

    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["observation"]["error"]["code"], told["reward"]) == (code, reward)
    assert told["observation"]["step"] == 1
    assert told["observation"]["text"].startswith(f"Refused ({code})")
    assert again.json()["observation"] == told["observation"]


@pytest.mark.parametrize(("action", "code"), [slip[:2] for slip in SLIPS[:6]])
async def test_a_slip_is_a_step_on_a_socket_too(url: str, action: dict[str, Any], code: str) -> None:
    async with socket_to(url) as socket:
        answer = await play(socket, action)

    assert answer["type"] == "observation"
    assert answer["data"]["observation"]["error"]["code"] == code
    assert answer["data"]["observation"]["step"] == 1


async def play(socket: Socket, action: dict[str, Any]) -> dict[str, Any]:
    await socket.ask({"type": "reset", "data": {"chaos": 0}})
    return await socket.ask({"type": "step", "data": action})


@pytest.mark.parametrize("arguments", ["{not json", [1], {"color": "red"}])
async def test_a_slip_is_a_step_of_json_rpc_too(url: str, arguments: Any) -> None:
    params = {"name": GET, "arguments": arguments}
    async with socket_to(url) as socket:
        await socket.ask({"type": "reset", "data": {"chaos": 0}})
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await socket.ask({"type": "mcp", "data": request})
        state = await socket.ask({"type": "state"})

    assert answer["data"]["result"]["isError"] is True
    assert answer["data"]["result"]["data"]["error"]["code"] == "invalid_arguments"
    assert state["data"]["step_count"] == 1


async def test_arguments_as_json_in_a_text_and_nulls_mean_what_they_say(http: httpx.AsyncClient) -> None:
    episode_id = await started(http, chaos=0)

    as_text = await stepped(
        http, episode_id, {"tool_name": "ticketdesk_list_tickets", "arguments": '{"limit": 2, "kind": null}'}
    )
    as_object = await stepped(
        http,
        episode_id,
        {"app": "ticketdesk", "method": "list_tickets", "params": {"limit": 2.0, "priority": None}},
    )

    assert as_text.json()["observation"]["error"] is None
    assert as_text.json()["observation"]["result"] == as_object.json()["observation"]["result"]


async def test_a_list_goes_on_where_its_text_says(http: httpx.AsyncClient) -> None:
    episode_id = await started(http, chaos=0)
    first = (await stepped(http, episode_id, listing(limit=10))).json()["observation"]
    lines = first["text"].splitlines()
    shown = [line for line in lines if line.startswith("  - ")]
    cursor = lines[-1].removeprefix("next_cursor: ")

    rest = (await stepped(http, episode_id, listing(limit=1, cursor=cursor))).json()["observation"]

    assert len(shown) == len(first["result"]["items"]) == 10
    assert f"total: {first['result']['total']}" in lines
    assert cursor == first["result"]["next_cursor"] == first["result"]["items"][-1]["id"]
    assert rest["result"]["items"][0]["id"] not in first["text"]


def listing(**arguments: Any) -> dict[str, Any]:
    return {"tool_name": "ticketdesk_list_tickets", "arguments": arguments}


async def test_the_tools_of_an_episode_are_those_that_its_reset_chose(
    url: str, http: httpx.AsyncClient
) -> None:
    session = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with socket_to(url) as socket:
        reset = await socket.ask({"type": "reset", "data": {"tools": [GET]}})
        listed = await socket.ask({"type": "step", "data": {"type": "list_tools"}})
        by_rpc = await socket.ask({"type": "mcp", "data": session})
        other = await socket.ask({"type": "step", "data": listing()})
    every = (await http.get("/manifest")).json()

    names = [GET]
    assert [tool["name"] for tool in reset["data"]["observation"]["tools"]] == names
    assert [tool["name"] for tool in listed["data"]["observation"]["tools"]] == names
    assert [tool["name"] for tool in by_rpc["data"]["result"]["tools"]] == names
    assert other["data"]["observation"]["error"]["code"] == "tool_not_offered"
    assert len(every["tools"]) > 50
    assert every["shared_arguments"]["cursor"]


async def test_an_unknown_tool_of_a_reset_is_refused_with_the_nearest(http: httpx.AsyncClient) -> None:
    answer = await http.post("/reset", json={"tools": [GET, "ticketdesk_list_ticket"]})

    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "tools"]
    assert "Did you mean ticketdesk_list_tickets" in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize("tools", ["some", 3, [3], [""], []])
async def test_a_choice_of_tools_that_is_none_is_refused(http: httpx.AsyncClient, tools: Any) -> None:
    answer = await http.post("/reset", json={"tools": tools})

    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][:2] == ["body", "tools"]


async def test_a_key_twice_in_one_object_is_refused_at_every_door_without_a_step(
    http: httpx.AsyncClient, url: str
) -> None:
    with agent_in(url, chaos=0) as agent:
        where = f'{{"episode_id": "{agent.episode_id}", "action": {{"type": "list_tools"}}, "step": 1, "step": 2}}'
        reset = await http.post("/reset", content=b'{"seed": 1, "seed": 2}')
        step = await http.post("/step", content=where)
        trainer_rpc = await http.post("/mcp", content=b'{"jsonrpc": "2.0", "id": 1, "id": 2}')
        rest = agent.http.post("/wait", content=b'{"seconds": 60, "seconds": 600}')
        agent_rpc = agent.http.post("/mcp", content=b'{"jsonrpc": "2.0", "id": 1, "id": 2}')
        state = (await http.get("/state", params={"episode_id": agent.episode_id})).json()
    async with socket_to(url) as socket:
        message = await socket.ask('{"type": "reset", "data": {"seed": 1, "seed": 2}}')

    assert [(each.status_code, each.json()["detail"][0]["type"]) for each in (reset, step)] == [
        (422, "key_repeated")
    ] * 2
    assert message["data"]["errors"][0]["type"] == "key_repeated"
    assert (rest.status_code, rest.json()["type"]) == (422, "json_invalid")
    assert [each.json()["error"]["code"] for each in (trainer_rpc, agent_rpc)] == [-32600] * 2
    assert state["step_count"] == 0


@pytest.mark.parametrize("door", ["trainer", "agent"])
async def test_http_1_1_without_a_host_is_refused_and_1_0_is_not(url: str, door: str) -> None:
    with agent_in(url) as agent:
        parts = urlsplit(url if door == "trainer" else agent.urls["rest"])
        statuses = []
        for version in ("1.1", "1.0"):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            writer.write(f"GET /health HTTP/{version}\r\nConnection: close\r\n\r\n".encode())
            statuses.append((await asyncio.wait_for(reader.readline(), PATIENCE_S)).split()[1])
            writer.close()

    assert statuses == [b"400", b"200"]


@pytest.mark.parametrize(
    "path", ["/reset?seed=4", "/step?episode_id=e", "/reset?scenario=quarter_close&seed=4"]
)
async def test_a_parameter_in_the_url_of_a_route_that_reads_its_body_is_refused(
    http: httpx.AsyncClient, path: str
) -> None:
    answer = await http.post(path, json={})

    flaw = answer.json()["detail"][0]
    assert (answer.status_code, flaw["type"]) == (422, "parameter_misplaced")
    assert flaw["loc"] == ["body", path.partition("?")[2].partition("=")[0]]
    assert "in the JSON body" in flaw["msg"]


@pytest.mark.parametrize("path", ["/ws", "/observe"])
async def test_a_socket_that_is_asked_for_without_an_upgrade_says_what_a_proxy_must_pass_on(
    http: httpx.AsyncClient, path: str
) -> None:
    answer = await http.get(path)

    assert (answer.status_code, answer.json()["type"]) == (426, "websocket_required")
    assert answer.headers["upgrade"] == "websocket"
    assert "Upgrade and Connection" in answer.json()["detail"]
