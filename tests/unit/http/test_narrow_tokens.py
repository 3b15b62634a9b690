"""What the access guard lets graders do (read and watch episodes) and rollout workers (play them), and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from orchestrator.http.messages.guard import TrainerAccess

from .guarded_apis import guarded_api

GRADERS, ROLLOUTS = "a-token-for-graders", "a-token-for-rollouts"


@pytest.fixture(scope="module")
async def guarded() -> AsyncIterator[str]:
    access = TrainerAccess(
        published_host="0.0.0.0", token="the-trainers", grader_token=GRADERS, rollout_token=ROLLOUTS
    )
    async with guarded_api(access) as url:
        yield url


def headers_of(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("token", "method", "path", "is_let_in"),
    [
        (GRADERS, "GET", "/episodes", True),
        (GRADERS, "GET", "/episodes/e/1", True),
        (GRADERS, "GET", "/episodes/e%2F1/trace", True),
        (GRADERS, "GET", "/episodes/e/grade", True),
        (GRADERS, "GET", "/state?episode_id=e", True),
        (GRADERS, "GET", "//episodes", False),
        (GRADERS, "GET", "/episodes2", False),
        (GRADERS, "GET", "/state/", False),
        (GRADERS, "GET", "/metrics", False),
        (GRADERS, "GET", "/metadata", False),
        (GRADERS, "GET", "/snapshots/s/export", False),
        (GRADERS, "HEAD", "/episodes", True),
        (GRADERS, "POST", "/state", False),
        (GRADERS, "POST", "/reset", False),
        (GRADERS, "POST", "/step", False),
        (GRADERS, "POST", "/episodes/e/snapshots", False),
        (GRADERS, "PUT", "/episodes/e/chaos", False),
        (GRADERS, "DELETE", "/episodes/e", False),
        (ROLLOUTS, "POST", "/reset", True),
        (ROLLOUTS, "POST", "/step", True),
        (ROLLOUTS, "POST", "/batch/step", True),
        (ROLLOUTS, "POST", "/mcp", True),
        (ROLLOUTS, "GET", "/state?episode_id=e", True),
        (ROLLOUTS, "GET", "/schema", True),
        (ROLLOUTS, "GET", "/cell", True),
        (ROLLOUTS, "DELETE", "/episodes/e", True),
        (ROLLOUTS, "GET", "/episodes", False),
        (ROLLOUTS, "GET", "/episodes/e/trace", False),
        (ROLLOUTS, "GET", "/episodes/e/grade", False),
        (ROLLOUTS, "DELETE", "/episodes", False),
        (ROLLOUTS, "DELETE", "/snapshots/s", False),
        (ROLLOUTS, "POST", "/episodes/e/snapshots", False),
        (ROLLOUTS, "POST", "/episodes/e/fork", False),
        (ROLLOUTS, "POST", "/episodes/e/advice", False),
        (ROLLOUTS, "PUT", "/episodes/e/chaos", False),
        (ROLLOUTS, "PUT", "/cell/drain", False),
        (ROLLOUTS, "POST", "/prefetch", False),
        (ROLLOUTS, "GET", "/scenarios", False),
        (ROLLOUTS, "GET", "/metrics", False),
        (ROLLOUTS, "POST", "//reset", False),
        (ROLLOUTS, "POST", "/reset/", False),
    ],
)
async def test_a_narrow_token_opens_its_routes_and_nothing_else(
    guarded: str, token: str, method: str, path: str, is_let_in: bool
) -> None:
    async with httpx.AsyncClient() as http:
        answer = await http.request(method, f"{guarded}{path}", headers=headers_of(token))

    assert (answer.status_code != 401) == is_let_in


@pytest.mark.parametrize(
    ("token", "path", "is_let_in"),
    [
        (GRADERS, "/observe", True),
        (GRADERS, "/ws", False),
        (GRADERS, "/mcp", False),
        (ROLLOUTS, "/observe", False),
        (ROLLOUTS, "/ws", True),
        (ROLLOUTS, "/mcp", True),
    ],
)
async def test_a_narrow_token_opens_its_sockets_and_no_other(
    guarded: str, token: str, path: str, is_let_in: bool
) -> None:
    try:
        async with connect(f"{guarded.replace('http', 'ws')}{path}", additional_headers=headers_of(token)):
            status = 101
    except InvalidStatus as refusal:
        status = refusal.response.status_code

    assert (status != 401) == is_let_in
