"""Actions as agents spell them, read into one meaning, and strict JSON: what may be in them at all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 32
MAX_VALUES = 20_000
MAX_NAME = 200
INTEGERS = range(-(2**63), 2**63)

#: Under this app the orchestrator's own tools are called by their bare names.
OWN_APP = "orchestrator"


@dataclass(frozen=True)
class CallTool:
    """Call a tool with these arguments."""

    tool_name: str
    arguments: Mapping[str, Any]

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it, however it was spelled."""
        return {"type": "call_tool", "tool_name": self.tool_name, "arguments": dict(self.arguments)}


@dataclass(frozen=True)
class ListTools:
    """Ask for the tools there are."""

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it."""
        return {"type": "list_tools"}


Action = CallTool | ListTools


class ActionRefused(ValueError):
    """The value is not an action; `field` names the part at fault."""

    def __init__(self, detail: str, field: str | None = None) -> None:
        super().__init__(detail)
        self.field = field


def parse_action(value: Any) -> Action:
    """Return the action that a JSON value spells.

    Raises:
        ActionRefused: It is not an object of one of the three shapes, or not strict JSON.
    """
    if not isinstance(value, dict):
        raise ActionRefused("An action is a JSON object, for example " + _EXAMPLE + ".")
    check_json(value)
    _refuse_unknown(value, _fields(value))
    if value.get("type", "call_tool") == "list_tools":
        return ListTools()
    name, arguments = _named(value)
    return CallTool(name, arguments)


def check_json(value: Any) -> None:
    """Refuse what strict JSON cannot carry everywhere: NaN, wide integers, lone surrogates, endless depth.

    Raises:
        ActionRefused: Naming the place.
    """
    for count, (path, item) in enumerate(_walk(value)):
        if len(path) > MAX_DEPTH:
            raise ActionRefused(f"An action is nested at most {MAX_DEPTH} levels deep.", _spelled(path))
        if count >= MAX_VALUES:
            raise ActionRefused(f"An action holds at most {MAX_VALUES} values.", _spelled(path))
        if (wrong := _not_strict(item)) is not None:
            place = _spelled(path)
            raise ActionRefused(f"{place or 'The action'} {wrong}.", place)


_EXAMPLE = '{"tool_name": "…", "arguments": {…}}'
_SHAPES: Mapping[str, frozenset[str]] = {
    "call_tool": frozenset({"type", "tool_name", "arguments", "metadata"}),
    "app": frozenset({"type", "app", "method", "params", "metadata"}),
    "list_tools": frozenset({"type", "metadata"}),
}


def _fields(value: Mapping[str, Any]) -> frozenset[str]:
    kind = value.get("type", "call_tool")
    if kind not in ("call_tool", "list_tools"):
        raise ActionRefused("An action's type is 'call_tool' or 'list_tools'.", "type")
    return _SHAPES["app" if kind == "call_tool" and "app" in value else str(kind)]


def _refuse_unknown(value: Mapping[str, Any], fields: frozenset[str]) -> None:
    unknown = sorted(key for key in value if key not in fields)
    if unknown:
        known = ", ".join(sorted(fields))
        raise ActionRefused(
            f"An action like this one has no field {unknown[0]!r}; it has {known}.", unknown[0]
        )


def _named(value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if "app" not in value:
        return _text(value, "tool_name"), _object(value, "arguments")
    app, method = _text(value, "app"), _text(value, "method")
    return method if app == OWN_APP else f"{app}_{method}", _object(value, "params")


def _text(value: Mapping[str, Any], field: str) -> str:
    text = value.get(field)
    if not isinstance(text, str) or not 0 < len(text) <= MAX_NAME:
        raise ActionRefused(f"{field} is a text of 1 to {MAX_NAME} characters.", field)
    return text


def _object(value: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    found = value.get(field)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ActionRefused(f"{field} is a JSON object with the tool's arguments.", field)
    return found


def _walk(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield (path, value) of everything in a JSON value; a stack of its own, so depth cannot hurt."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        yield path, item
        if isinstance(item, dict):
            waiting.extend(((*path, key), inner) for key, inner in item.items())
        elif isinstance(item, list):
            waiting.extend(((*path, number), inner) for number, inner in enumerate(item))


def _spelled(path: tuple[Any, ...]) -> str:
    return ".".join(key if isinstance(key, str) and not _surrogates(key) else repr(key) for key in path)


def _not_strict(item: Any) -> str | None:
    match item:
        case None | bool() | list():
            return None
        case str():
            return "is not valid Unicode text" if _surrogates(item) else None
        case int():
            return None if item in INTEGERS else "is a whole number beyond 64 bits"
        case float():
            return None if math.isfinite(item) else "is not a finite number"
        case dict():
            bad = any(not isinstance(key, str) or _surrogates(key) for key in item)
            return "has a key that is not valid Unicode text" if bad else None
    return "is not JSON"


def _surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
