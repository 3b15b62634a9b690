"""What the access guard lets graders do: read and watch episodes, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from orchestrator.episodes.facade import Episodes
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from tests.live_services import serving

TOKEN = "a-token-for-the-trainer"
GRADER_TOKEN = "a-token-for-graders"


@asynccontextmanager
async def no_episodes() -> AsyncIterator[Episodes]:
    """Yield nothing: what these tests ask, the gate answers."""
    yield cast(Episodes, None)


@pytest.fixture(scope="module")
async def watched() -> AsyncIterator[str]:
    api = trainer_api(
        no_episodes,
        TrainerAccess(published_host="0.0.0.0", token=TOKEN, grader_token=GRADER_TOKEN),
        max_sessions=1,
    )

    # There are no episodes, and so no metrics of them.
    @api.exception_handler(AttributeError)
    async def passed(request: Request, error: Exception) -> Response:
        return Response("passed the guard")

    async with serving(api) as url:
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
