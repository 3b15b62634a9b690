"""The site: which tool is a page and which a form, and where each leads. It follows from paths, schemas and layouts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, Final
from urllib.parse import urlencode

from ....agent.tools import FINISH, GET_OPERATION, REFUSE, SERVICE_HEALTH, Tool
from ....services.catalog import Catalog
from .fields import label_of
from .wording import labels_of

#: The orchestrator's own tools that show something and change nothing.
_OWN_PAGES: Final = (GET_OPERATION.name, SERVICE_HEALTH.name)
#: What people call the orchestrator's own tools, where that is not their name.
_OWN_TITLES: Final[Mapping[str, str]] = {
    FINISH.name: "Hand in",
    REFUSE.name: "Report as impossible",
    GET_OPERATION.name: "Operation",
}
#: What the names of operations that list or read objects begin with.
_READS: Final = re.compile("^(list|get)_")
#: What the names of operations that show something begin with. Some are posted, because to have read it is recorded.
_SHOWS: Final = re.compile("^(list|get|query|find)_")

#: What names an object: an id, a person's id, or a name that a program gave.
_NAME: Final = re.compile(r"[A-Z]+-[0-9]+|[a-z][a-z-]*\.[a-z][a-z-]*[0-9]*|[a-z0-9]+(_[a-z0-9]+)+")
#: A kind of object: the service, and the parameter that takes its id.
Kind = tuple[str, str]


@dataclass(frozen=True)
class Layout:
    """How a tool's page looks, as its service's manifest says; empty parts follow from paths and schemas."""

    operation: str = ""
    title: str = ""
    columns: Sequence[str] = ()
    opens: str = ""
    heading: str = ""
    text: str = ""
    actions: Sequence[str] = ()
    ids: str = ""
    fields: Sequence[str] = ()
    parts: Sequence[str] = ()
    measure: Sequence[str] = ()
    main_actions: Mapping[str, str] = field(default_factory=dict)
    asks_first: bool = False
    menu: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def names(self, name: str) -> bool:
        """Whether a field of this name holds the id of one of its objects."""
        return any(name.endswith(each[1:]) if each[:1] == "*" else name == each for each in self.fields)

    def main_action(self, status: Any) -> str | None:
        """Return the operation that is usually next for an object in a status, or None."""
        if self.main_actions:
            return self.main_actions.get(str(status))
        return next(iter(self.actions), None)


@dataclass(frozen=True)
class MenuEntry:
    """An entry of a service's menu: what it is called, and the call that it leads to."""

    title: str
    tool: Tool
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The address of its page."""
        return href(self.tool, self.values)


class Site:
    """The pages of a catalog.

    Attributes:
        services: The titles of the services, by name.
        about: What each service is for, by name.
        labels: What pages call arguments, fields and options, by the names that programs know.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.services = {name: str(manifest["title"]) for name, manifest in catalog.manifests.items()}
        self.about = {name: str(manifest["summary"]) for name, manifest in catalog.manifests.items()}
        self.labels = labels_of(catalog.tools.values())
        self._tools = catalog.tools
        self._layouts = {
            f"{service}_{layout['operation']}": Layout(**layout)
            for service, manifest in catalog.manifests.items()
            for layout in manifest.get("pages", ())
        }
        self._of_kind: dict[Kind, list[Tool]] = {}
        for tool in sorted(catalog.tools.values(), key=lambda tool: tool.path.count("/")):
            if tool.service and (parameter := parameter_of(tool)):
                self._of_kind.setdefault((tool.service, parameter), []).append(tool)
        self._opened = {tool.name: self._reading_rows_of(tool) for tool in catalog.tools.values()}
        held = [name for layout in self._layouts.values() for name in layout.fields]
        self._held = frozenset(held), tuple(name[1:] for name in held if name.startswith("*"))

    def tool(self, name: str) -> Tool | None:
        """Return a service's tool by its name, offered or not."""
        return self._tools.get(name)

    def layout(self, tool: Tool) -> Layout:
        """Return a tool's layout; empty if its service brings none."""
        return self._layouts.get(tool.name, Layout())

    def title(self, tool: Tool) -> str:
        """Return what a tool's page or form is called."""
        named = self.layout(tool).title or _OWN_TITLES.get(tool.name)
        return named or label_of(_READS.sub("", tool.operation or tool.name))

    def is_asked(self, tool: Tool, values: Collection[str]) -> bool:
        """Whether an address with values for these arguments is a call of the tool; otherwise it is an empty form."""
        return set(tool.requires) <= set(values) and bool(values or not self.layout(tool).asks_first)

    def menu(self, service: str, offered: Mapping[str, Tool]) -> list[MenuEntry]:
        """Return the lists and searches of a service, those with a layout first, in its order."""
        return [
            entry
            for tool in self._lists(service, offered)
            for entry in (
                MenuEntry(self.title(tool), tool),
                *(MenuEntry(title, tool, values) for title, values in self.layout(tool).menu.items()),
            )
        ]

    def _lists(self, service: str, offered: Mapping[str, Tool]) -> list[Tool]:
        order = list(self._layouts)
        found = [
            tool
            for tool in offered.values()
            if tool.service == service and tool.reads and not parameter_of(tool)
        ]
        return sorted(found, key=lambda tool: order.index(tool.name) if tool.name in order else len(order))

    def others(self, service: str, offered: Mapping[str, Tool]) -> list[Tool]:
        """Return the tools of a service that its menu does not show."""
        listed = self._lists(service, offered)
        return [tool for tool in offered.values() if tool.service == service and tool not in listed]

    def creating(self, tool: Tool, offered: Mapping[str, Tool]) -> list[Tool]:
        """Return the forms that add to a list."""
        beside = (each for each in offered.values() if (each.service, each.path) == (tool.service, tool.path))
        return [each for each in beside if tool.reads and not each.reads and not parameter_of(each)]

    def page_of_rows(self, tool: Tool) -> Tool | None:
        """Return the tool that a row of a list leads to, or None."""
        return self._opened.get(tool.name)

    def _reading_rows_of(self, tool: Tool) -> Tool | None:
        if operation := self.layout(tool).opens:
            return self._tools[f"{tool.service}_{operation}"]
        below = (
            other
            for tools in self._of_kind.values()
            for other in tools
            if other.service == tool.service and other.reads and other.path.rpartition("/")[0] == tool.path
        )
        return next(below, None)

    def list_above(self, tool: Tool) -> Tool | None:
        """Return the list that has the object that a tool shows; None if it shows none, or there is none."""
        lists = (each for each in self._tools.values() if each.reads and not parameter_of(each))
        return next((each for each in lists if self.page_of_rows(each) is tool), None)

    def beside(self, tool: Tool, offered: Collection[str]) -> tuple[list[Tool], list[Tool]]:
        """Return the other pages and the forms about the same object."""
        others = [other for other in self._beside(tool) if other.name in offered and other is not tool]
        return [other for other in others if is_page(other)], [
            other for other in others if not is_page(other)
        ]

    def subject(self, tool: Tool) -> Tool | None:
        """Return the tool that shows the object that a call is about, or that it adds; None if it is about none."""
        if parameter_of(tool):
            return self._showing((tool.service, str(parameter_of(tool))))
        lists = (
            each for each in self._tools.values() if (each.service, each.path) == (tool.service, tool.path)
        )
        return next((opened for each in lists if each.reads and (opened := self.page_of_rows(each))), None)

    def link(self, service: str, name: str, value: Any, offered: Collection[str]) -> str | None:
        """Return the address of the object that a field names, or None.

        Args:
            service: The service whose result has the field.
            name: The field.
            value: Its value.
            offered: The names of the agent's tools.
        """
        if not isinstance(value, str) or not value:
            return None
        kinds = ((each, name) for each in (service, *self.services))
        named = (tool for kind in kinds if (tool := self._showing(kind))) if name.endswith("_id") else ()
        prefixed = (
            self._tools[tool]
            for tool, layout in self._layouts.items()
            if layout.ids and value.startswith(layout.ids) and value.removeprefix(layout.ids).isalnum()
        )
        held = (
            self._tools[tool]
            for tool, layout in self._layouts.items()
            if layout.names(name) and _NAME.fullmatch(value) and parameter_of(self._tools[tool])
        )
        tool = next((tool for tool in chain(named, prefixed, held) if tool.name in offered), None)
        return None if tool is None else href(tool, {str(parameter_of(tool)): value})

    def is_name(self, name: str) -> bool:
        """Whether a field of this name holds the id of an object that a layout names so."""
        names, endings = self._held
        return name in names or name.endswith(endings)

    def chooser(self, service: str, argument: str, offered: Mapping[str, Tool]) -> Tool | None:
        """Return the list whose rows an argument of a service's tool takes the ids of, or None."""
        kind = argument.removesuffix("s") if argument.endswith("_ids") else argument
        for tool in offered.values():
            if not tool.service or not tool.reads or parameter_of(tool):
                continue
            opened = self.page_of_rows(tool)
            takes = None if opened is None else parameter_of(opened)
            is_kind = takes == kind and (kind.endswith("_id") or tool.service == service)
            if is_kind or any(self.layout(each).names(argument) for each in (tool, opened) if each):
                return tool
        return None

    def _showing(self, kind: Kind) -> Tool | None:
        """Return the tool that shows objects of a kind: the one laid out for them, or the one that reads them."""
        tools = self._of_kind.get(kind, ())
        laid_out = (tool for tool in tools if self.layout(tool).ids)
        reading = [tool for tool in tools if tool.reads and tool.path.endswith(f"/{{{kind[1]}}}")]
        named = (tool for tool in reading if self.layout(tool).heading)
        return next(chain(laid_out, named, reading), None)

    def _beside(self, tool: Tool | None) -> Sequence[Tool]:
        if tool is None or not (parameter := parameter_of(tool)):
            return ()
        return self._of_kind.get((tool.service, parameter), ())


@lru_cache(maxsize=4)
def site_of(catalog: Catalog) -> Site:
    """Return the site of a catalog, laid out once."""
    return Site(catalog)


def is_page(tool: Tool) -> bool:
    """Whether looking at a tool's page is its call; otherwise the page is a form that calls it."""
    return tool.reads or tool.name in _OWN_PAGES or _SHOWS.match(tool.operation) is not None


def path_of(tool: Tool) -> list[str]:
    """Return the parameters in a tool's path, in order."""
    return [part[1:-1] for part in tool.path.split("/") if part.startswith("{")]


def parameter_of(tool: Tool) -> str | None:
    """Return the parameter that takes the id of a tool's object, or None if it needs none."""
    return next(iter(path_of(tool)), None)


def href(tool: Tool, values: Mapping[str, Any]) -> str:
    """Return the relative address of a tool's page or form with these values."""
    query = urlencode({name: str(value) for name, value in values.items() if value not in (None, "")})
    return f"{tool.name}?{query}" if query else tool.name
