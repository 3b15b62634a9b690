"""The agent API as an ASGI application: one episode's tools over MCP and REST, opened by that episode's token.

No route of the trainer API exists here. Paths match exactly, as they were sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from companyos.chassis.web.access import Credential, Requirements
from companyos.chassis.web.logs import REQUEST_HEADER, bind_request

from ...agent.tools import OWN_TOOLS
from ...episodes.agents import Agents
from ...protocol.problems import Refusal
from ..messages.answers import Invalid, Json, method_not_allowed, problem
from ..messages.body import MAX_BODY_BYTES
from ..messages.body_limits import RequestTooLarge, body_too_large, whole_body
from ..messages.equivalents import MCP, MCP_WITH_SLASH
from ..messages.guard import bearer, is_foreign
from ..messages.request_heads import unreadable_head
from . import mcp, rest
from .answers import refusal_response
from .operations import operations_of
from .pages import routes as pages

log = structlog.get_logger(__name__)

Handler = Callable[[Request, Agents, str], Awaitable[Response]]
#: A browser that got here by mistake must neither guess content types nor store an answer.
SECURITY_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True)
class AgentRoute:
    """A route of the agent API; its handler gets the request, the agents and the request's token."""

    method: str
    path: str
    handler: Handler


async def health(_: Request, __: Agents, ___: str) -> Response:
    """Report that the process is alive; the only route that needs no token."""
    return Json({"status": "healthy"})


#: The paths that do not require an agent token.
EXCEPTIONS: Final[Mapping[str, Requirements]] = {
    "/health": (),
    pages.STYLE: (),
    **dict.fromkeys(pages.FONTS, ()),
}
#: Every route with a fixed path; the operations of the services are under `/{service}/…`.
ROUTES: Final = (
    AgentRoute("GET", "/health", health),
    AgentRoute("GET", "/task", rest.task),
    AgentRoute("GET", "/tools", rest.tools),
    *(AgentRoute("POST", f"/{tool.name}", rest.own(tool)) for tool in OWN_TOOLS),
    AgentRoute("POST", "/mcp", mcp.post),
    AgentRoute("DELETE", "/mcp", mcp.delete),
    AgentRoute("GET", pages.PREFIX, pages.home),
    AgentRoute("GET", pages.ENTER, pages.enter),
    AgentRoute("GET", pages.STYLE, pages.style_sheet),
    *(AgentRoute("GET", path, pages.font) for path in pages.FONTS),
)
#: The routes of tools' pages and forms, of which each has a path.
PAGES: Final = tuple(AgentRoute(method, f"{pages.PREFIX}{{page}}", pages.page) for method in ("GET", "POST"))
_BY_PATH: Final[Mapping[str, Mapping[str, Handler]]] = {
    path: {route.method: route.handler for route in ROUTES if route.path == path}
    for path in dict.fromkeys(route.path for route in ROUTES)
}


def requirements(path: str) -> Requirements:
    """Return what a path of the agent API requires, whether or not it has a route."""
    return EXCEPTIONS.get(path, (frozenset({Credential.AGENT_TOKEN}),))


class AgentApi:
    """The application.

    Args:
        agents: Returns the agents, once the process is connected to its dependencies.
        hosts: The public names at which the API is published.
    """

    def __init__(self, agents: Callable[[], Agents], hosts: frozenset[str] = frozenset()) -> None:
        self._agents = agents
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"the agent API does not serve {scope['type']}")
        request = Request(scope, receive)
        bind_request(request.headers.get(REQUEST_HEADER, ""))
        try:
            request = Request(scope, await whole_body(request.headers, receive, MAX_BODY_BYTES))
        except ClientDisconnect:
            return
        except RequestTooLarge:
            response = body_too_large(MAX_BODY_BYTES)
        else:
            response = unreadable_head(scope) or self._foreign(request) or await self._answer(request)
        if scope["path"].startswith(pages.PREFIX):
            response = pages.problem_as_page(request, response)
        response.raw_headers.extend(
            each for each in SECURITY_HEADERS if each[0].decode() not in response.headers
        )
        await response(scope, receive, send)

    def _foreign(self, request: Request) -> Response | None:
        """Return the refusal of a request that a stranger's web page may have sent, or None."""
        if request.scope["path"] in EXCEPTIONS or not is_foreign(request.headers, self._hosts):
            return None
        detail = (
            "This Origin or Host is not one of the agent API. Call it at the address that you were given; whoever "
            "publishes it under another name adds that name to COMPANYOS_ALLOWED_HOSTS."
        )
        return problem(403, "origin_refused", detail)

    async def _answer(self, request: Request) -> Response:
        try:
            return await self._handle_request(request)
        except Refusal as refusal:
            return refusal_response(refusal)
        except Invalid as invalid:
            return problem(422, "json_invalid", str(invalid))
        except Exception:
            # Process boundary: the cause goes to the log, because the agent must not see it.
            log.exception("agent_api_failed", path=request.scope["path"])
            return problem(500, "internal_error", "The call failed. Nothing is wrong with the request.")

    async def _handle_request(self, request: Request) -> Response:
        agents, token = self._agents(), bearer(request.headers)
        path = request.scope["raw_path"].decode("latin-1")
        # Health checks ask for no body.
        handlers = _BY_PATH.get(MCP if path == MCP_WITH_SLASH else path) or _page_handlers(path)
        method = "GET" if (request.method, path) == ("HEAD", "/health") else request.method
        if handlers is not None and (handler := handlers.get(method)) is not None:
            return await handler(request, agents, token)
        if handlers is None:
            operations = operations_of(await agents.catalog())
            if (operation := operations.find(request.method, path)) is not None:
                return await rest.operation(request, agents, token, operation)
            allowed = operations.methods(path)
        else:
            allowed = sorted(handlers)
        # Without a valid token only a browser's preflight, which never bears one, learns which paths exist.
        if request.method != "OPTIONS":
            await agents.check(token)
        return _no_such_route(allowed)


def _page_handlers(path: str) -> Mapping[str, Handler] | None:
    """Return the handlers of a tool's page or form by method, or None for another path."""
    is_one = path.startswith(pages.PREFIX) and "/" not in path.removeprefix(pages.PREFIX)
    return {route.method: route.handler for route in PAGES} if is_one else None


def _no_such_route(allowed: list[str]) -> Response:
    if allowed:
        return method_not_allowed(allowed)
    return problem(404, "not_found", "There is no such path. GET /tools lists the calls there are.")
