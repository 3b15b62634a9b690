"""Trainer APIs without episodes: whatever passes the guard says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from orchestrator.episodes.facade import Episodes
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from tests.live_services import serving


@asynccontextmanager
async def no_episodes() -> AsyncIterator[Episodes]:
    """Yield nothing but a process that has started: what these tests ask, the gate answers."""
    yield cast(Episodes, SimpleNamespace(has_started=True))


@asynccontextmanager
async def guarded_api(access: TrainerAccess) -> AsyncIterator[str]:
    """Yield the address of an API that answers whatever its guard lets in."""
    api = trainer_api(no_episodes, access, max_sessions=1)

    # There are no episodes, and so nothing to tell of them.
    @api.exception_handler(AttributeError)
    async def passed(request: Request, error: Exception) -> Response:
        return Response("passed the guard")

    async with serving(api) as url:
        yield url
