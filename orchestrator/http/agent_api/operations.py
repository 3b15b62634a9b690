"""The REST operations of the agent API: the services' own, found by method and path and run as tool calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from companyos.chassis.web.http import unquoted

from ...agent.tools import Tool
from ...services.catalog import Catalog

_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,19})?")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Operation:
    """An operation that a request names.

    Attributes:
        tool: Its tool.
        path: The arguments in the path.
    """

    tool: Tool
    path: Mapping[str, str]


class Operations:
    """The operations of all services, by method and path."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._by_shape: dict[tuple[str, int], list[_Template]] = {}
        for tool in tools:
            if tool.service:
                template = _Template(tool, (tool.service, *tool.path.strip("/").split("/")))
                self._by_shape.setdefault((tool.method, len(template.segments)), []).append(template)
        for templates in self._by_shape.values():
            # A fixed segment takes precedence over a parameter that could have its value.
            templates.sort(key=lambda template: template.parameters)

    def find(self, method: str, raw_path: str) -> Operation | None:
        """Return the operation of a request, or None.

        Args:
            method: The request's method.
            raw_path: Its path, as sent. No operation's path contains `//`, `/./` or an encoded slash.
        """
        segments = raw_path[1:].split("/")
        for template in self._by_shape.get((method, len(segments)), ()):
            if (found := template.match(segments)) is not None:
                return Operation(template.tool, found)
        return None

    def methods(self, raw_path: str) -> list[str]:
        """Return the methods that a path accepts, sorted; none for an unknown path."""
        return sorted({method for method, _ in self._by_shape if self.find(method, raw_path)})


@dataclass(frozen=True)
class _Template:
    tool: Tool
    segments: Sequence[str]

    @property
    def parameters(self) -> int:
        return sum(segment.startswith("{") for segment in self.segments)

    def match(self, segments: Sequence[str]) -> dict[str, str] | None:
        found = {}
        for wanted, given in zip(self.segments, segments, strict=True):
            if wanted.startswith("{"):
                value = unquote(given)
                if value in ("", ".", "..") or "/" in value or "\\" in value:
                    return None
                found[wanted.strip("{}")] = value
            elif wanted != given:
                return None
        return found


@lru_cache(maxsize=4)
def operations_of(catalog: Catalog) -> Operations:
    """Return the operations of a catalog, indexed once."""
    return Operations(catalog.tools.values())


def arguments_of(
    operation: Operation, query: str, body: Mapping[str, Any], key: str | None
) -> dict[str, Any]:
    """Return the arguments of a call from its path, query, body and header.

    A value in the wrong place, such as a path parameter in the body, gets a name that no tool knows
    (`body.ticket_id`), so that the call is refused for an unknown argument.

    Args:
        operation: The operation.
        query: The query string.
        body: The JSON object in the body.
        key: The header `Idempotency-Key`, or None.
    """
    tool = operation.tool
    arguments: dict[str, Any] = dict(operation.path)
    for name, value in _query(query, tool):
        arguments[name if tool.places.get(name) in ("query", None) else f"query.{name}"] = value
    for name, value in body.items():
        arguments[name if tool.places.get(name) in ("body", None) else f"body.{name}"] = value
    if key is not None and "idempotency_key" in tool.places:
        arguments["idempotency_key"] = unquoted(key)
    return arguments


def _query(query: str, tool: Tool) -> Iterable[tuple[str, Any]]:
    pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
    times = Counter(name for name, _ in pairs)
    for name, text in pairs:
        if times[name] > 1:
            yield name, [other for same, other in pairs if same == name]
        else:
            yield name, _value(text, tool.parameters.get("properties", {}).get(name, {}))


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """Return text from a query converted to the type in its schema, or as it is if that fails."""
    types = {variant.get("type") for variant in schema.get("anyOf", [schema])}
    if "integer" in types and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in types and _NUMBER.fullmatch(text):
        return float(text)
    if "boolean" in types and text in _BOOLEANS:
        return _BOOLEANS[text]
    return text
