"""What the access guard lets rollout workers do: play episodes, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from orchestrator.http.messages.guard import TrainerAccess

from .guarded_apis import guarded_api

HEADERS = {"authorization": "Bearer a-token-for-rollouts"}


@pytest.fixture(scope="module")
async def playable() -> AsyncIterator[str]:
    access = TrainerAccess(
        published_host="0.0.0.0", token="the-trainers", rollout_token="a-token-for-rollouts"
    )
    async with guarded_api(access) as url:
        yield url


@pytest.mark.parametrize(
    ("method", "path", "is_let_in"),
    [
        ("POST", "/reset", True),
        ("POST", "/step", True),
        ("POST", "/batch/step", True),
        ("POST", "/mcp", True),
        ("GET", "/state?episode_id=e", True),
        ("GET", "/schema", True),
        ("GET", "/cell", True),
        ("DELETE", "/episodes/e", True),
        ("GET", "/episodes", False),
        ("GET", "/episodes/e/trace", False),
        ("GET", "/episodes/e/grade", False),
        ("DELETE", "/episodes", False),
        ("DELETE", "/snapshots/s", False),
        ("POST", "/episodes/e/snapshots", False),
        ("POST", "/episodes/e/fork", False),
        ("POST", "/episodes/e/advice", False),
        ("PUT", "/episodes/e/chaos", False),
        ("PUT", "/cell/drain", False),
        ("POST", "/prefetch", False),
        ("GET", "/scenarios", False),
        ("GET", "/metrics", False),
        ("POST", "//reset", False),
        ("POST", "/reset/", False),
    ],
)
async def test_rollout_workers_may_play_and_nothing_else(
    playable: str, method: str, path: str, is_let_in: bool
) -> None:
    async with httpx.AsyncClient() as http:
        answer = await http.request(method, f"{playable}{path}", headers=HEADERS)

    assert (answer.status_code != 401) == is_let_in


@pytest.mark.parametrize(("path", "is_let_in"), [("/ws", True), ("/mcp", True), ("/observe", False)])
async def test_rollout_workers_open_the_sockets_on_which_one_plays(
    playable: str, path: str, is_let_in: bool
) -> None:
    url = f"{playable.replace('http', 'ws')}{path}"
    try:
        async with connect(url, additional_headers=HEADERS):
            status = 101
    except InvalidStatus as refusal:
        status = refusal.response.status_code

    assert (status != 401) == is_let_in
