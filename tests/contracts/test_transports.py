"""What is the same over every transport: limits, the order of checks, names of episodes, and what needs no episode."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from typing import Any

import httpx
import pytest

from companyos.embedded.home import Home
from tests.patience import PATIENCE_S

from .conftest import ELSEWHERE
from .trainer_calls import LOOK, socket_to, started, stepped

LIST = {"type": "list_tools"}
LIMIT = 256 * 1024


def rpc(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}


async def called(http: httpx.AsyncClient, method: str, **params: Any) -> dict[str, Any]:
    answer: dict[str, Any] = (await http.post("/mcp", json=rpc(method, **params))).json()
    return answer


async def test_tools_are_listed_before_any_reset(url: str, http: httpx.AsyncClient) -> None:
    before = (await http.get("/episodes")).json()["counts"]["total"]
    by_http = (await http.post("/step", json={"action": LIST})).json()
    async with socket_to(url) as socket:
        by_socket = (await socket.ask({"type": "step", "data": LIST}))["data"]
        state = (await socket.ask({"type": "state"}))["data"]

    manifest = (await http.get("/manifest")).json()["tools"]
    names = [tool["name"] for tool in by_http["observation"]["tools"]]
    assert by_http == by_socket
    assert names == [tool["function"]["name"] for tool in manifest]
    assert (by_http["done"], by_http["reward"], by_http["observation"]["step"]) == (False, 0.0, 0)
    assert by_http["metadata"] == {"episode_id": None}
    assert state["episode_id"] is None
    assert (await http.get("/episodes")).json()["counts"]["total"] <= before


@pytest.mark.parametrize("episode", [{}, {"episode_id": "nobody"}])
async def test_the_form_of_a_step_is_checked_before_its_episode(
    http: httpx.AsyncClient, episode: dict[str, str]
) -> None:
    answer = await http.post("/step", json={"action": {"type": "dance"}, **episode})

    assert answer.status_code == 422


async def test_a_socket_checks_the_form_of_a_step_before_its_episode(url: str) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask({"type": "step", "data": {"type": "dance"}})

    assert answer["data"]["code"] == "VALIDATION_ERROR"


async def test_the_form_of_a_task_request_is_checked_before_its_environment(http: httpx.AsyncClient) -> None:
    assert (await http.post("/elsewhere/tasks", json={"split": "none"})).status_code == 422


async def test_json_rpc_plays_a_whole_episode_without_a_socket(http: httpx.AsyncClient) -> None:
    session = (await called(http, "openenv/session/create"))["result"]["session_id"]
    begun = (await called(http, "openenv/session/reset", session_id=session, seed=5))["result"]
    looked = (await called(http, "tools/call", session_id=session, name="ticketdesk_list_tickets"))["result"]
    ended = (await called(http, "tools/call", session_id=session, name="finish"))["result"]
    grade = (await http.get(f"/episodes/{begun['metadata']['episode_id']}/grade")).json()
    await called(http, "openenv/session/close", session_id=session)

    assert begun["metadata"]["seed"] == 5
    assert (looked["isError"], looked["_meta"]) == (False, {"done": False})
    assert ended["_meta"] == {"done": True}
    assert (grade["finished"], grade["step_count"]) == (True, 2)


async def test_json_rpc_goes_on_with_an_episode_that_http_began(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)

    result = (await called(http, "tools/call", episode_id=episode_id, name="ticketdesk_list_tickets"))[
        "result"
    ]

    assert result["isError"] is False
    assert (await http.get("/state", params={"episode_id": episode_id})).json()["step_count"] == 1


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {"session_id": "nobody"}),
        ("tools/list", {"session_id": 7}),
        ("tools/call", {"session_id": "nobody", "name": "finish"}),
        ("tools/call", {"session_id": "nobody"}),
        ("tools/call", {}),
        ("openenv/session/reset", {}),
        ("openenv/session/reset", {"session_id": "nobody"}),
        ("openenv/session/reset", {"episode_id": "nobody"}),
    ],
)
async def test_json_rpc_says_which_parameters_are_wrong(
    http: httpx.AsyncClient, method: str, params: dict[str, Any]
) -> None:
    assert (await called(http, method, **params))["error"]["code"] == -32602


async def test_a_bad_reset_by_json_rpc_names_the_field(http: httpx.AsyncClient) -> None:
    session = (await called(http, "openenv/session/create"))["result"]["session_id"]
    told = await called(http, "openenv/session/reset", session_id=session, seed=-1)
    await called(http, "openenv/session/close", session_id=session)

    assert told["error"]["code"] == -32602
    assert "seed" in told["error"]["message"]


async def test_every_field_of_a_reset_may_be_null_as_the_openapi_document_says(
    http: httpx.AsyncClient,
) -> None:
    document = (await http.get("/openapi.json")).json()
    fields = document["components"]["schemas"]["ResetRequest"]["properties"]

    answer = await http.post("/reset", json=dict.fromkeys(fields))

    assert answer.status_code == 200
    assert answer.json()["metadata"]["ignored"] == []
    assert all({"type": "null"} in field["anyOf"] for field in fields.values())


@pytest.mark.parametrize(
    ("path", "shell"),
    [
        ("/reset", '{"padding": "%s"}'),
        ("/step", '{"action": {"type": "list_tools"}, "request_id": "", "padding": "%s"}'),
        ("/batch/reset", '[{"scenario": "none", "padding": "%s"}]'),
        ("/batch/step", '[{"padding": "%s"}]'),
        ("/mcp", '{"jsonrpc": "2.0", "method": "tools/list", "id": 1, "params": {"padding": "%s"}}'),
    ],
)
async def test_bodies_have_one_limit_at_every_route(http: httpx.AsyncClient, path: str, shell: str) -> None:
    largest = shell % ("x" * (LIMIT - len(shell) + 2))

    taken, refused = await http.post(path, content=largest), await http.post(path, content=largest + " ")

    assert len(largest) == LIMIT
    assert taken.status_code in (200, 422)
    assert (refused.status_code, refused.json()["type"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("path", "shell"),
    [
        ("/ws", '{"type": "reset", "data": {"padding": "%s"}}'),
        ("/mcp", '{"jsonrpc": "2.0", "method": "tools/list", "id": 1, "params": {"padding": "%s"}}'),
    ],
)
async def test_messages_have_the_limit_of_bodies(url: str, path: str, shell: str) -> None:
    largest = shell % ("x" * (LIMIT - len(shell) + 2))
    async with socket_to(url, path) as socket:
        taken, refused = await socket.ask(largest), await socket.ask(largest + " ")

    assert taken.get("type") == "observation" or "result" in taken
    assert "256 KiB" in json.dumps(refused)


async def test_a_second_socket_under_a_name_is_refused_in_openenvs_shape(url: str) -> None:
    named = {"type": "reset", "data": {"episode_id": secrets.token_hex(8)}}
    async with socket_to(url) as first, socket_to(url) as second:
        await first.ask(named)
        refused = await second.ask(named)
        unharmed = await first.ask({"type": "step", "data": LOOK})

    assert (refused["type"], refused["data"]["code"]) == ("error", "EXECUTION_ERROR")
    assert (refused["data"]["type"], refused["data"]["status"]) == ("episode_exists", 409)
    assert unharmed["data"]["observation"]["step"] == 1


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sceanrio", "scenario"),
        ("max-steps", "max_steps"),
    ],
)
async def test_a_misspelt_field_of_a_reset_is_refused_over_every_transport(
    url: str, http: httpx.AsyncClient, name: str, meant: str
) -> None:
    by_http = await http.post("/reset", json={name: 1})
    async with socket_to(url) as socket:
        by_socket = await socket.ask({"type": "reset", "data": {name: 1}})

    assert by_http.status_code == 422
    assert f"did you mean '{meant}'" in by_http.json()["detail"][0]["msg"]
    assert by_http.json()["detail"][0]["loc"] == ["body", name]
    assert (by_socket["data"]["code"], by_socket["data"]["errors"][0]["loc"]) == ("VALIDATION_ERROR", [name])


@pytest.mark.parametrize(
    "path", ["/batch/reset", "/batch/step", "/episodes/any/fork", "/episodes/any/chaos", "/prefetch"]
)
async def test_malformed_json_is_a_problem_document(http: httpx.AsyncClient, path: str) -> None:
    method = "PUT" if path.endswith("chaos") else "POST"

    answer = await http.request(method, path, content=b'{"seed": ')

    assert (answer.status_code, answer.json()["type"]) == (422, "json_invalid")
    assert answer.headers["content-type"] == "application/problem+json"
    assert "JSON decode error" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/reset", "/step", "/companyos/tasks"])
@pytest.mark.parametrize(
    ("body", "kind"),
    [(b'{"seed": ', "json_invalid"), (b"[]", "dict_type"), (b"{}\xff", "json_invalid")],
)
async def test_a_bad_body_has_openenvs_form_at_openenvs_routes(
    http: httpx.AsyncClient, path: str, body: bytes, kind: str
) -> None:
    answer = await http.post(path, content=body)

    (flaw,) = answer.json()["detail"]
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/json")
    assert (flaw["type"], flaw["loc"][0], set(flaw)) == (kind, "body", {"type", "loc", "msg"})


async def test_a_step_that_names_its_own_number_still_repeats_after_a_replacement(
    http: httpx.AsyncClient,
) -> None:
    episode_id = await started(http)
    await stepped(http, episode_id, step=1)
    await started(http, episode_id=episode_id, replace=True)

    assert (await stepped(http, episode_id, step=1)).json()["observation"]["step"] == 1


@pytest.mark.skipif(ELSEWHERE in os.environ, reason="the logs of another deployment are not here")
async def test_a_socket_that_is_cut_in_mid_step_logs_one_line(url: str, home: Home) -> None:
    log = home.log("orchestrator")
    before, episodes = len(log.read_text()), []
    step = {"type": "step", "data": {"tool_name": "wait", "arguments": {"seconds": 604800}}}

    async with asyncio.timeout(PATIENCE_S):
        # Whether a cut meets a step is a matter of luck, so there are as many as it takes.
        while "socket_cut" not in log.read_text()[before:]:
            async with socket_to(url) as socket:
                begun = await socket.ask({"type": "reset", "data": {}})
                episodes.append(begun["data"]["metadata"]["episode_id"])
                for _ in range(4):
                    await socket.say(json.dumps(step))
                await asyncio.sleep(0.01)
                socket.connection.transport.abort()
            await asyncio.sleep(0.2)

    told = log.read_text()[before:].splitlines()
    assert [line for line in told if "Traceback" in line or "rror" in line] == []
    assert max(sum(name in line for line in told) for name in episodes) == 1
