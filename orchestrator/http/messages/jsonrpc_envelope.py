"""The envelope of JSON-RPC 2.0 and what all revisions of the Model Context Protocol with a handshake have in common."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from .answers import Invalid, NotJson
from .body import parse

#: Newest first.
HANDSHAKE_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
#: The only revision with batches. Its clients do not send the header, which came later.
BATCHES: Final = "2025-03-26"
VERSION_HEADER: Final = "mcp-protocol-version"
MOST_BATCHED: Final = 100
INITIALIZE_ALONE: Final = "initialize must not be part of a batch."


class JsonRpcErrorCode(IntEnum):
    """JSON-RPC's error codes."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_ERROR = -32000


class JsonRpcError(Exception):
    """The error that answers a message in place of a result."""

    def __init__(self, code: IntEnum, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def read_message(raw: bytes) -> Any:
    """Return the message or the batch in a text.

    Raises:
        JsonRpcError: It is not strict JSON.
    """
    try:
        return parse(raw)
    except NotJson as error:
        raise JsonRpcError(JsonRpcErrorCode.PARSE_ERROR, f"Parse error: {error}") from None
    except Invalid as error:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, f"Invalid request: {error}") from None


def result_document(request_id: str | int | None, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message with a result."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_document(error: JsonRpcError, request_id: str | int | None) -> dict[str, Any]:
    """Return the message with an error; its id is null if the id of the request cannot be read."""
    data = {} if error.data is None else {"data": error.data}
    body = {"code": int(error.code), "message": str(error), **data}
    return {"jsonrpc": "2.0", "id": request_id, "error": body}


def readable_id(message: Any) -> str | int | None:
    """Return the id of a message that may be no valid request, or None: with it, its sender knows what failed."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if is_request_id(found) else None


def is_request_id(value: Any) -> bool:
    """Return whether a value is the id of a request, or None, which a notification has.

    A whole number beyond those that a float tells apart was not read as it was sent, and would not come back so.
    """
    is_number = isinstance(value, int) or (
        isinstance(value, float) and value.is_integer() and abs(value) <= 2**53
    )
    return value is None or isinstance(value, str) or (is_number and not isinstance(value, bool))


def is_unanswered(message: Any) -> bool:
    """Return whether a message gets no answer: it is a notification, or a response, for which nothing here waits."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "method" not in message:
        return "result" in message or "error" in message
    return "id" not in message and isinstance(message["method"], str)


def handshake_version(params: Mapping[str, Any]) -> str:
    """Return the revision that answers `initialize`: the one that the client wants, or the newest."""
    wanted = params.get("protocolVersion")
    return wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]


def refuse_batch(messages: Sequence[Any], revision: str | None) -> None:
    """Refuse a batch that is too long, or that the revision in the request's header does not have.

    Raises:
        JsonRpcError: It is one.
    """
    if revision not in (None, BATCHES):
        detail = f"MCP {revision} has no batches, only {BATCHES} has. Send one JSON-RPC message."
        raise JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, detail)
    if not 0 < len(messages) <= MOST_BATCHED:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, f"A batch has 1 to {MOST_BATCHED} messages.")
