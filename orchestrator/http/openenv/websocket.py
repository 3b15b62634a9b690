"""OpenEnv's WebSocket: one connection is one session, with one response per message, in order.

The session survives any message: broken JSON, binary frames and impossible numbers are answered with an error in
OpenEnv's codes. Only exhausted capacity, an unknown session and `close` end a connection, with code 1000.

A validator opens the telemetry of its socket with `validation_open` and reads it with `validation_read`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, assert_never

import orjson
import structlog
from fastapi import APIRouter, WebSocket
from pydantic import Field, ValidationError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from ...protocol.problems import Refusal, server_stopping
from ..messages.answers import RETRY_AFTER_S, Invalid, NotJson, flaws_of
from ..messages.body import as_object, parse
from ..messages.models import Strict
from . import jsonrpc
from .client_sessions import AtCapacity, Session, Sessions, SessionUnknown
from .session_telemetry import OpenData, ReadData, SessionTelemetry, validation_refused

log = structlog.get_logger(__name__)
router = APIRouter()

NORMAL_CLOSURE = 1000
Answer = dict[str, Any]


class Kind(StrEnum):
    """The types of messages."""

    RESET = "reset"
    STEP = "step"
    STATE = "state"
    MCP = "mcp"
    CLOSE = "close"
    VALIDATION_OPEN = "validation_open"
    VALIDATION_READ = "validation_read"


#: What the message about an unknown type names; the telemetry is for those who know it.
OFFERED = tuple(kind for kind in Kind if not kind.startswith("validation_"))
#: What shows a secret to the server, which must not be repeated.
PROOFS = frozenset({Kind.VALIDATION_OPEN, Kind.VALIDATION_READ})


class WebSocketErrorCode(StrEnum):
    """OpenEnv's error codes."""

    INVALID_JSON = "INVALID_JSON"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    CAPACITY_REACHED = "CAPACITY_REACHED"
    SESSION_ERROR = "SESSION_ERROR"


class ResetMessage(Strict):
    """Start an episode; `data` are the keyword arguments of reset."""

    type: Literal[Kind.RESET]
    data: dict[str, Any] = Field(default_factory=dict)


class StepMessage(Strict):
    """Play `data`, an action."""

    type: Literal[Kind.STEP]
    data: dict[str, Any]


class StateMessage(Strict):
    """Return the state of the episode."""

    type: Literal[Kind.STATE]


class McpMessage(Strict):
    """Answer `data`, a JSON-RPC request."""

    type: Literal[Kind.MCP]
    data: dict[str, Any]


class CloseMessage(Strict):
    """End the session."""

    type: Literal[Kind.CLOSE]


class ValidationOpenMessage(Strict):
    """Open the telemetry of this socket's session."""

    type: Literal[Kind.VALIDATION_OPEN]
    data: OpenData


class ValidationReadMessage(Strict):
    """Read the telemetry of this socket's session."""

    type: Literal[Kind.VALIDATION_READ]
    data: ReadData


class UnknownKind(Invalid):
    """The message has another type, or none."""

    def __init__(self, kind: Any) -> None:
        shown = kind if isinstance(kind, str) and len(kind) < 50 else type(kind).__name__
        wrong = "The message has no type" if kind is None else f"Unknown message type: {shown}"
        msg = f"{wrong}; there are {', '.join(OFFERED)}"
        super().__init__({"type": "unknown_type", "loc": ["type"], "msg": msg})


Message = (
    ResetMessage
    | StepMessage
    | StateMessage
    | McpMessage
    | CloseMessage
    | ValidationOpenMessage
    | ValidationReadMessage
)
MESSAGES: dict[Kind, type[Message]] = {
    Kind.RESET: ResetMessage,
    Kind.STEP: StepMessage,
    Kind.STATE: StateMessage,
    Kind.MCP: McpMessage,
    Kind.CLOSE: CloseMessage,
    Kind.VALIDATION_OPEN: ValidationOpenMessage,
    Kind.VALIDATION_READ: ValidationReadMessage,
}


@dataclass(frozen=True)
class Received:
    """A valid message, and the value it was read from."""

    value: dict[str, Any]
    message: Message


@dataclass(frozen=True)
class SocketContext:
    """What the messages of one socket are about: its session, and the telemetry of that."""

    session: Session
    sessions: Sessions
    telemetry: SessionTelemetry


class Ended(Exception):
    """The conversation is over; `cleanly` if the trainer closed it."""

    def __init__(self, *, cleanly: bool) -> None:
        super().__init__()
        self.cleanly = cleanly


@router.websocket("/ws")
async def trainer_socket(socket: WebSocket) -> None:
    await socket.accept()
    sessions: Sessions = socket.app.state.sessions
    try:
        session = await _session(socket, sessions)
    except AtCapacity as full:
        await _send(socket, _at_capacity(full))
    except (SessionUnknown, Refusal) as refusal:
        await _send(socket, _no_session(refusal))
    else:
        await _converse(socket, session, sessions)
    if WebSocketState.CONNECTED is socket.client_state is socket.application_state:
        await socket.close(NORMAL_CLOSURE)


async def _session(socket: WebSocket, sessions: Sessions) -> Session:
    if session_id := socket.query_params.get("session_id"):
        return await sessions.attach(session_id)
    query = socket.query_params
    return await sessions.create_for_socket(query.get("episode_id"), query.get("episode_uid"))


async def _converse(socket: WebSocket, session: Session, sessions: Sessions) -> None:
    cleanly = False
    owns_session = session.of_socket and session.episode_id is None
    telemetry = SessionTelemetry(socket.app.state.validation_token, owns_session=owns_session)
    talk = SocketContext(session, sessions, telemetry)
    try:
        while True:
            if (answer := await _answer(await _receive(socket), talk)) is not None:
                await _send(socket, answer)
    except Ended as end:
        cleanly = end.cleanly
    except WebSocketDisconnect:
        log.info("socket_cut", episode=session.episode_id, why="it was gone before its answer was sent")
    finally:
        await sessions.leave(session, cleanly=cleanly)


async def _receive(socket: WebSocket) -> str | bytes:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise Ended(cleanly=message.get("code") == NORMAL_CLOSURE)
    text: str | None = message.get("text")
    return message["bytes"] if text is None else text


async def _send(socket: WebSocket, answer: Answer) -> None:
    await socket.send_text(orjson.dumps(answer).decode())


async def _answer(raw: str | bytes, talk: SocketContext) -> Answer | None:
    try:
        return await _carried_out(_parse_frame(raw), talk)
    except Invalid as invalid:
        return _invalid(invalid)
    except Refusal as refusal:
        return _refusal_answer(refusal)
    except Ended:
        raise
    except asyncio.CancelledError:
        # The server stops; the close follows this answer.
        return _refusal_answer(server_stopping())
    except Exception:  # protocol boundary: the session survives any failure in one message
        log.exception("message_failed")
        facts = {"type": "internal_error", "status": 500, "retryable": False}
        return _error(
            WebSocketErrorCode.EXECUTION_ERROR,
            "The orchestrator failed. Nothing is wrong with the message.",
            **facts,
        )


def _parse_frame(raw: str | bytes) -> Received:
    if isinstance(raw, bytes):
        raise NotJson(
            {"type": "json_invalid", "loc": [], "msg": "Send JSON as a text message, not a binary one"}
        )
    value = as_object(parse(raw.encode()))
    kind: Any = value.get("type")
    try:
        model = MESSAGES[Kind(kind)]
    except ValueError:
        raise UnknownKind(kind) from None
    try:
        return Received(value, model.model_validate(value))
    except ValidationError as error:
        raise (validation_refused() if kind in PROOFS else Invalid.of(error)) from None


async def _carried_out(received: Received, talk: SocketContext) -> Answer | None:
    match received.message:
        case ResetMessage() | StepMessage() | StateMessage() as operation:
            talk.telemetry.begin()
            answer = await _play_message(operation, talk.session)
            answer["data"] = talk.telemetry.without_varying_parts(answer["data"])
            talk.telemetry.record(received.value, answer)
            return answer
        case McpMessage(data=data):
            result = await jsonrpc.answer(data, talk.sessions, talk.session)
            return None if result is None else {"type": "mcp", "data": result}
        case ValidationOpenMessage(data=proof):
            return {"type": "validation_open", "data": talk.telemetry.open(proof)}
        case ValidationReadMessage(data=proof):
            return {"type": "validation", "data": talk.telemetry.answer_to(proof)}
        case CloseMessage():
            raise Ended(cleanly=True)
        case _:
            assert_never(received.message)


async def _play_message(message: ResetMessage | StepMessage | StateMessage, session: Session) -> Answer:
    match message:
        case ResetMessage(data=data):
            return {"type": "observation", "data": await session.reset(data)}
        case StepMessage(data=data):
            return {"type": "observation", "data": await session.step(data)}
        case StateMessage():
            return {"type": "state", "data": await session.state()}
        case _:
            assert_never(message)


def _invalid(invalid: Invalid) -> Answer:
    match invalid:
        case UnknownKind():
            return _error(WebSocketErrorCode.UNKNOWN_TYPE, str(invalid))
        case NotJson():
            return _error(WebSocketErrorCode.INVALID_JSON, f"Invalid JSON: {invalid}")
        case _:
            return _error(
                WebSocketErrorCode.VALIDATION_ERROR, f"Invalid message: {invalid}", errors=invalid.flaws
            )


def _refusal_answer(
    refusal: Refusal, code: WebSocketErrorCode = WebSocketErrorCode.EXECUTION_ERROR
) -> Answer:
    if refusal.status == 422:
        return _error(WebSocketErrorCode.VALIDATION_ERROR, refusal.detail, errors=flaws_of(refusal))
    facts = {"type": refusal.code, "status": refusal.status, "retryable": refusal.retryable}
    if refusal.code == "too_many_episodes":
        return _error(
            WebSocketErrorCode.CAPACITY_REACHED, refusal.detail, retry_after_s=RETRY_AFTER_S, **facts
        )
    if refusal.code == "validation_refused":
        code = WebSocketErrorCode.VALIDATION_ERROR
    return _error(code, refusal.detail, **facts)


def _at_capacity(full: AtCapacity) -> Answer:
    facts = {"active_sessions": full.active, "max_sessions": full.limit}
    return _error(
        WebSocketErrorCode.CAPACITY_REACHED,
        str(full),
        type="at_capacity",
        status=429,
        retryable=True,
        **facts,
    )


def _no_session(refusal: SessionUnknown | Refusal) -> Answer:
    if isinstance(refusal, Refusal):
        return _refusal_answer(refusal, WebSocketErrorCode.SESSION_ERROR)
    return _error(
        WebSocketErrorCode.SESSION_ERROR, str(refusal), type="session_unknown", status=404, retryable=False
    )


def _error(code: WebSocketErrorCode, message: str, **facts: Any) -> Answer:
    return {"type": "error", "data": {"message": message, "code": code, **facts}}
