"""The messages of the Model Context Protocol: JSON-RPC 2.0, its versions, and the checks that a request must pass.

Revisions up to 2025-11-25 begin with `initialize`. From 2026-07-28 on there is no handshake: each request
carries its version in `_meta`, and repeats in headers the parts by which a proxy may route it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from starlette.responses import Response

from ..messages.answers import Json
from ..messages.jsonrpc_envelope import (
    HANDSHAKE_VERSIONS,
    VERSION_HEADER,
    JsonRpcError,
    JsonRpcErrorCode,
    error_document,
    is_request_id,
    is_unanswered,
    result_document,
)

MODERN: Final = "2026-07-28"
VERSIONS: Final = (MODERN, *HANDSHAKE_VERSIONS)
#: The parameter that the header `Mcp-Name` repeats, by method.
_NAMED: Final[Mapping[str, str]] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")


class McpErrorCode(IntEnum):
    """The error codes that are MCP's own."""

    HEADER_MISMATCH = -32020
    UNSUPPORTED_VERSION = -32022


#: HTTP statuses that the revisions without a handshake prescribe for errors.
_MODERN_STATUSES: Final[Mapping[IntEnum, int]] = {
    JsonRpcErrorCode.INVALID_PARAMS: 400,
    McpErrorCode.HEADER_MISMATCH: 400,
    JsonRpcErrorCode.METHOD_NOT_FOUND: 404,
}
_STATUSES: Final[Mapping[IntEnum, int]] = {
    JsonRpcErrorCode.PARSE_ERROR: 400,
    JsonRpcErrorCode.INVALID_REQUEST: 400,
    McpErrorCode.UNSUPPORTED_VERSION: 400,
}


@dataclass(frozen=True)
class McpRequest:
    """A request.

    Attributes:
        is_modern: Whether its revision has no handshake.
    """

    id: str | int
    method: str
    params: Mapping[str, Any]
    is_modern: bool

    def result(self, result: Mapping[str, Any]) -> Response:
        """Return the response with a result."""
        complete = {"resultType": "complete"} if self.is_modern else {}
        return Json(result_document(self.id, {**complete, **result}))

    def error(self, error: JsonRpcError) -> Response:
        """Return the response with an error."""
        return error_response(error, self.id, is_modern=self.is_modern)


def error_response(
    error: JsonRpcError, request_id: str | int | None = None, *, is_modern: bool = False
) -> Response:
    """Return a response with an error; its id is null if the id of the request cannot be read."""
    status = _STATUSES.get(error.code, 200)
    if is_modern:
        status = _MODERN_STATUSES.get(error.code, status)
    return Json(error_document(error, request_id), status)


def read_request(message: Any, headers: Mapping[str, str]) -> McpRequest | None:
    """Return the request in a JSON value; None for a message that gets no answer.

    Raises:
        JsonRpcError: It is not a valid message.
    """
    if is_unanswered(message):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise JsonRpcError(JsonRpcErrorCode.INVALID_REQUEST, "A message is a JSON-RPC 2.0 object.")
    method, request_id = message.get("method"), message.get("id")
    if not isinstance(method, str) or not is_request_id(request_id) or request_id is None:
        raise JsonRpcError(
            JsonRpcErrorCode.INVALID_REQUEST, "A message has a method, and an id of text or number."
        )
    params = {} if message.get("params") is None else message["params"]
    if not isinstance(params, dict):
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, "params must be an object.")
    version = headers.get(VERSION_HEADER)
    is_modern = version == MODERN or method == "server/discover" or _VERSION_KEY in _meta(params)
    return McpRequest(request_id, method, params, is_modern)


def refuse_contradictions(call: McpRequest, headers: Mapping[str, str]) -> None:
    """Refuse a request whose revision is not supported, or whose headers contradict it.

    Raises:
        JsonRpcError: The error to answer it with.
    """
    if call.is_modern:
        _refuse_contradictory_routing(call.method, call.params, headers)
    elif (version := headers.get(VERSION_HEADER, VERSIONS[0])) not in VERSIONS:
        raise _unsupported_version(version)


def _unsupported_version(version: Any) -> JsonRpcError:
    facts = {"supported": list(VERSIONS), "requested": version}
    return JsonRpcError(McpErrorCode.UNSUPPORTED_VERSION, "Unsupported protocol version", facts)


def _refuse_contradictory_routing(method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    meta = _meta(params)
    if missing := [key for key in (_VERSION_KEY, _CAPABILITIES_KEY) if key not in meta]:
        raise JsonRpcError(JsonRpcErrorCode.INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    wanted = {VERSION_HEADER: meta[_VERSION_KEY], "mcp-method": method}
    named = params.get(_NAMED.get(method, ""))
    if isinstance(named, str):
        wanted["mcp-name"] = named
    for header, value in wanted.items():
        if _decode_header(headers.get(header)) != value:
            detail = f"The header {header} does not match the request's body."
            raise JsonRpcError(McpErrorCode.HEADER_MISMATCH, detail)
    if meta[_VERSION_KEY] != MODERN:
        raise _unsupported_version(meta[_VERSION_KEY])


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _decode_header(value: str | None) -> str | None:
    """Return a header's value, decoded if it is in base64; None if that fails."""
    encoded = _ENCODED.fullmatch(value or "")
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
