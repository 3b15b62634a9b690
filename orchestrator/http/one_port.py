"""The agent API below `/agent` on the trainer API's listener, for places that publish one port only."""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX: Final = "/agent"
_BELOW: Final = f"{PREFIX}/".encode()


class BesideTrainers:
    """Pass requests below `/agent/` to the agent API, as if they had come to its own listener, and others on.

    It stands before the trainer API's guard, so that the two applications share a socket and nothing else: an agent's
    request meets no route of trainers, and a trainer's none of agents. Paths are taken as they were sent; every other
    spelling of the prefix is the trainer API's, which wants its token.

    Args:
        app: The trainer API with its guard.
        agent_api: The agent API.
    """

    def __init__(self, app: ASGIApp, *, agent_api: ASGIApp) -> None:
        self._app = app
        self._agent_api = agent_api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["raw_path"].startswith(_BELOW):
            await self._agent_api(_within(scope), receive, send)
        else:
            await self._app(scope, receive, send)


def _within(scope: Scope) -> Scope:
    """Return the scope of a request as the agent API's own listener would get it."""
    path, raw_path = scope["path"].removeprefix(PREFIX), scope["raw_path"].removeprefix(PREFIX.encode())
    return {**scope, "path": path, "raw_path": raw_path}
