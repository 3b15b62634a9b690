"""Requests that mean another one: `HEAD` is `GET` without the body, and `/mcp/` is `/mcp`."""

from __future__ import annotations

from starlette.types import Message, Scope, Send

#: Clients add the slash to the address of an MCP server.
MCP, MCP_WITH_SLASH = "/mcp", "/mcp/"


def plain_request(scope: Scope, send: Send) -> tuple[Scope, Send]:
    """Return a request as the one that it means, and how to send the answer."""
    if scope["path"] == MCP_WITH_SLASH:
        scope = {**scope, "path": MCP, "raw_path": MCP.encode()}
    if scope["type"] == "http" and scope["method"] == "HEAD":
        return {**scope, "method": "GET"}, _without_body(send)
    return scope, send


def _without_body(send: Send) -> Send:
    async def sending(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return sending
