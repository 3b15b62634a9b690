"""The replies of a server to a connection before any application sees its request."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import Any, Final

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class ListenerReply:
    """A refusal: for a program a problem document, for a browser a page with the same words."""

    status: HTTPStatus
    code: str
    detail: str
    retryable: bool = False

    def content(self, asked: Headers) -> tuple[list[tuple[bytes, bytes]], bytes]:
        """Return headers and body.

        Args:
            asked: The request's headers, or as many of them as arrived.
        """
        is_browser = any(name == b"accept" and b"text/html" in value for name, value in asked)
        body = self._page() if is_browser else self._document()
        headers = [
            (b"content-type", b"text/html; charset=utf-8" if is_browser else b"application/problem+json"),
            (b"content-length", b"%d" % len(body)),
        ]
        return [*headers, (b"retry-after", b"1")] if self.retryable else headers, body

    def message(self, asked: Headers) -> bytes:
        """Return the whole reply, which ends the connection; `asked` is as in `content`."""
        headers, body = self.content(asked)
        lines = [b"%s: %s" % header for header in (*headers, (b"connection", b"close"))]
        start = f"HTTP/1.1 {self.status.value} {self.status.phrase}".encode()
        return b"\r\n".join([start, *lines, b"", body])

    def _document(self) -> bytes:
        return json.dumps(problem(self.status, self.code, self.detail, retryable=self.retryable)).encode()

    def _page(self) -> bytes:
        title, detail = escape(self.status.phrase), escape(self.detail)
        page = f'<!doctype html><html lang="en"><title>{title}</title><h1>{title}</h1><p>{detail}</p></html>'
        return page.encode()


def problem(status: HTTPStatus, code: str, detail: str, *, retryable: bool) -> dict[str, Any]:
    """Return a problem document (RFC 9457)."""
    title = code.replace("_", " ").capitalize()
    return {"type": code, "title": title, "status": status, "detail": detail, "retryable": retryable}


TOO_MANY: Final = ListenerReply(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "too_many_connections",
    "Too many connections are open here. Close those you do not use, and connect again in a moment.",
    retryable=True,
)
TIMED_OUT: Final = ListenerReply(
    HTTPStatus.REQUEST_TIMEOUT,
    "request_timeout",
    "The request did not arrive in time, and nothing was done. Send it again, without pauses.",
    retryable=True,
)
HEAD_TOO_LARGE: Final = ListenerReply(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "head_too_large",
    "The request line and the headers are too large. Send less than 64 KiB.",
)
MALFORMED: Final = ListenerReply(
    HTTPStatus.BAD_REQUEST,
    "http_invalid",
    "This is no valid HTTP/1.1 request, and nothing was done. Announce the length of its body, or send it in chunks, "
    "and write spaces and letters beyond ASCII in its URL as %XX.",
)
VERSION_UNSUPPORTED: Final = ListenerReply(
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED,
    "http_version_unsupported",
    "This server speaks HTTP/1.1 and HTTP/1.0, and nothing was done. Send the request as HTTP/1.1.",
)
LENGTH_REQUIRED: Final = ListenerReply(
    HTTPStatus.LENGTH_REQUIRED,
    "length_required",
    "The request does not say how long its body is, and nothing was done. Send Content-Length, which is 0 if there is "
    "no body.",
)
STOPPING: Final = ListenerReply(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "server_stopping",
    "The server is stopping and did not finish this request. Send the same request again in a moment.",
    retryable=True,
)
