"""What the access guard lets graders do: read and watch episodes, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from orchestrator.http.messages.guard import TrainerAccess

from .guarded_apis import guarded_api

TOKEN = "a-token-for-the-trainer"
GRADER_TOKEN = "a-token-for-graders"


@pytest.fixture(scope="module")
async def watched() -> AsyncIterator[str]:
    access = TrainerAccess(published_host="0.0.0.0", token=TOKEN, grader_token=GRADER_TOKEN)
    async with guarded_api(access) as url:
        yield url


@pytest.mark.parametrize(
    ("method", "path", "is_let_in"),
    [
        ("GET", "/episodes", True),
        ("GET", "/episodes/e/1", True),
        ("GET", "/episodes/e%2F1/trace", True),
        ("GET", "/episodes/e/grade", True),
        ("GET", "/state?episode_id=e", True),
        ("GET", "//episodes", False),
        ("GET", "/episodes2", False),
        ("GET", "/state/", False),
        ("GET", "/metrics", False),
        ("GET", "/metadata", False),
        ("GET", "/snapshots/s/export", False),
        ("HEAD", "/episodes", True),
        ("POST", "/state", False),
        ("POST", "/reset", False),
        ("POST", "/step", False),
        ("POST", "/episodes/e/snapshots", False),
        ("PUT", "/episodes/e/chaos", False),
        ("DELETE", "/episodes/e", False),
    ],
)
async def test_graders_may_read_episodes_and_change_nothing(
    watched: str, method: str, path: str, is_let_in: bool
) -> None:
    async with httpx.AsyncClient() as http:
        answer = await http.request(
            method, f"{watched}{path}", headers={"authorization": f"Bearer {GRADER_TOKEN}"}
        )

    assert (answer.status_code != 401) == is_let_in


async def test_graders_may_watch(watched: str) -> None:
    headers = {"authorization": f"Bearer {GRADER_TOKEN}"}

    with pytest.raises(InvalidStatus) as refusal:
        await connect(f"{watched.replace('http', 'ws')}/observe", additional_headers=headers)

    assert refusal.value.response.status_code != 401


@pytest.mark.parametrize("path", ["/ws", "/mcp"])
async def test_graders_open_no_socket_on_which_one_plays(watched: str, path: str) -> None:
    headers = {"authorization": f"Bearer {GRADER_TOKEN}"}

    with pytest.raises(InvalidStatus) as refusal:
        await connect(f"{watched.replace('http', 'ws')}{path}", additional_headers=headers)

    assert refusal.value.response.status_code == 401
