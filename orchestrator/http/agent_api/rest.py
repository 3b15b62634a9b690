"""REST for agents: the task, the tools, the services' operations, and the orchestrator's own tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from ...agent.actions import NOT_TEXT
from ...agent.tools import Tool
from ...episodes.agents import Agents
from ...protocol.agent_tokens import agent_token_expired
from ..messages.answers import Json, NotJson
from ..messages.body import parse
from .answers import result_of, tool_response
from .operations import Operation, arguments_of
from .tool_documents import rest_document


async def task(_: Request, agents: Agents, token: str) -> Response:
    """Return the first observation's text, and where the episode stands."""
    return Json(await agents.task(token))


async def tools(_: Request, agents: Agents, token: str) -> Response:
    """Return the agent's tools: how to call each, and with what."""
    view = await agents.view(token)
    if view.is_over:
        raise agent_token_expired()
    return Json({"tools": [rest_document(tool) for tool in view.tools.offered.values()]})


def own(tool: Tool) -> Callable[[Request, Agents, str], Awaitable[Response]]:
    """Return the handler of one of the orchestrator's own tools; the body holds its arguments."""

    async def handler(request: Request, agents: Agents, token: str) -> Response:
        body = await _body(request)
        if isinstance(body, dict):
            # Their arguments are in the body, so one in the query gets a name that no tool knows.
            pairs = parse_qsl(_query_of(request), keep_blank_values=True)
            body |= {f"query.{name}": value for name, value in pairs}
        return await _call_tool(agents, token, tool, body)

    return handler


async def operation(request: Request, agents: Agents, token: str, called: Operation) -> Response:
    """Carry out an operation of a service as the call of its tool."""
    body = await _body(request)
    if isinstance(body, str):
        return await _call_tool(agents, token, called.tool, body)
    arguments = arguments_of(called, _query_of(request), body, request.headers.get("idempotency-key"))
    return await _call_tool(agents, token, called.tool, arguments)


async def _call_tool(agents: Agents, token: str, tool: Tool, arguments: Mapping[str, Any] | str) -> Response:
    action = {"type": "call_tool", "tool_name": tool.name, "arguments": arguments}
    result = result_of(await agents.step(token, action))
    return tool_response(result, tool, (await agents.catalog()).refusal_statuses)


def _query_of(request: Request) -> str:
    return str(request.scope["query_string"], "latin-1")


async def _body(request: Request) -> dict[str, Any] | str:
    """Return the object in the body, or the text of any other body, with which the call is then refused.

    Raises:
        Invalid: The body is JSON that cannot be stored; the call does not count as a step.
    """
    raw = await request.body()
    if not raw:
        return {}
    try:
        value = parse(raw)
        if isinstance(value, str):  # some models send the text of a JSON text
            value = parse(value.encode())
    except NotJson:
        return _unreadable(raw)
    if value is None:
        return {}
    return value if isinstance(value, dict) else raw.decode()


def _unreadable(raw: bytes) -> str:
    """Return bytes that are no JSON as text; with a mark in front if some of them are no text either.

    Without it the text may be JSON, with other letters than were sent.
    """
    text = raw.decode("utf-8", "replace").replace("\0", NOT_TEXT)
    return text if text.encode() == raw else NOT_TEXT + text
