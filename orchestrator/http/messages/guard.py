"""The access guard before every route: the trainer's token, the allowed origins of browsers, and the size of bodies.

Pure ASGI, because each layer of Starlette's `BaseHTTPMiddleware` would take a tenth of a step's time.
"""

from __future__ import annotations

import binascii
import ipaddress
from base64 import b64decode
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from companyos.chassis.web.access import Credential, Requirements, bearer_token, is_one_of
from companyos.chassis.web.logs import REQUEST_HEADER, bind_request

from ...branching.archives.format import MOST_PACKED
from ...protocol.agent_tokens import PREFIX
from .answers import problem
from .body import MAX_BODY_BYTES
from .body_limits import RequestTooLarge, body_too_large, whole_body
from .equivalents import plain_request
from .request_heads import repeated_name, unreadable_head

#: The routes that accept larger bodies.
LARGER_BODIES = {"/snapshots/import": MOST_PACKED}
#: Domains in which no stranger can register a name.
PRIVATE_DOMAINS = frozenset({"localhost", "internal", "local", "test"})
#: Among the allowed hosts, any host.
ANY_HOST = "*"
TRAINERS: Requirements = (frozenset({Credential.TRAINER_TOKEN}),)
AGENT_PREFIX = PREFIX.encode()
GRADERS: Requirements = (frozenset({Credential.TRAINER_TOKEN, Credential.GRADER_TOKEN}),)
ROLLOUTS: Requirements = (frozenset({Credential.TRAINER_TOKEN, Credential.ROLLOUT_TOKEN}),)
READERS: Requirements = (GRADERS[0] | ROLLOUTS[0],)
#: What plays, tells clients what they play, and says which cell has room.
PLAYED = (
    "/reset",
    "/step",
    "/state",
    "/batch/reset",
    "/batch/step",
    "/ws",
    "/mcp",
    "/metadata",
    "/schema",
    "/cell",
)
#: Graders may get what is there and below it; of other methods, rollouts may delete what is below it.
STATE, EPISODES = "/state", "/episodes"
#: The paths that do not require the trainer token.
EXCEPTIONS: dict[str, Requirements] = {
    # These reveal only yes or no; process managers query them before they have a token.
    "/health": (),
    "/ready": (),
    "/observe": GRADERS,
    **dict.fromkeys(PLAYED, ROLLOUTS),
    "/metrics": (frozenset({Credential.TRAINER_TOKEN, Credential.OPERATOR_TOKEN}),),
}


@dataclass(frozen=True, kw_only=True)
class TrainerAccess:
    """Who may call the trainer API.

    Attributes:
        published_host: The address at which the API is reachable.
        token: The trainer's bearer token; None leaves the API open to this machine.
        operator_token: The operator's bearer token, which opens the metrics only.
        rollout_token: The bearer token of rollout workers, which opens the playing of episodes only.
        grader_token: The grader's bearer token, which opens the reading of episodes only.
        validation_token: What a validator opens the telemetry of a socket with; None leaves it closed.
        open_to_browsers: Whether web pages from other machines may call an API that has no token, as in a
            public demo.
        local_only: Whether, without a token, connections to addresses other than loopback are refused. The
            server may have been bound to more addresses than the settings say.
        agent_hosts: The public names at which agents may reach the agent API.
    """

    published_host: str
    token: str | None = None
    operator_token: str | None = None
    rollout_token: str | None = None
    grader_token: str | None = None
    validation_token: str | None = None
    open_to_browsers: bool = False
    local_only: bool = False
    agent_hosts: frozenset[str] = frozenset()


class TrainerApiUnprotected(Exception):
    """The API would be published beyond this machine without a token; the process must not start."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"The trainer API would be published on {host!r} without a token. "
            "Set COMPANYOS_TRAINER_TOKEN (or COMPANYOS_TRAINER_TOKEN_FILE), or publish it on 127.0.0.1 only."
        )


def requirements(method: str, path: str) -> Requirements:
    """Return what a path of the trainer API requires, whether or not it has a route.

    Args:
        method: An HTTP method; anything else is that of a WebSocket.
        path: The path, decoded.
    """
    is_below = path.startswith(f"{EPISODES}/")
    if method == "GET" and path == STATE:
        return READERS
    if method == "GET" and (path == EPISODES or is_below):
        return GRADERS
    if method == "DELETE" and is_below:
        return ROLLOUTS
    return EXCEPTIONS.get(path, TRAINERS)


def require_token(published_host: str, token: str | None) -> None:
    """Refuse to start if strangers could reach an API without a token.

    Raises:
        TrainerApiUnprotected: `published_host` is not a loopback address and there is no token.
    """
    if token or is_loopback(published_host):
        return
    raise TrainerApiUnprotected(published_host)


def is_loopback(host: str) -> bool:
    """Return whether `host` is a loopback address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


class AccessGuard:
    """Passes authorized requests on, and refuses the others.

    Without a token, only pages from this machine may call. Otherwise, any web page that a person visits could
    use the API on their loopback address.

    Args:
        app: The application behind the guard.
        access: Who may call it.
    """

    def __init__(self, app: ASGIApp, access: TrainerAccess) -> None:
        self._app = app
        self._tokens = {
            Credential.TRAINER_TOKEN: access.token,
            Credential.OPERATOR_TOKEN: access.operator_token,
            Credential.ROLLOUT_TOKEN: access.rollout_token,
            Credential.GRADER_TOKEN: access.grader_token,
        }
        self._is_locked = bool(access.token)
        self._any_origin = access.open_to_browsers or access.token is not None
        self._local_only = access.local_only and not access.open_to_browsers and not access.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        scope, send = plain_request(scope, send)
        headers = Headers(scope=scope)
        bind_request(headers.get(REQUEST_HEADER, ""))
        if refusal := unreadable_head(scope) or self._refusal(scope, headers):
            return await refuse(scope, receive, send, refusal)
        if scope["type"] == "http":
            most = LARGER_BODIES.get(scope["path"], MAX_BODY_BYTES)
            try:
                receive = await whole_body(headers, receive, most)
            except ClientDisconnect:
                return None
            except RequestTooLarge:
                return await body_too_large(most)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        if not (required := requirements(scope.get("method", ""), scope["path"])):
            return None
        if self._local_only and not _is_local_connection(scope):
            return problem(403, "trainer_token_required", str(TrainerApiUnprotected(scope["server"][0])))
        # A browser's preflight never bears a token; the route refuses the method.
        is_preflight = scope.get("method") == "OPTIONS"
        if self._is_locked and not is_preflight and not self._passes(required, bearer(headers)):
            return problem(
                401,
                "trainer_token_required",
                "Send the trainer token as 'Authorization: Bearer <token>'. "
                "It is the value of COMPANYOS_TRAINER_TOKEN where the server runs.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        if not self._is_locked and bears_agent_token(scope):
            return problem(
                403,
                "agent_token_refused",
                "An agent's token opens the agent API only; its addresses are in `agent_urls`.",
            )
        is_local = _is_local_origin(headers.get("origin")) and _is_private_name(headers.get("host", ""))
        if not self._any_origin and not is_local:
            return problem(403, "origin_refused", "Without a token, only pages of this machine may call.")
        if (name := repeated_name(scope["query_string"].decode("latin-1"))) is not None:
            return problem(400, "parameter_repeated", f"Give the parameter {name!r} once.")
        return None

    def _passes(self, required: Requirements, token: str) -> bool:
        return all(
            is_one_of(token, (self._tokens[each] for each in alternatives)) for alternatives in required
        )


def bears_agent_token(scope: Scope) -> bool:
    """Return whether a header, a cookie or the query of a request holds an agent's token, as it is or encoded.

    An API without a trainer's token is open to this machine, which may be an agent's as well.
    """
    values = [unquote_to_bytes(scope["query_string"])]
    for name, value in scope["headers"]:
        values.append(_credentials(value) if name == b"authorization" else unquote_to_bytes(value))
    return any(AGENT_PREFIX in value for value in values)


def _credentials(value: bytes) -> bytes:
    """Return what an `Authorization` header holds; of the scheme Basic, user and password."""
    scheme, _, encoded = value.partition(b" ")
    try:
        return b64decode(encoded) if scheme.lower() == b"basic" else value
    except binascii.Error:
        return value


def is_foreign(headers: Mapping[str, str], hosts: Collection[str]) -> bool:
    """Return whether a stranger's web page may have sent a request: from its origin, or to a name of its own.

    Args:
        headers: The request's headers.
        hosts: The public names at which the API is published.
    """
    if ANY_HOST in hosts:
        return False
    authority, origin = headers.get("host", ""), headers.get("origin")
    host = host_name(f"//{authority}")
    if host not in hosts and not _is_private_name(authority):
        return True
    return not _is_local_origin(origin) and host_name(origin or "") not in {host, *hosts}


def host_name(url: str) -> str:
    """Return the host in a URL, or an empty text."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_local_connection(scope: Scope) -> bool:
    host, port = scope.get("server") or ("", None)
    return port is None or is_loopback(host)  # a Unix socket has no port


def bearer(headers: Mapping[str, str]) -> str:
    """Return the bearer token of a request, or an empty text."""
    return bearer_token(headers.get("authorization", ""))


def _is_local_origin(origin: str | None) -> bool:
    if origin is None:
        return True
    try:
        return is_loopback(urlsplit(origin).hostname or "")
    except ValueError:
        return False


def _is_private_name(authority: str) -> bool:
    """Return whether a `Host` cannot be a name that a stranger pointed at this machine.

    This stops DNS rebinding: a page whose name resolves to this machine sends a GET without an origin, but
    with its name as the host.
    """
    try:
        host = (urlsplit(f"//{authority}").hostname or "").rstrip(".")
    except ValueError:
        return False
    is_address = ":" in host or host.replace(".", "").isdecimal()
    return is_address or host.rpartition(".")[2] in PRIVATE_DOMAINS or "." not in host


async def refuse(scope: Scope, receive: Receive, send: Send, refusal: Response) -> None:
    """Answer a request, or the handshake of a WebSocket, with a refusal."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await refusal(scope, receive, send)
