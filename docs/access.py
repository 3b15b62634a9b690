"""The routes of all listeners and what they require, read from the applications for the page and its test."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from companyos.chassis.web.access import Principal, Requirements, principals, requirements, served_routes
from services import applications, manifests

TEXT = (
    "Who may use which route. A *principal* proves itself with a credential of its own; what a route requires is read "
    "from the code that checks it. A path without a row here leads nowhere for anybody. "
    "[Security](../explanation/security.md) says who the principals are, and what their networks reach. With "
    "`COMPANYOS_ONE_PORT` the routes of the agent API are served below `/agent` of the trainer API's port as well."
)
TITLES = {"orchestrator": "Trainer API, port 8000", "agent_api": "Agent API, port 8080"}
WEBSOCKET = "WebSocket"


@dataclass(frozen=True)
class Route:
    """One way to call a listener.

    Attributes:
        listener: The listener: `orchestrator` for the trainer API, `agent_api`, or the name of a service.
        method: HTTP method, or `WebSocket`.
        path: Path, with parameters in braces.
        required: What its callers must prove.
    """

    listener: str
    method: str
    path: str
    required: Requirements

    @property
    def principals(self) -> tuple[Principal, ...]:
        """The principals that may call it."""
        return principals(self.required)

    @property
    def credentials(self) -> str:
        """The required credentials, in words."""
        return " and ".join(" or ".join(sorted(each)) for each in self.required)


def routes() -> list[Route]:
    """Return every route of every listener, in the order of the page."""
    services = [
        route for name, application in applications().items() for route in _service(name, application)
    ]
    return [*_agent_api(), *_trainer_api(), *services]


def page() -> str:
    """Return the tables, one for each listener."""
    listed = routes()
    names = list(dict.fromkeys(route.listener for route in listed))
    return "\n\n".join(_table(name, [route for route in listed if route.listener == name]) for name in names)


def _table(name: str, listed: list[Route]) -> str:
    title = TITLES.get(name) or f"`{name}`, on internal networks only"
    heading = " | ".join(Principal)
    rows = [
        f"| {route.method} | `{route.path}` | {_cells(route)} | {route.credentials} |" for route in listed
    ]
    return "\n".join(
        [
            f"## {title}",
            "",
            f"| method | path | {heading} | credential |",
            "|---" * (len(Principal) + 3) + "|",
            *rows,
        ]
    )


def _cells(route: Route) -> str:
    able = tuple(Principal) if Principal.ANYONE in route.principals else route.principals
    return " | ".join("yes" if principal in able else "" for principal in Principal)


def _trainer_api() -> Iterator[Route]:
    guard = import_module("orchestrator.http.messages.guard")
    api = import_module("orchestrator.http.app").trainer_api(
        _no_episodes, guard.TrainerAccess(published_host="127.0.0.1"), max_sessions=1
    )
    for method, path, _ in _served(api):
        yield Route("orchestrator", method, path, guard.requirements(method, path))


def _agent_api() -> Iterator[Route]:
    api = import_module("orchestrator.http.agent_api.app")
    for route in (*api.ROUTES, *api.PAGES):
        yield Route("agent_api", route.method, route.path, api.requirements(route.path))
    for tool in import_module("orchestrator.services.catalog").Catalog(manifests()).tools.values():
        if tool.service:
            path = f"/{tool.service}{tool.path}"
            yield Route("agent_api", tool.method, path, api.requirements(path))


def _service(name: str, application: Any) -> Iterator[Route]:
    for method, path, route in _served(application):
        yield Route(name, method, path, requirements(route))


def _served(app: Any) -> Iterator[tuple[str, str, Any]]:
    for route in served_routes(app):
        for method in sorted(getattr(route, "methods", None) or [WEBSOCKET]):
            yield method, route.path, route


@asynccontextmanager
async def _no_episodes() -> AsyncIterator[Any]:
    """Yield nothing, because the application is only inspected."""
    yield None
