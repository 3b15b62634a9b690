"""The gate before every route: the trainer's token, where browsers may call from, and how large a body may be.

Pure ASGI, because each layer of Starlette's `BaseHTTPMiddleware` would cost a step a tenth of its time.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..archives.format import MOST_PACKED
from .answers import problem

MAX_BODY_BYTES = 256 * 1024
#: The routes that take more.
LARGER_BODIES = {"/snapshots/import": MOST_PACKED}
DISCARDED_BYTES = 2 * MOST_PACKED
#: Both tell nothing but yes or no; what starts a process asks them before it has a token.
OPEN_TO_ALL = frozenset({"/health", "/ready"})


class DoorStandsOpen(Exception):
    """The door would be published beyond this machine without a token; the process must not start."""


class BodyTooLarge(Exception):
    """The request's body is larger than any route needs."""


def refuse_open_door(published_host: str, token: str | None) -> None:
    """Refuse to start where strangers could reach a door without a lock.

    Raises:
        DoorStandsOpen: `published_host` is not a loopback address and there is no token.
    """
    if token or is_loopback(published_host):
        return
    raise DoorStandsOpen(
        f"The trainer door would be published on {published_host!r} without a token. "
        "Set COMPANYOS_TRAINER_TOKEN (or COMPANYOS_TRAINER_TOKEN_FILE), or publish it on 127.0.0.1 only."
    )


def is_loopback(host: str) -> bool:
    """Return whether `host` names this machine to itself only."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """Let through what may pass; answer the rest itself.

    Without a token only pages of this machine may call, since any web page that a person visits could
    otherwise drive the door on their loopback address.
    """

    def __init__(self, app: ASGIApp, *, token: str | None, open_to_browsers: bool = False) -> None:
        self._app = app
        self._digest = _digest(token) if token else None
        self._any_origin = open_to_browsers or token is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if refusal := self._refusal(scope["path"], headers) or _nul_in_url(scope):
            return await _refuse(scope, receive, send, refusal)
        if scope["type"] == "http":
            most = LARGER_BODIES.get(scope["path"], MAX_BODY_BYTES)
            try:
                receive = await _whole_body(headers, receive, most)
            except BodyTooLarge:
                return await _too_large(scope, receive, send, most)
        return await self._app(scope, receive, send)

    def _refusal(self, path: str, headers: Mapping[str, str]) -> Response | None:
        if path in OPEN_TO_ALL:
            return None
        if self._digest is not None and not hmac.compare_digest(self._digest, _digest(_bearer(headers))):
            return problem(
                401,
                "trainer_token_required",
                "Send the trainer token as 'Authorization: Bearer <token>'. "
                "It is the value of COMPANYOS_TRAINER_TOKEN where the server runs.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        if not self._any_origin and not _is_local_origin(headers.get("origin")):
            return problem(403, "origin_refused", "Without a token, only pages of this machine may call.")
        return None


def _nul_in_url(scope: Scope) -> Response | None:
    if "\0" in scope["path"] or b"%00" in scope["query_string"]:
        return problem(400, "nul_character", "A URL must not hold the character U+0000.")
    return None


def _digest(token: str) -> bytes:
    # Digests are of one length, so the comparison tells nothing about the token's.
    return hashlib.blake2b(token.encode("utf-8", "surrogateescape")).digest()


def _bearer(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _is_local_origin(origin: str | None) -> bool:
    if origin is None:
        return True
    try:
        return is_loopback(urlsplit(origin).hostname or "")
    except ValueError:
        return False


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Response) -> None:
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await refusal(scope, receive, send)


async def _too_large(scope: Scope, receive: Receive, send: Send, most: int) -> None:
    detail = f"A body may have {most // 1024} KiB here."
    await problem(413, "body_too_large", detail, headers={"Connection": "close"})(scope, receive, send)


async def _whole_body(headers: Mapping[str, str], receive: Receive, most: int) -> Receive:
    declared = headers.get("content-length", "")
    if not declared and "transfer-encoding" not in headers:
        return receive
    if declared.isdigit() and int(declared) > DISCARDED_BYTES:
        raise BodyTooLarge
    return _replay(await _read(receive, most), receive)


async def _read(receive: Receive, most: int) -> bytes:
    """Return the body, or read it to its end for nothing: who is cut off while sending never sees the answer."""
    chunks: list[bytes] = []
    size, more = 0, True
    while more and size <= DISCARDED_BYTES:
        message = await receive()
        chunk, more = message.get("body", b""), message.get("more_body", False)
        size += len(chunk)
        if size <= most:
            chunks.append(chunk)
    if size > most:
        raise BodyTooLarge
    return b"".join(chunks)


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed
