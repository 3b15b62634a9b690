"""The trainer API: one FastAPI application around the episodes of one orchestrator process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from companyos.chassis.web.fast_path import FastPathApp, Finder, answering, first_of

from ..episodes.facade import Episodes
from .agent_api.app import AgentApi
from .messages import openapi
from .messages.answers import HTTP_DETAILS, answer_failures, problem
from .messages.guard import AccessGuard, TrainerAccess, TrainerApiUnprotected, refuse, require_token
from .one_port import PREFIX, BesideTrainers
from .openenv import batches, jsonrpc, observe, openenv_routes, prefetch, task_api, websocket
from .openenv.client_sessions import Sessions
from .trainer import (
    cell_routes,
    company_page,
    docs_page,
    episode_routes,
    landing,
    scenario_routes,
    snapshot_routes,
    watch_page,
)

#: The paths that speak no HTTP.
SOCKETS = ("/ws", "/observe")
DESCRIPTION = (
    "OpenEnv's protocol, and what goes beyond it: lasting episodes, snapshots, forks, batches, traces, grade cards, "
    "render."
)

#: The modules with the API's routes, in the order of its OpenAPI document.
ROUTES = (
    openenv_routes,
    websocket,
    observe,
    jsonrpc,
    scenario_routes,
    snapshot_routes,
    batches,
    prefetch,
    episode_routes,
    cell_routes,
    company_page,
    landing,
    watch_page,
    docs_page,
    task_api,
)


def trainer_api(
    opened: Callable[[], AbstractAsyncContextManager[Episodes]],
    access: TrainerAccess,
    *,
    max_sessions: int,
    one_port: bool = False,
) -> FastPathApp:
    """Return the application that serves the episodes yielded by `opened`, from startup to shutdown.

    Its `state.agent_api` is the agent API to the same episodes, an application for a listener of its own.

    Args:
        opened: Connects to the episodes' dependencies; entered at startup.
        access: Who may call the API.
        max_sessions: The most concurrent WebSockets of this process, and the most sessions with an id on all
            replicas.
        one_port: Whether this API's listener also serves the agent API, under `/agent`.

    Raises:
        TrainerApiUnprotected: The API would be published beyond this machine, or to agents, without a token.
    """
    _refuse_unprotected(access, one_port=one_port)
    app = _application(_lifespan(opened, max_sessions))
    guarded = partial(AccessGuard, access=access)
    app.add_middleware(guarded)
    app.fast_path = _fast_path(app, guarded)
    app.state.validation_token = access.validation_token
    app.state.agent_api = AgentApi(lambda: app.state.episodes.agents, access.agent_hosts)
    if one_port:
        app.add_middleware(BesideTrainers, agent_api=app.state.agent_api)
    return app


def _application(lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]]) -> FastPathApp:
    """Return the routes and their failures as an application that anyone may call."""
    # FastAPI's own pages load their scripts from another host.
    app = FastPathApp(
        title="CompanyOS",
        version=openapi.API_VERSION,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        # Behind TLS a redirect would lead to http://, and without a token it would tell which paths exist.
        redirect_slashes=False,
    )
    app.router.default = _no_route
    answer_failures(app)
    for routes in ROUTES:
        app.include_router(routes.router)
    app.openapi = lambda: openapi.document(app)  # type: ignore[method-assign]
    return app


async def _no_route(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a path without a route, for this protocol; a WebSocket there would be closed without a word."""
    if scope["type"] != "websocket":
        raise (
            HTTPException(426, headers={"Upgrade": "websocket"})
            if scope["path"] in SOCKETS
            else HTTPException(404)
        )
    await refuse(scope, receive, send, problem(404, "not_found", HTTP_DETAILS[404]))


def _refuse_unprotected(access: TrainerAccess, *, one_port: bool) -> None:
    if one_port and not access.token:
        raise TrainerApiUnprotected(PREFIX)
    if not access.open_to_browsers:
        require_token(access.published_host, access.token)


def _lifespan(
    opened: Callable[[], AbstractAsyncContextManager[Episodes]], max_sessions: int
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened() as facade:
            app.state.episodes = facade
            app.state.sessions = Sessions(facade, limit=max_sessions)
            async with app.state.sessions.kept():
                yield

    return lifespan


def _fast_path(app: FastAPI, guarded: Callable[[ASGIApp], ASGIApp]) -> Finder:
    """Return the finder of the fast path for steps and resets, which make up most requests."""
    busiest = (openenv_routes.step, openenv_routes.reset)
    routes = [route for route in openenv_routes.router.routes if isinstance(route, APIRoute)]
    return first_of(
        (route, guarded(answering(app, route.endpoint))) for route in routes if route.endpoint in busiest
    )
