"""The agent API below `/agent` on the trainer API's listener, for platforms that publish only one port."""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX: Final = "/agent"
_BELOW: Final = f"{PREFIX}/".encode()


class BesideTrainers:
    """Passes requests under `/agent/` to the agent API, as if sent to its own listener, and others on.

    It runs before the trainer API's guard, so the two applications share nothing but a socket: an agent's
    request cannot reach a trainer route, nor a trainer's request an agent route. Paths are compared as they
    were sent. The trainer API handles every other spelling of the prefix, and requires its token.

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
