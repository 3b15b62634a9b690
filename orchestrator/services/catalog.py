"""The catalog: tools, events and tables, combined from the services' manifests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import structlog

from ..agent.tools import OWN_TOOLS, Tool
from ..agent.toolsets import Toolset, Toolsets
from ..protocol.problems import Outage
from .gateway import Gateway

RETRY_S = 0.5

log = structlog.get_logger(__name__)


class Catalog:
    """Every tool by name, and the consumers of each event.

    Attributes:
        tools: Every tool.
        toolsets: The toolsets for episodes.

    Args:
        manifests: One per service, in the order of the settings.
    """

    def __init__(self, manifests: Sequence[Mapping[str, Any]]) -> None:
        self.manifests = {str(manifest["service"]): manifest for manifest in manifests}
        tools = [_tool(service, tool) for service, tool in self._declared_tools()]
        self.tools = {tool.name: tool for tool in (*tools, *OWN_TOOLS)}
        self.toolsets = Toolsets(self.tools)
        self._consumers: dict[str, list[str]] = {}
        for service in sorted(self.manifests):
            for name in self.manifests[service]["consumes"]:
                self._consumers.setdefault(name, []).append(service)

    @property
    def services(self) -> list[str]:
        """Names of the services."""
        return list(self.manifests)

    def consumers(self, event_name: str) -> Sequence[str]:
        """Return the services that consume events of a name, sorted."""
        return self._consumers.get(event_name, ())

    @cached_property
    def everything(self) -> Toolset:
        """All tools, for episodes without a choice of tools."""
        return Toolset(self.tools)

    @property
    def cards(self) -> list[dict[str, Any]]:
        """All tools as OpenEnv lists them."""
        return self.everything.cards

    @cached_property
    def refusal_statuses(self) -> dict[str, int]:
        """The HTTP status of every refusal of the services, by its code."""
        errors = (error for manifest in self.manifests.values() for error in manifest["errors"])
        return {error["code"]: error["status"] for error in errors}

    @cached_property
    def journals(self) -> frozenset[tuple[str, str]]:
        """The append-only tables of all services, as (service, table)."""
        return frozenset(self._tables("journal"))

    @cached_property
    def maintained(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """The columns that services maintain themselves, by (service, table)."""
        return {
            (service, table["name"]): frozenset(table["maintained"])
            for service, manifest in self.manifests.items()
            for table in manifest["tables"]
        }

    @cached_property
    def hidden(self) -> frozenset[tuple[str, str]]:
        """The tables that no tool may show, as (service, table)."""
        return frozenset(self._tables("hidden"))

    def tables(self, service: str) -> list[str]:
        """Return the tables of a service that its tools may show."""
        declared = self.manifests[service]["tables"]
        return [table["name"] for table in declared if not table["hidden"]]

    def _tables(self, mark: str) -> Iterable[tuple[str, str]]:
        for service, manifest in self.manifests.items():
            yield from ((service, table["name"]) for table in manifest["tables"] if table[mark])

    def _declared_tools(self) -> Iterable[tuple[str, Mapping[str, Any]]]:
        for service, manifest in self.manifests.items():
            yield from ((service, tool) for tool in manifest["tools"])


class Catalogs:
    """The catalog of this process, complete once every service has been reached."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._found: dict[str, Mapping[str, Any]] = {}
        self._complete: Catalog | None = None

    @property
    def missing(self) -> list[str]:
        """Services whose manifest is still missing."""
        return [service for service in self._gateway.services if service not in self._found]

    @property
    def known(self) -> Catalog:
        """The catalog so far; complete when nothing is missing."""
        return self._complete or Catalog([self._found[s] for s in self._gateway.services if s in self._found])

    async def complete(self) -> Catalog:
        """Return the complete catalog, asking services for missing manifests.

        Raises:
            Outage: A service still does not answer.
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
        """Ask a service for its manifest, unless it is known.

        Raises:
            Outage: It does not answer, or another service is at its address.
        """
        if service in self._found:
            return
        manifest = await self._gateway.manifest(service)
        if manifest["service"] != service:
            raise Outage(service, f"its address belongs to {manifest['service']}; correct COMPANYOS_SERVICES")
        self._found[service] = manifest


def _tool(service: str, declared: Mapping[str, Any]) -> Tool:
    return Tool(
        name=declared["name"],
        description=declared["description"],
        parameters=declared["parameters"],
        tick=declared["tick"],
        service=service,
        operation=declared["operation"],
        method=declared["method"],
        path=declared["path"],
        places=declared["places"],
        instead=declared["instead"],
        status=declared.get("status", 200),
        returns=declared.get("returns", {}),
    )
