"""A standard MCP server (Streamable HTTP) for one episode: its tools and its task, no sessions, every answer as JSON.

A conversation has no state but its token, so any replica can answer any request. A call is a step of the
episode even if it fails: a model's mistake or a refusal is a result with `isError`, not a protocol error.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from companyos.version import __version__

from ...episodes.agents import Agents
from ...protocol.problems import Refusal
from ..messages.answers import Json
from ..messages.jsonrpc_envelope import (
    INITIALIZE_ALONE,
    VERSION_HEADER,
    JsonRpcError,
    JsonRpcErrorCode,
    error_document,
    handshake_version,
    read_message,
    readable_id,
    refuse_batch,
    result_document,
)
from .answers import AgentResult, neutral, result_of
from .mcp_messages import VERSIONS, McpRequest, error_response, read_request, refuse_contradictions
from .mcp_task import (
    GET_TASK,
    TASK_PROMPT,
    TASK_RESOURCE,
    TASK_TOOL,
    contents,
    messages,
    refuse_other_prompts,
    refuse_other_resources,
    task_result,
)
from .tool_documents import mcp_document

SERVER: Final = {"name": "companyos", "title": "CompanyOS", "version": __version__}
CAPABILITIES: Final = {
    "tools": {"listChanged": False},
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
}
#: The tools of an episode may change with its chaos, so clients must not cache them.
NOT_CACHED: Final = {"ttlMs": 0, "cacheScope": "private"}
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
STANDING_KEY: Final = "companyos/standing"


async def post(request: Request, agents: Agents, token: str) -> Response:
    """Answer one message, or a batch of them."""
    call = message = None
    try:
        message = read_message(await request.body())
        if isinstance(message, list):
            return await _batch(message, request.headers, agents, token)
        call = read_request(message, request.headers)
        if call is not None:
            refuse_contradictions(call, request.headers)
            return await _answer(call, agents, token)
    except JsonRpcError as error:
        await agents.check(token)
        return error_response(error, readable_id(message)) if call is None else call.error(error)
    await agents.check(token)
    return Response(status_code=202)


async def delete(_: Request, agents: Agents, token: str) -> Response:
    """End a conversation, which has no state here; the episode continues."""
    await agents.check(token)
    return Response(status_code=204)


async def _batch(messages: list[Any], headers: Mapping[str, str], agents: Agents, token: str) -> Response:
    """Answer the messages in order; each failing one gets its own error, because those before it were played."""
    refuse_batch(messages, headers.get(VERSION_HEADER))
    await agents.check(token)
    answers = [await _answer_in_batch(message, headers, agents, token) for message in messages]
    found = [answer for answer in answers if answer is not None]
    return Json(found) if found else Response(status_code=202)


async def _answer_in_batch(
    message: Any, headers: Mapping[str, str], agents: Agents, token: str
) -> dict[str, Any] | None:
    try:
        call = read_request(message, headers)
        if call is None:
            return None
        if call.is_modern or call.method == "initialize":
            raise JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, INITIALIZE_ALONE)
        return result_document(call.id, await _result(call, agents, token))
    except JsonRpcError as error:
        return error_document(error, readable_id(message))
    except Refusal as refusal:
        failure = JsonRpcError(JsonRpcErrorCode.INTERNAL_ERROR, neutral(refusal).detail)
        return error_document(failure, readable_id(message))


async def _answer(call: McpRequest, agents: Agents, token: str) -> Response:
    return call.result(await _result(call, agents, token))


async def _result(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    method = _METHODS.get(call.method)
    if method is None:
        raise JsonRpcError(JsonRpcErrorCode.METHOD_NOT_FOUND, f"There is no method {call.method!r}.")
    return await method(call, agents, token)


async def _initialize(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    return {
        "protocolVersion": handshake_version(call.params),
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": await _instructions(agents, token),
    }


async def _discover(_: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": CAPABILITIES,
        "instructions": await _instructions(agents, token),
        **NOT_CACHED,
        "_meta": {SERVER_KEY: SERVER},
    }


async def _ping(_: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    await agents.check(token)
    return {}


async def _list(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    view = await agents.view(token)
    return _one_page(call, tools=[TASK_TOOL, *(mcp_document(tool) for tool in view.tools.offered.values())])


async def _prompts(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    await agents.check(token)
    return _one_page(call, prompts=[TASK_PROMPT])


async def _prompt(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    refuse_other_prompts(call.params)
    return messages(await _instructions(agents, token))


async def _resources(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    await agents.check(token)
    return _one_page(call, resources=[TASK_RESOURCE])


async def _templates(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    await agents.check(token)
    return _one_page(call, resourceTemplates=[])


async def _resource(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    refuse_other_resources(call.params)
    return _fresh(call, contents(await _instructions(agents, token)))


def _one_page(call: McpRequest, **items: Any) -> Mapping[str, Any]:
    if call.params.get("cursor") is not None:
        raise JsonRpcError(
            JsonRpcErrorCode.INVALID_PARAMS, f"There is one page of {min(items)}; leave the cursor out."
        )
    return _fresh(call, items)


def _fresh(call: McpRequest, result: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**result, **(NOT_CACHED if call.is_modern else {})}


async def _call(call: McpRequest, agents: Agents, token: str) -> Mapping[str, Any]:
    name, arguments = call.params.get("name"), call.params.get("arguments")
    if not isinstance(name, str) or not name:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, "params.name must be the name of a tool.")
    try:
        if name == GET_TASK:
            return task_result(await _instructions(agents, token))
        action = {"type": "call_tool", "tool_name": name, "arguments": arguments}
        return _tool_result(result_of(await agents.step(token, action)))
    except Refusal as refusal:
        if refusal.code == "agent_token_invalid":
            raise
        # A call after the end or during an outage must not look like a transport failure to the client.
        return _refusal_result(neutral(refusal))


async def _instructions(agents: Agents, token: str) -> str:
    text: str = (await agents.task(token))["text"]
    return text


def _tool_result(result: AgentResult) -> Mapping[str, Any]:
    seen = result.observation
    error, found = seen["error"], seen["result"]
    structured = (
        {"error": error} if error is not None else found if isinstance(found, dict) else {"result": found}
    )
    return {
        "content": [{"type": "text", "text": seen["text"]}],
        "structuredContent": structured,
        "isError": error is not None,
        "_meta": {STANDING_KEY: result.standing},
    }


def _refusal_result(refusal: Refusal) -> Mapping[str, Any]:
    error = {"code": refusal.code, "message": refusal.detail, "retryable": refusal.retryable}
    return {
        "content": [{"type": "text", "text": refusal.detail}],
        "structuredContent": {"error": error},
        "isError": True,
    }


_METHODS: Final[Mapping[str, Callable[[McpRequest, Agents, str], Awaitable[Mapping[str, Any]]]]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list,
    "tools/call": _call,
    "prompts/list": _prompts,
    "prompts/get": _prompt,
    "resources/list": _resources,
    "resources/templates/list": _templates,
    "resources/read": _resource,
}
