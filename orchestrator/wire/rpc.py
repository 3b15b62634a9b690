"""JSON-RPC 2.0 as OpenEnv's MCP clients speak it: list tools, call one, create and close a session.

A call is a step of the session's episode like any other. It is no full MCP server: there is no `initialize`.
"""

from __future__ import annotations

import logging
from enum import IntEnum, StrEnum
from typing import Any, Literal, assert_never

import orjson
from fastapi import APIRouter, Request, WebSocket
from pydantic import Field, StrictInt, StrictStr, ValidationError
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from ..problems import Refusal
from . import calls
from .answers import OPENENV, Invalid, Json
from .body import NotJson, parse
from .documents import openenv_failures, takes
from .models import Strict
from .sessions import AtCapacity, Session, Sessions, SessionUnknown

log = logging.getLogger(__name__)
router = APIRouter(tags=[OPENENV])


class Method(StrEnum):
    """What may be asked."""

    LIST = "tools/list"
    CALL = "tools/call"
    CREATE = "openenv/session/create"
    CLOSE = "openenv/session/close"


class Code(IntEnum):
    """JSON-RPC's error codes."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_ERROR = -32000


class RpcRequest(Strict):
    """A JSON-RPC 2.0 request."""

    jsonrpc: Literal["2.0"]
    method: StrictStr
    params: dict[str, Any] = Field(default_factory=dict)
    id: StrictInt | StrictStr | None = None


class RpcError(Exception):
    """What a request came to instead of a result."""

    def __init__(self, code: Code, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@router.post(
    "/mcp",
    summary="Call a tool by JSON-RPC 2.0",
    openapi_extra=takes(RpcRequest),
    response_model=dict[str, Any],
    responses=openenv_failures(),
)
async def call_by_rpc(request: Request) -> Response:
    return Json(await answer_text(await request.body(), request.app.state.sessions))


@router.websocket("/mcp")
async def rpc_socket(socket: WebSocket) -> None:
    await socket.accept()
    sessions: Sessions = socket.app.state.sessions
    try:
        session = await sessions.create_for_socket(None)
    except AtCapacity as full:
        await socket.send_text(_text(_failure(None, _at_capacity(full))))
        return await socket.close(1000)
    try:
        while (message := await socket.receive())["type"] == "websocket.receive":
            raw = message.get("bytes") or (message.get("text") or "").encode()
            await socket.send_text(_text(await answer_text(raw, sessions, session)))
    except WebSocketDisconnect:
        pass
    finally:
        await sessions.leave(session, cleanly=True)


async def answer_text(raw: bytes, sessions: Sessions, own: Session | None = None) -> dict[str, Any]:
    """Return the response to a request that is still text."""
    try:
        request = parse(raw)
    except NotJson as error:
        return _failure(None, RpcError(Code.PARSE_ERROR, f"Parse error: {error}"))
    except Invalid as error:
        return _failure(None, RpcError(Code.INVALID_REQUEST, f"Invalid request: {error}"))
    return await answer(request, sessions, own)


async def answer(request: Any, sessions: Sessions, own: Session | None = None) -> dict[str, Any]:
    """Return the response to `request`; `own` is the session of the socket it came by."""
    try:
        call = RpcRequest.model_validate(request)
    except ValidationError as error:
        return _failure(None, RpcError(Code.INVALID_REQUEST, f"Invalid request: {Invalid.of(error)}"))
    try:
        return {"jsonrpc": "2.0", "id": call.id, "result": await _result(call, sessions, own)}
    except RpcError as error:
        return _failure(call.id, error)
    except Refusal as refusal:
        facts = {"type": refusal.code, "status": refusal.status, "retryable": refusal.retryable}
        return _failure(call.id, RpcError(Code.INTERNAL_ERROR, refusal.detail, facts))
    except AtCapacity as full:
        return _failure(call.id, _at_capacity(full))
    except (Invalid, SessionUnknown) as error:
        return _failure(call.id, RpcError(Code.INVALID_PARAMS, str(error)))
    except Exception:  # the boundary of the protocol: whatever went wrong, its answer has this shape
        log.exception("A JSON-RPC call failed")
        return _failure(call.id, RpcError(Code.INTERNAL_ERROR, "The orchestrator failed"))


async def _result(call: RpcRequest, sessions: Sessions, own: Session | None) -> dict[str, Any]:
    try:
        method = Method(call.method)
    except ValueError:
        raise RpcError(Code.METHOD_NOT_FOUND, f"Method not found: {call.method}") from None
    match method:
        case Method.LIST:
            return {"tools": [_tool(tool["function"]) for tool in sessions.episodes.manifest()["tools"]]}
        case Method.CALL:
            return await _call_tool(call.params, await _session_of(call.params, sessions, own))
        case Method.CREATE:
            return {"session_id": await (sessions.named(own) if own else _created(sessions))}
        case Method.CLOSE:
            return await _close(call.params, sessions, own)
        case _:
            assert_never(method)


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": function["name"],
        "description": function["description"],
        "inputSchema": function["parameters"],
    }


async def _call_tool(params: dict[str, Any], session: Session) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not name:
        raise RpcError(Code.INVALID_PARAMS, "Missing 'name' in params")
    action = {"type": "call_tool", "tool_name": name, "arguments": arguments}
    observation = (await session.step(action))["observation"]
    error = observation["error"]
    return {
        "content": [{"type": "text", "text": observation["text"]}],
        "isError": error is not None,
        "data": observation["result"] if error is None else {"error": error},
    }


async def _created(sessions: Sessions) -> str:
    return await sessions.named(await sessions.create())


async def _session_of(params: dict[str, Any], sessions: Sessions, own: Session | None) -> Session:
    session_id = params.get("session_id")
    if own is not None and session_id in (None, own.id):
        return own
    if isinstance(session_id, str):
        return await sessions.get(session_id)
    raise calls.no_episode()


async def _close(params: dict[str, Any], sessions: Sessions, own: Session | None) -> dict[str, Any]:
    session_id = params.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        raise RpcError(Code.INVALID_PARAMS, "Invalid params - 'session_id' is required")
    if own is not None and session_id == own.id:
        raise RpcError(Code.INVALID_REQUEST, "Close the socket to close the session it holds")
    if await sessions.close(session_id):
        return {"session_id": session_id, "closed": True}
    return {"session_id": session_id, "closed": False, "closing": True}


def _at_capacity(full: AtCapacity) -> RpcError:
    facts = {"active_sessions": full.active, "max_sessions": full.limit}
    return RpcError(Code.SERVER_ERROR, str(full), facts)


def _failure(request_id: str | int | None, error: RpcError) -> dict[str, Any]:
    body: dict[str, Any] = {"code": int(error.code), "message": str(error), "data": error.data}
    return {"jsonrpc": "2.0", "id": request_id, "error": body}


def _text(response: dict[str, Any]) -> str:
    return orjson.dumps(response).decode()
