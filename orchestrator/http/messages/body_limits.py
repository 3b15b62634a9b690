"""Limits of request bodies before any route reads them: bodies are read whole, or discarded and refused."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive

from ...branching.archives.format import MOST_PACKED
from .answers import problem

DISCARDED_BYTES = 2 * MOST_PACKED


class RequestTooLarge(Exception):
    """The request's body is larger than any route needs."""


def body_too_large(most: int) -> Response:
    """Return the response to a request whose body is larger than `most` bytes."""
    detail = f"A body may have {most // 1024} KiB here."
    return problem(413, "body_too_large", detail, headers={"Connection": "close"})


async def whole_body(headers: Mapping[str, str], receive: Receive, most: int) -> Receive:
    """Return a `receive` that yields the whole body at once.

    Raises:
        ClientDisconnect: The connection ended before the body did, so there is no request.
        RequestTooLarge: The body has more than `most` bytes.
    """
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared) > DISCARDED_BYTES:
        raise RequestTooLarge
    return _replay(await _read(receive, most), receive)


async def _read(receive: Receive, most: int) -> bytes:
    """Return the body, or discard it after reading all: a client cut off while sending never sees the response."""
    chunks: list[bytes] = []
    size, more = 0, True
    while more and size <= DISCARDED_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk, more = message.get("body", b""), message.get("more_body", False)
        size += len(chunk)
        if size <= most:
            chunks.append(chunk)
    if size > most:
        raise RequestTooLarge
    return b"".join(chunks)


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed
