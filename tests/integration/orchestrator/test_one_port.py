"""Both APIs on one port: agents play below `/agent`, and their token opens nothing else there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI
from pydantic import ValidationError

from orchestrator.episodes.facade import Episodes
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess, TrainerApiUnprotected
from orchestrator.runtime.settings import Settings

from .agent_client import LAMP, agent_of, begun, id_of, rpc, token_of

TOKEN = "the-token-of-the-trainer"
PREFIX = "/agent"
SPELLINGS = (
    "/agent",
    "/Agent/task",
    "//agent/task",
    "/./agent/task",
    "/x/../agent/task",
    "/%61gent/task",
    "/agent%2Ftask",
    "/agent;/task",
    "/agents/task",
    "/task",
    "/mcp",
)


@asynccontextmanager
async def no_episodes() -> AsyncIterator[Episodes]:
    yield cast(Episodes, None)


@pytest.fixture
def both(episodes: Episodes) -> FastAPI:
    """The two APIs on one listener, around the episodes of a stack."""
    api = trainer_api(
        no_episodes, TrainerAccess(published_host="0.0.0.0", token=TOKEN), max_sessions=1, one_port=True
    )
    api.state.episodes = episodes
    return api


def client(api: FastAPI, token: str, base: str = "") -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    transport = httpx.ASGITransport(api)
    return httpx.AsyncClient(transport=transport, base_url=f"http://space.test{base}", headers=headers)


async def sent(api: FastAPI, method: str, target: str, token: str, kind: str = "http") -> list[Any]:
    """Send a request whose path no client library has tidied up, and return what the application sent back."""
    answers: list[Any] = []
    scope = {
        "type": kind,
        "method": method,
        "path": httpx.URL(f"http://x{target}").path if "%" in target else target,
        "raw_path": target.encode(),
        "query_string": b"",
        "headers": [(b"host", b"space.test"), (b"authorization", f"Bearer {token}".encode())],
        "server": ("space.test", 443),
        "scheme": "https",
        "extensions": {},
    }

    async def receive() -> dict[str, Any]:
        connect = {"type": "websocket.connect"}
        return connect if kind == "websocket" else {"type": "http.request", "body": b"{}"}

    async def send(message: Any) -> None:
        answers.append(message)

    await api(scope, receive, send)
    return answers


async def test_an_agent_plays_below_the_prefix(both: FastAPI, episodes: Episodes) -> None:
    reply = await begun(episodes)

    async with client(both, token_of(reply), PREFIX) as agent:
        task = (await agent.get("/task")).json()
        placed = await agent.post("/shop/orders", json=LAMP)
        listed = await rpc(agent, "tools/call", name="shop_list_orders", arguments={})
        ended = await agent.delete("/mcp")

    assert task["text"] == reply.observation["text"]
    assert (placed.status_code, placed.headers["companyos-step"]) == (201, "1")
    assert placed.headers["x-content-type-options"] == "nosniff"
    assert listed["result"]["_meta"]["companyos/standing"]["step"] == 2
    assert ended.status_code == 204


async def test_the_same_calls_leave_the_same_trace_on_both_listeners(
    both: FastAPI, episodes: Episodes
) -> None:
    beside, alone = await begun(episodes, seed=6), await begun(episodes, seed=6)

    async with client(both, token_of(beside), PREFIX) as agent:
        await agent.post("/shop/orders", json=LAMP)
    async with agent_of(episodes, token_of(alone)) as agent:
        await agent.post("/shop/orders", json=LAMP)

    hashes = [[step["hash"] for step in await episodes.trace(id_of(reply))] for reply in (beside, alone)]
    assert hashes[0] == hashes[1]


async def test_an_agents_token_opens_no_route_of_trainers(both: FastAPI, episodes: Episodes) -> None:
    token = token_of(await begun(episodes))
    routes = [(method, path) for path, ways in both.openapi()["paths"].items() for method in ways]
    closed = [(method, path) for method, path in routes if path not in ("/health", "/ready")]

    async with client(both, token) as agent:
        refused = [await agent.request(method, path, json={}) for method, path in closed]
        missing = [await agent.request(method, PREFIX + path, json={}) for method, path in closed]

    assert {answer.json()["type"] for answer in refused} == {"trainer_token_required"}
    # MCP is the one path that both APIs have.
    others = [
        answer for answer, (_, path) in zip(missing, closed, strict=True) if path not in ("/mcp", "/tools")
    ]
    assert {answer.status_code for answer in others} == {404}


@pytest.mark.parametrize("target", SPELLINGS)
async def test_another_spelling_of_the_prefix_is_the_trainer_apis(
    both: FastAPI, episodes: Episodes, target: str
) -> None:
    token = token_of(await begun(episodes))

    start, _ = await sent(both, "GET", target, token)

    assert start["status"] == 401


@pytest.mark.parametrize("target", ["/agent/../schema", "/agent//schema", "/agent/%2e%2e/schema", "/agent/"])
async def test_path_traversal_does_not_escape_the_agent_prefix(
    both: FastAPI, episodes: Episodes, target: str
) -> None:
    token = token_of(await begun(episodes))

    as_agent, as_trainer = [(await sent(both, "GET", target, each))[0]["status"] for each in (token, TOKEN)]

    assert (as_agent, as_trainer) == (404, 401)


async def test_a_trainers_token_is_no_agents(both: FastAPI) -> None:
    async with client(both, TOKEN, PREFIX) as trainer:
        refused = await trainer.get("/task")

    assert (refused.status_code, refused.json()["type"]) == (401, "agent_token_invalid")


async def test_an_agent_opens_no_websocket(both: FastAPI, episodes: Episodes) -> None:
    token = token_of(await begun(episodes))

    for target in ("/ws", "/agent/ws", "/agent/mcp"):
        [closed] = await sent(both, "GET", target, token, "websocket")
        assert closed == {"type": "websocket.close", "code": 1008}


def test_without_a_trainer_token_there_is_no_common_port() -> None:
    with pytest.raises(TrainerApiUnprotected):
        trainer_api(no_episodes, TrainerAccess(published_host="127.0.0.1"), max_sessions=1, one_port=True)


@pytest.mark.parametrize("token", [None, ""])
def test_settings_with_one_port_and_no_token_say_what_to_set(token: str | None) -> None:
    given = {"database_url": "postgresql://", "redis_url": "redis://", "services": {}}
    keys = {"context_key": "-" * 16, "admin_token": "-" * 16}

    with pytest.raises(ValidationError, match="Set COMPANYOS_TRAINER_TOKEN"):
        Settings(**given, **keys, one_port=True, trainer_token=token)


async def test_below_no_prefix_there_is_no_agent_api_unless_asked_for(episodes: Episodes) -> None:
    api = trainer_api(no_episodes, TrainerAccess(published_host="0.0.0.0", token=TOKEN), max_sessions=1)
    api.state.episodes = episodes
    token = token_of(await begun(episodes))

    async with client(api, token) as agent, client(api, TOKEN) as trainer:
        assert (await agent.get("/agent/tools")).status_code == 401
        assert (await trainer.get("/agent/tools")).status_code == 404
