"""What clients send beside the documented requests: HEAD, OPTIONS, and paths with a slash at their end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from orchestrator.episodes.facade import Episodes
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from tests.patience import PATIENCE_S

from .trainer_calls import socket_to, started

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
async def agent(http: httpx.AsyncClient) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the agent API without a token."""
    urls = (await http.post("/reset", json={})).json()["metadata"]["agent_urls"]
    async with httpx.AsyncClient(base_url=urls["rest"], timeout=PATIENCE_S) as client:
        yield client


@pytest.fixture
async def locked() -> AsyncIterator[httpx.AsyncClient]:
    """A trainer API that has a token, called without it."""

    @asynccontextmanager
    async def no_episodes() -> AsyncIterator[Episodes]:
        yield cast(Episodes, None)

    api = trainer_api(no_episodes, TrainerAccess(published_host="0.0.0.0", token="-" * 16), max_sessions=1)
    api.state.episodes = SimpleNamespace(has_started=True)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize("path", ["/health", "/", "/ready", "/docs", "/schema", "/episodes", "/openapi.json"])
async def test_head_is_answered_like_get_without_a_body(http: httpx.AsyncClient, path: str) -> None:
    read, probed = await http.get(path), await http.head(path)

    assert (probed.status_code, probed.content) == (200, b"")
    assert probed.headers["content-type"] == read.headers["content-type"]


async def test_head_needs_the_token_where_get_needs_it(locked: httpx.AsyncClient) -> None:
    statuses = {path: (await locked.head(path)).status_code for path in ("/health", "/schema", "/")}

    assert statuses == {"/health": 200, "/schema": 401, "/": 401}


async def test_head_of_what_is_only_posted_is_refused(http: httpx.AsyncClient) -> None:
    assert (await http.head("/step")).status_code == 405


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/step", "POST"),
        ("/schema", "GET, HEAD"),
        ("/episodes/x", "DELETE, GET, HEAD"),
        ("/mcp", "POST"),
        ("/mcp/", "POST"),
    ],
)
async def test_a_preflight_is_told_the_methods_with_and_without_a_token(
    http: httpx.AsyncClient, locked: httpx.AsyncClient, path: str, allowed: str
) -> None:
    answers = [await client.options(path) for client in (http, locked)]

    for answer in answers:
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
        assert (answer.json()["type"], "access-control-allow-origin" in answer.headers) == (
            "method_not_allowed",
            False,
        )


@pytest.mark.parametrize(
    ("path", "allowed"), [("/task", "GET"), ("/mcp/", "DELETE, POST"), ("/ticketdesk/tickets", "GET, POST")]
)
async def test_the_agent_api_tells_a_preflight_the_same(
    agent: httpx.AsyncClient, path: str, allowed: str
) -> None:
    answer, read = await agent.options(path), await agent.put(path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["type"] == "method_not_allowed"
    assert read.status_code == 401


@pytest.mark.parametrize("path", ["/health/", "/reset/", "/schema/", "/docs/", "/nowhere/"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_answers_never_lead_elsewhere(http: httpx.AsyncClient, path: str, scheme: str) -> None:
    headers = {"x-forwarded-proto": scheme, "host": "localhost"}

    answer = await http.get(path, headers=headers)

    assert (answer.status_code, answer.json()["type"]) == (404, "not_found")
    assert "location" not in answer.headers


async def test_an_mcp_address_may_end_with_a_slash(http: httpx.AsyncClient, url: str) -> None:
    answer = await http.post("/mcp/", json=PING)
    async with socket_to(url, "/mcp/") as socket:
        over_socket = await socket.ask(PING)

    assert answer.json() == over_socket == {"jsonrpc": "2.0", "id": 1, "result": {}}


async def test_an_episode_whose_id_ends_with_a_slash_is_still_that_episode(http: httpx.AsyncClient) -> None:
    await started(http, episode_id="probed/")

    found = await http.get("/episodes/probed/")

    assert found.json()["episode_id"] == "probed/"


@pytest.mark.parametrize("path", ["/nowhere", "/health", "/step", "/episodes/x"])
async def test_a_socket_where_there_is_none_is_told_so(url: str, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with socket_to(url, path):
            pass

    assert refused.value.response.status_code == 404
    assert b'"not_found"' in refused.value.response.body
