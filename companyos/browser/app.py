"""The application of `companyos browser`: OpenEnv's routes as the trainer API has them, played by pictures."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import cast

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from companyos.client.pages.chromium import shared_chromium
from orchestrator.episodes.facade import Episodes
from orchestrator.http.messages.answers import OPENENV, Json, answer_failures
from orchestrator.http.messages.guard import AccessGuard, TrainerAccess
from orchestrator.http.messages.models import EpisodeState, Schemas
from orchestrator.http.messages.openapi import API_VERSION
from orchestrator.http.openenv import batches, openenv_routes, websocket
from orchestrator.http.openenv.client_sessions import Sessions

from .episodes import BrowserEpisodes
from .schemas import BrowserCall, PageObservation

router = APIRouter(tags=[OPENENV])


@router.get("/schema", summary="Get the schemas of actions, observations and state", response_model=Schemas)
async def schema() -> Response:
    observation = PageObservation.model_json_schema()
    return Json(
        {
            "action": BrowserCall.model_json_schema(),
            "observation": observation,
            "reset_observation": observation,
            "state": EpisodeState.model_json_schema(),
        }
    )


def browser_api(episodes: Callable[[], BrowserEpisodes], access: TrainerAccess, *, limit: int) -> FastAPI:
    """Return the application that plays episodes by pictures, from its startup to its shutdown.

    Args:
        episodes: Returns the episodes, at startup.
        access: Who may call it.
        limit: The most WebSockets at once.
    """
    # A line for every request to the stack would hide the others.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    app = FastAPI(
        title="CompanyOS browser",
        version=API_VERSION,
        lifespan=_lifespan(episodes, limit),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    answer_failures(app)
    app.add_middleware(partial(AccessGuard, access=access))
    app.state.validation_token = None
    # The first route of a path counts, so that the schemas are those of a browser.
    for routes in (router, openenv_routes.router, websocket.router, batches.router):
        app.include_router(routes)
    return app


def _lifespan(
    episodes: Callable[[], BrowserEpisodes], limit: int
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened = episodes()
        # The routes ask nothing of the facade that is not here.
        sessions = Sessions(cast(Episodes, opened), limit=limit)
        app.state.episodes, app.state.sessions = opened, sessions
        try:
            async with opened.sweeping_windows(), sessions.kept():
                yield
        finally:
            shared_chromium().stop()

    return lifespan
