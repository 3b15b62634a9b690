"""An agent of the toy stack: its episode, and calls to the APIs of an orchestrator in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from orchestrator.episodes.facade import Episodes, Reply, ResetOptions
from orchestrator.http.agent_api.app import AgentApi
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess

LAMP = {"item": "lamp"}


async def begun(episodes: Episodes, **options: Any) -> Reply:
    """Begin an errand, fault-free unless asked otherwise."""
    wanted = {"scenario": "errand", "chaos": 0, **options}
    return await episodes.reset(ResetOptions.model_validate(wanted))


def id_of(reply: Reply) -> str:
    """Return the id of the episode that a reset began."""
    return str(reply.metadata["episode_id"])


def token_of(reply: Reply) -> str:
    """Return the agent's token, as a reset tells it."""
    return str(reply.metadata["agent_token"])


def agent_of(episodes: Episodes, token: str | None) -> httpx.AsyncClient:
    """Return a client of an orchestrator's agent API with a token."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    transport = httpx.ASGITransport(AgentApi(lambda: episodes.agents))
    return httpx.AsyncClient(transport=transport, base_url="http://agents.test", headers=headers)


def trainer_of(episodes: Episodes) -> httpx.AsyncClient:
    """Return a client of an orchestrator's trainer API."""

    @asynccontextmanager
    async def unused() -> AsyncIterator[Episodes]:
        yield episodes

    api = trainer_api(unused, TrainerAccess(published_host="127.0.0.1", token=None), max_sessions=1)
    api.state.episodes = episodes
    return httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://127.0.0.1")


async def rpc(agent: httpx.AsyncClient, method: str, **params: Any) -> Any:
    """Send a JSON-RPC request and return its response."""
    answer = await agent.post("/mcp", json={"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    return answer.json()


async def code_of(agent: httpx.AsyncClient, method: str = "GET", path: str = "/task") -> tuple[int, str]:
    """Return the status of a refused request, and its stable code."""
    answer = await agent.request(method, path)
    return answer.status_code, answer.json()["type"]
