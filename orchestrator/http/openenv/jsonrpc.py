"""JSON-RPC 2.0 for OpenEnv's MCP clients: list tools, call one, create and close a session.

A call is an ordinary step of the session's episode. This is not a full MCP server: there is no `initialize`.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated, Any, Literal, assert_never

import orjson
import structlog
from fastapi import APIRouter, Request, WebSocket
from pydantic import BeforeValidator, Field, StrictInt, StrictStr, ValidationError
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from ...agent.agent_schemas import SHARED_ARGUMENTS
from ...protocol.numbers import WHOLE
from ...protocol.problems import Refusal, server_stopping
from ..messages.answers import OPENENV, Invalid, Json
from ..messages.jsonrpc_envelope import (
    INITIALIZE_ALONE,
    VERSION_HEADER,
    JsonRpcError,
    JsonRpcErrorCode,
    error_document,
    handshake_version,
    is_unanswered,
    read_message,
    readable_id,
    refuse_batch,
    result_document,
)
from ..messages.models import Strict
from ..messages.openapi import API_VERSION, openenv_failures, takes
from . import requests
from .client_sessions import AtCapacity, Session, Sessions, SessionUnknown

log = structlog.get_logger(__name__)
router = APIRouter(tags=[OPENENV])


PLAYING = (
    "Methods: `tools/list`; `tools/call` with `name`, `arguments` and `session_id`, or `episode_id` of an episode that "
    "`POST /reset` began; `openenv/session/create`; `openenv/session/reset` with `session_id` and what `POST /reset` "
    "takes; `openenv/session/close` with `session_id`. A call is a step; `_meta.done` of its result tells whether the "
    "episode is over."
)


class Method(StrEnum):
    """The supported methods."""

    INITIALIZE = "initialize"
    PING = "ping"
    LIST = "tools/list"
    CALL = "tools/call"
    CREATE = "openenv/session/create"
    RESET = "openenv/session/reset"
    CLOSE = "openenv/session/close"


class JsonRpcRequest(Strict):
    """A JSON-RPC 2.0 request."""

    jsonrpc: Literal["2.0"]
    method: StrictStr
    params: Annotated[dict[str, Any], BeforeValidator(lambda params: {} if params is None else params)] = (
        Field(default_factory=dict)
    )
    id: Annotated[StrictInt | StrictStr | None, WHOLE] = None


@router.post(
    "/mcp",
    summary="Call a tool by JSON-RPC 2.0",
    description=PLAYING,
    openapi_extra=takes(JsonRpcRequest),
    response_model=dict[str, Any],
    responses={202: {"description": "A notification, accepted without effect."}, **openenv_failures()},
)
async def call_by_jsonrpc(request: Request) -> Response:
    revision = request.headers.get(VERSION_HEADER)
    answer = await answer_text(await request.body(), request.app.state.sessions, revision=revision)
    return Response(status_code=202) if answer is None else Json(answer)


@router.websocket("/mcp")
async def jsonrpc_socket(socket: WebSocket) -> None:
    await socket.accept()
    sessions: Sessions = socket.app.state.sessions
    try:
        session = await sessions.create_for_socket(None)
    except AtCapacity as full:
        await socket.send_text(_text(error_document(_at_capacity(full), None)))
        return await socket.close(1000)
    try:
        while (message := await socket.receive())["type"] == "websocket.receive":
            raw = message.get("bytes") or (message.get("text") or "").encode()
            if (answer := await answer_text(raw, sessions, session)) is not None:
                await socket.send_text(_text(answer))
    except WebSocketDisconnect:
        log.info("socket_cut", episode=session.episode_id, why="it was gone before its answer was sent")
    finally:
        await sessions.leave(session, cleanly=True)


async def answer_text(
    raw: bytes, sessions: Sessions, own: Session | None = None, revision: str | None = None
) -> dict[str, Any] | list[dict[str, Any]] | None:
    """Return the response to a request, or to a batch, given as text; None if there are only notifications."""
    try:
        request = read_message(raw)
        if isinstance(request, list):
            refuse_batch(request, revision)
            return await _batch(request, sessions, own)
    except JsonRpcError as error:
        return error_document(error, None)
    return await answer(request, sessions, own)


async def _batch(messages: list[Any], sessions: Sessions, own: Session | None) -> list[dict[str, Any]] | None:
    """Return the responses to the messages of a batch, which are played in order."""
    answers = [await _answer_in_batch(message, sessions, own) for message in messages]
    return [answer for answer in answers if answer is not None] or None


async def _answer_in_batch(message: Any, sessions: Sessions, own: Session | None) -> dict[str, Any] | None:
    if isinstance(message, dict) and message.get("method") == Method.INITIALIZE:
        failure = JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, INITIALIZE_ALONE)
        return error_document(failure, readable_id(message))
    return await answer(message, sessions, own)


async def answer(request: Any, sessions: Sessions, own: Session | None = None) -> dict[str, Any] | None:
    """Return the response to a message, None if it gets none; `own` is the session of the socket that sent it."""
    if is_unanswered(request):
        return None
    try:
        call = JsonRpcRequest.model_validate(request)
    except ValidationError as error:
        return error_document(_malformed_request(error), readable_id(request))
    try:
        return result_document(call.id, await _result(call, sessions, own))
    except JsonRpcError as error:
        return error_document(error, call.id)
    except Refusal as refusal:
        return _refusal_document(call, refusal)
    except asyncio.CancelledError:
        # The server stops. A socket is closed after this answer; a request without one is refused as a whole.
        if own is None:
            raise
        return _refusal_document(call, server_stopping())
    except AtCapacity as full:
        return error_document(_at_capacity(full), call.id)
    except (Invalid, SessionUnknown) as error:
        return error_document(JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, str(error)), call.id)
    except Exception:  # protocol boundary: every failure gets an answer of this shape
        log.exception("json_rpc_failed")
        return error_document(
            JsonRpcError(JsonRpcErrorCode.INTERNAL_ERROR, "The orchestrator failed"), call.id
        )


def _malformed_request(error: ValidationError) -> JsonRpcError:
    """Return the error of a message that is no request, or of a request whose parameters are no object."""
    if all(flaw["loc"][:1] == ("params",) for flaw in error.errors()):
        return JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, f"Invalid params - {Invalid.of(error)}")
    return JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, f"Invalid request: {Invalid.of(error)}")


def _refusal_document(call: JsonRpcRequest, refusal: Refusal) -> dict[str, Any]:
    facts = {"type": refusal.code, "status": refusal.status, "retryable": refusal.retryable}
    return error_document(JsonRpcError(JsonRpcErrorCode.INTERNAL_ERROR, refusal.detail, facts), call.id)


async def _result(call: JsonRpcRequest, sessions: Sessions, own: Session | None) -> dict[str, Any]:
    try:
        method = Method(call.method)
    except ValueError:
        raise JsonRpcError(JsonRpcErrorCode.METHOD_NOT_FOUND, f"Method not found: {call.method}") from None
    match method:
        case Method.INITIALIZE:
            return _handshake(call.params)
        case Method.PING:
            return {}
        case Method.LIST:
            return {"tools": await _tools(call.params, sessions, own)}
        case Method.CALL:
            return await _call_tool(_action(call.params), await _session_of(call.params, sessions, own))
        case Method.CREATE:
            return {"session_id": await (sessions.named(own) if own else _create_session(sessions))}
        case Method.RESET:
            return await _reset(call.params, sessions, own)
        case Method.CLOSE:
            return await _close(call.params, sessions, own)
        case _:
            assert_never(method)


async def _tools(params: dict[str, Any], sessions: Sessions, own: Session | None) -> list[dict[str, Any]]:
    """Return the agent's tools in a session's episode, or all tools without an episode."""
    session = own if params.get("session_id") is None else await _session_of(params, sessions, own)
    if session is None or session.episode_id is None:
        functions = [tool["function"] for tool in sessions.episodes.manifest()["tools"]]
        return [_tool(function, function["parameters"]) for function in functions]
    cards = await sessions.episodes.episode_tools(session.episode_id)
    return [_tool(card, card["input_schema"]) for card in cards]


def _handshake(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": handshake_version(params),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "companyos", "version": API_VERSION},
        "instructions": PLAYING,
    }


def _tool(tool: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """Return a tool as MCP lists it, with the meaning of shared arguments, which agents are told only once."""
    listed = {
        name: {"description": SHARED_ARGUMENTS[name], **schema} if name in SHARED_ARGUMENTS else schema
        for name, schema in parameters.get("properties", {}).items()
    }
    schema = {**parameters, "properties": listed} if listed else parameters
    return {"name": tool["name"], "description": tool["description"], "inputSchema": schema}


def _action(params: dict[str, Any]) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str) or not name:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, "Missing 'name' in params")
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


async def _call_tool(action: dict[str, Any], session: Session) -> dict[str, Any]:
    played = await session.step(action)
    observation = played["observation"]
    error = observation["error"]
    return {
        "content": [{"type": "text", "text": observation["text"]}, *_pictures(observation)],
        "isError": error is not None,
        "data": observation["result"] if error is None else {"error": error},
        "_meta": {"done": played["done"]},
    }


def _pictures(observation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what an observation shows, where it is of pages that a browser plays by pictures."""
    screen = observation.get("screen")
    return [{"type": "image", "data": screen["data"], "mimeType": screen["media_type"]}] if screen else []


async def _reset(params: dict[str, Any], sessions: Sessions, own: Session | None) -> dict[str, Any]:
    if own is None and params.get("session_id") is None:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, "Invalid params - 'session_id' is required")
    session = await _session_of(params, sessions, own)
    return await session.reset({name: value for name, value in params.items() if name != "session_id"})


async def _create_session(sessions: Sessions) -> str:
    return await sessions.named(await sessions.create())


async def _session_of(params: dict[str, Any], sessions: Sessions, own: Session | None) -> Session:
    session_id = params.get("session_id")
    if own is not None and session_id in (None, own.id):
        return own
    if isinstance(session_id, str):
        return await sessions.get(session_id)
    if session_id is not None:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, "Invalid params - 'session_id' is a text")
    episode_id = params.get("episode_id")
    if isinstance(episode_id, str):
        return sessions.passing(episode_id)
    raise requests.no_episode()


async def _close(params: dict[str, Any], sessions: Sessions, own: Session | None) -> dict[str, Any]:
    session_id = params.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, "Invalid params - 'session_id' is required")
    if own is not None and session_id == own.id:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, "Close the socket to close the session it holds")
    if await sessions.close(session_id):
        return {"session_id": session_id, "closed": True}
    return {"session_id": session_id, "closed": False, "closing": True}


def _at_capacity(full: AtCapacity) -> JsonRpcError:
    facts = {"active_sessions": full.active, "max_sessions": full.limit}
    return JsonRpcError(JsonRpcErrorCode.SERVER_ERROR, str(full), facts)


def _text(response: dict[str, Any] | list[dict[str, Any]]) -> str:
    return orjson.dumps(response).decode()
