"""Claims about the tools that a scenario offers to agents."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Final

from companyos.chassis.web.manifest import TOOL
from companyos.embedded.server import service_names
from companyos.sdk.scenario import Scenario

from .claims import Complaints, OfScenario


def offers_existing_tools(scenario: Scenario) -> Complaints:
    """Complain about names in `tools` that no service has."""
    for name in sorted(set(scenario.tools) - tool_names()):
        near = get_close_matches(name, sorted(tool_names()), n=1)
        yield f"there is no tool {name!r}{'; did you mean ' + near[0] + '?' if near else ''}"


@cache
def tool_names() -> frozenset[str]:
    """Return the names of every service's tools and of the orchestrator's own."""
    own = [tool.name for tool in import_module("orchestrator.agent.tools").OWN_TOOLS]
    return frozenset([*own, *(name for service in service_names() for name in _tools_of(service))])


def _tools_of(service: str) -> list[str]:
    routers = import_module(f"services.{service}.app").SERVICE.routers
    routes = [route for router in routers for route in router.routes]
    return [f"{service}_{route.operation_id}" for route in routes if TOOL in (route.openapi_extra or {})]


CLAIMS: Final = (OfScenario("Every name in `tools` is that of a tool", offers_existing_tools),)
