"""The replies of a server to a connection before any application sees its request."""

import json
from http import HTTPStatus
from typing import Any, Final


def _reply(status: HTTPStatus, code: str, detail: str, *, retryable: bool) -> bytes:
    body = json.dumps(problem(status, code, detail, retryable=retryable)).encode()
    head = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        *(["Retry-After: 1"] if retryable else []),
        "Connection: close",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


def problem(status: HTTPStatus, code: str, detail: str, *, retryable: bool) -> dict[str, Any]:
    """Return a problem document (RFC 9457)."""
    title = code.replace("_", " ").capitalize()
    return {"type": code, "title": title, "status": status, "detail": detail, "retryable": retryable}


TOO_MANY: Final = _reply(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "too_many_connections",
    "Too many connections are open here. Close those you do not use, and connect again in a moment.",
    retryable=True,
)
TIMED_OUT: Final = _reply(
    HTTPStatus.REQUEST_TIMEOUT,
    "request_timeout",
    "The request did not arrive in time, and nothing was done. Send it again, without pauses.",
    retryable=True,
)
HEAD_TOO_LARGE: Final = _reply(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "head_too_large",
    "The request line and the headers are too large. Send less than 64 KiB.",
    retryable=False,
)
MALFORMED: Final = _reply(
    HTTPStatus.BAD_REQUEST,
    "http_invalid",
    "This is no valid HTTP/1.1 request, and nothing was done. Announce the length of its body, or send it in chunks, "
    "and write spaces and letters beyond ASCII in its URL as %XX.",
    retryable=False,
)
