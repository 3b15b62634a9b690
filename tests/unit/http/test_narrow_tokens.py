"""Which sockets the access guard opens to graders, who watch episodes, and to rollout workers, who play them."""

from __future__ import annotations

from collections.abc import AsyncIterator

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
