"""The catalogue: what the services tell of themselves, put together, by services nobody here knows by name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import structlog

from .gateway import Gateway
from .problems import Outage
from .tools import OWN_TOOLS, Tool

RETRY_S = 0.5

log = structlog.get_logger(__name__)


class Catalog:
    """Every tool by name, and who consumes which event.

    Args:
        manifests: One per service, in the order of the settings.
    """

    def __init__(self, manifests: Sequence[Mapping[str, Any]]) -> None:
        self.manifests = {str(manifest["service"]): manifest for manifest in manifests}
        tools = [_tool(service, told) for service, told in self._told_tools()]
        self.tools = {tool.name: tool for tool in (*tools, *OWN_TOOLS)}
        self._consumers: dict[str, list[str]] = {}
        for service in sorted(self.manifests):
            for name in self.manifests[service]["consumes"]:
                self._consumers.setdefault(name, []).append(service)

    @property
    def services(self) -> list[str]:
        """Names of the services."""
        return list(self.manifests)

    def consumers(self, event_name: str) -> Sequence[str]:
        """Return the services that react to events of a name, sorted."""
        return self._consumers.get(event_name, ())

    @cached_property
    def cards(self) -> list[dict[str, Any]]:
        """The tools as OpenEnv lists them."""
        return [tool.card for tool in self.tools.values()]

    @cached_property
    def functions(self) -> list[dict[str, Any]]:
        """The tools in OpenAPI function format."""
        return [tool.function for tool in self.tools.values()]

    @cached_property
    def journals(self) -> frozenset[tuple[str, str]]:
        """The append-only tables of all services, as (service, table)."""
        return frozenset(self._tables("journal"))

    @cached_property
    def hidden(self) -> frozenset[tuple[str, str]]:
        """The tables that no tool may show, as (service, table)."""
        return frozenset(self._tables("hidden"))

    def tables(self, service: str) -> list[str]:
        """Return the tables of a service that its tools may show."""
        told = self.manifests[service]["tables"]
        return [table["name"] for table in told if not table["hidden"]]

    def _tables(self, mark: str) -> Iterable[tuple[str, str]]:
        for service, manifest in self.manifests.items():
            yield from ((service, table["name"]) for table in manifest["tables"] if table[mark])

    def _told_tools(self) -> Iterable[tuple[str, Mapping[str, Any]]]:
        for service, manifest in self.manifests.items():
            yield from ((service, told) for told in manifest["tools"])


class Catalogs:
    """The catalogue of this process, complete once every service has been up."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._found: dict[str, Mapping[str, Any]] = {}
        self._complete: Catalog | None = None

    @property
    def missing(self) -> list[str]:
        """Services that have not told of themselves yet."""
        return [service for service in self._gateway.services if service not in self._found]

    @property
    def known(self) -> Catalog:
        """What is known so far; complete when nothing is missing."""
        return self._complete or Catalog([self._found[s] for s in self._gateway.services if s in self._found])

    async def complete(self) -> Catalog:
        """Return the whole catalogue, asking those services that were not up before.

        Raises:
            Outage: One still does not answer.
        """
        if self._complete is None:
            await asyncio.gather(*(self.ask(service) for service in self.missing))
            self._complete = Catalog([self._found[service] for service in self._gateway.services])
        return self._complete

    async def keep_asking(self) -> None:
        """Ask until every service has answered."""
        while self._complete is None:
            try:
                await self.complete()
            except Outage as outage:
                log.info("waiting_for_a_service", reason=str(outage))
                await asyncio.sleep(RETRY_S)

    async def ask(self, service: str) -> None:
        """Ask a service to tell of itself, unless it did before.

        Raises:
            Outage: It does not answer, or is another than its address is said to be.
        """
        if service in self._found:
            return
        manifest = await self._gateway.manifest(service)
        if manifest["service"] != service:
            raise Outage(service, f"its address belongs to {manifest['service']}; correct COMPANYOS_SERVICES")
        self._found[service] = manifest


def _tool(service: str, told: Mapping[str, Any]) -> Tool:
    return Tool(
        name=told["name"],
        description=told["description"],
        parameters=told["parameters"],
        tick=told["tick"],
        service=service,
        operation=told["operation"],
        method=told["method"],
        path=told["path"],
        places=told["places"],
        instead=told["instead"],
    )
