"""The trainer door put together: one FastAPI application around the episodes of one orchestrator process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.types import ASGIApp

from companyos.chassis.direct import Direct, Finder, answering, first_of

from ..episodes import Episodes
from . import batches, branches, documents, episodes, openenv, render, rpc, scenarios, tasks, ws
from .answers import answer_failures
from .guard import Guard, refuse_open_door
from .sessions import Sessions

DESCRIPTION = (
    "OpenEnv's protocol, and what goes beyond it: lasting episodes, snapshots, forks, batches, traces, grade cards, "
    "render."
)


def trainer_door(
    opened: Callable[[], AbstractAsyncContextManager[Episodes]],
    *,
    token: str | None,
    published_host: str,
    max_sessions: int,
    open_to_browsers: bool = False,
) -> FastAPI:
    """Return the application that serves the episodes `opened` yields, from its start until it stops.

    Args:
        opened: Connects to what the episodes need; entered when the application starts.
        token: The trainer's bearer token; None leaves the door open to this machine.
        published_host: The address under which the door can be reached.
        max_sessions: How many WebSockets this process serves at once, and how many sessions with an id all replicas
            may have.
        open_to_browsers: Let web pages of other machines call a door without a token, as a public demo wants.

    Raises:
        DoorStandsOpen: The door would be published beyond this machine without a token.
    """
    if not open_to_browsers:
        refuse_open_door(published_host, token)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened() as facade:
            app.state.episodes = facade
            app.state.sessions = Sessions(facade, limit=max_sessions)
            async with app.state.sessions.kept():
                yield

    app = Direct(title="CompanyOS", version=documents.API_VERSION, description=DESCRIPTION, lifespan=lifespan)
    guarded = partial(Guard, token=token, open_to_browsers=open_to_browsers)
    app.add_middleware(guarded)
    answer_failures(app)
    for part in (openenv, ws, rpc, scenarios, branches, batches, episodes, render, tasks):
        app.include_router(part.router)
    app.openapi = lambda: documents.document(app)  # type: ignore[method-assign]
    app.shortcut = _shortcut(app, guarded)
    return app


def _shortcut(app: FastAPI, guarded: Callable[[ASGIApp], ASGIApp]) -> Finder:
    """Return the finder of the short ways to steps and resets, which are nearly all there is to do."""
    busiest = (openenv.step, openenv.reset)
    routes = [route for route in openenv.router.routes if isinstance(route, APIRoute)]
    return first_of(
        (route, guarded(answering(app, route.endpoint))) for route in routes if route.endpoint in busiest
    )
