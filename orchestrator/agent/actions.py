"""Parses an agent's action: a call, a request for the tools, or an invalid call that costs a step.

Every action that names a tool is a step, even a misspelled one. Otherwise, a model could stall forever
without paying for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from ..protocol.strict_json import ActionRefused as ActionRefused
from ..protocol.strict_json import ActionTooLarge, RepeatedKey, check_json, read_json

MAX_NAME = 200
#: Most characters kept of a model's output that is not a call.
MAX_RAW = 20_000
#: Stands for bytes that are no text, and in front of a text that has such bytes.
NOT_TEXT = "\ufffd"

#: The app of the orchestrator's own tools, whose names have no prefix.
OWN_APP = "orchestrator"


@dataclass(frozen=True)
class CallTool:
    """A call to a tool with these arguments."""

    tool_name: str
    arguments: Mapping[str, Any]

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it, regardless of its spelling."""
        return {"type": "call_tool", "tool_name": self.tool_name, "arguments": dict(self.arguments)}


@dataclass(frozen=True)
class ListTools:
    """A request for the list of tools."""

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it."""
        return {"type": "list_tools"}


@dataclass(frozen=True)
class MalformedCall:
    """An invalid call that names a tool or part of one.

    Attributes:
        tool_name: The name of the tool, possibly incomplete.
        flaw: What is wrong, in words.
        spoken: The action as it was sent.
    """

    tool_name: str
    flaw: str
    spoken: Mapping[str, Any]

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it: as it was sent, so that it replays."""
        return dict(self.spoken)


@dataclass(frozen=True)
class NoCall:
    """Model output that is not a call, as reported by the harness."""

    raw: str

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it."""
        return {"type": "invalid", "raw": self.raw}


@dataclass(frozen=True)
class Abandon:
    """The end of a rollout whose agent will not act again, as reported by the harness."""

    @property
    def canonical(self) -> dict[str, Any]:
        """The action as the trace records it."""
        return {"type": "abandon"}


Action = CallTool | ListTools | MalformedCall | NoCall | Abandon


def parse_action(value: Any) -> Action:
    """Return the action in a JSON value.

    Raises:
        ActionRefused: It names no tool and is not another valid action, or it is not strict JSON.
    """
    if not isinstance(value, dict):
        raise ActionRefused("An action is a JSON object, for example " + _EXAMPLE + ".")
    names_a_tool = any(isinstance(value.get(part), str) and value[part] for part in _NAMES)
    try:
        check_json(value)
        return _call(value) if names_a_tool else _other(value)
    except ActionTooLarge as refused:
        if not names_a_tool:
            raise
        return _malformed_call(value, str(refused))
    except _Slip as slip:
        return _malformed_call(value, str(slip))


class _Slip(ValueError):
    """The action names a tool but is not a valid call."""


_EXAMPLE = '{"tool_name": "…", "arguments": {…}}'
_NAMES = ("tool_name", "app", "method")
_SHAPES: Mapping[str, tuple[str, ...]] = {
    "tool_name": ("type", "tool_name", "arguments", "metadata"),
    "app": ("type", "app", "method", "params", "metadata"),
    "list_tools": ("type", "metadata"),
    "abandon": ("type", "metadata"),
    "invalid": ("type", "raw", "metadata"),
}


def _other(value: Mapping[str, Any]) -> Action:
    """Return an action that names no tool."""
    kind = value.get("type", "call_tool")
    if kind == "call_tool":
        raise ActionRefused(f"tool_name is a text of 1 to {MAX_NAME} characters.", "tool_name")
    if kind not in ("list_tools", "abandon", "invalid"):
        raise ActionRefused("An action's type is 'call_tool', 'list_tools', 'abandon' or 'invalid'.", "type")
    known = _SHAPES[kind]
    if unknown := sorted(part for part in value if part not in known):
        raise ActionRefused(
            f"This action has no field {unknown[0]!r}; it has {', '.join(known)}.", unknown[0]
        )
    if kind == "list_tools":
        return ListTools()
    if kind == "abandon":
        return Abandon()
    raw = value.get("raw")
    if not isinstance(raw, str):
        raise ActionRefused("raw is a text: what the model said.", "raw")
    return NoCall(raw[:MAX_RAW])


def _call(value: Mapping[str, Any]) -> CallTool:
    parts = {part: inner for part, inner in value.items() if inner not in _NOTHING}
    if parts.get("type", "call_tool") != "call_tool":
        raise _Slip("type: a call's type is 'call_tool', and may be left out")
    known = _SHAPES["tool_name" if "tool_name" in parts else "app"]
    if unknown := sorted(part for part in parts if part not in known):
        raise _Slip(f"{unknown[0]}: a call has no such part; it has {', '.join(known)}")
    if "tool_name" in parts:
        return CallTool(_text(parts, "tool_name"), _arguments(parts, "arguments"))
    app, method = _text(parts, "app"), _text(parts, "method")
    return CallTool(method if app == OWN_APP else f"{app}_{method}", _arguments(parts, "params"))


#: Values that count as absent, because clients fill them in by default, and endpoints write no arguments as one.
_NOTHING: tuple[Any, ...] = (None, "", {})


def _text(parts: Mapping[str, Any], part: str) -> str:
    if part not in parts:
        raise _Slip(f"{part}: is required, a text of 1 to {MAX_NAME} characters")
    text = parts[part]
    if not isinstance(text, str):
        raise _Slip(f"{part}: must be a text of 1 to {MAX_NAME} characters")
    if len(text) > MAX_NAME:
        raise _Slip(f"{part}: has {len(text)} characters; a name has at most {MAX_NAME}")
    return text


def _arguments(parts: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    found = parts.get(part)
    for _ in range(2):  # some models and servers write the text of a JSON text
        if isinstance(found, str):
            found = _read(found, part) if found.strip() else None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise _Slip(f"{part}: must be a JSON object with the tool's arguments")
    return found


def _read(text: str, part: str) -> Any:
    """Return the value of arguments given as JSON text, as chat models send them."""
    try:
        found = read_json(text)
        check_json({part: found})
    except orjson.JSONDecodeError as error:
        flaw = "it has bytes that are not UTF-8, or U+0000" if text.startswith(NOT_TEXT) else error.msg
        raise _Slip(f"{part}: must be a JSON object; this text is not JSON ({flaw})") from None
    except RepeatedKey as error:
        raise _Slip(f"{part}: must have one reading. {error}") from None
    except ActionRefused as refused:
        raise _Slip(str(refused)) from None
    return found


def _malformed_call(value: Mapping[str, Any], flaw: str) -> MalformedCall:
    whole = value.get("tool_name") or "_".join(
        str(value[part]) for part in ("app", "method") if value.get(part)
    )
    spoken = {part: inner for part, inner in value.items() if part != "metadata"}
    return MalformedCall(str(whole)[:MAX_NAME], flaw.rstrip(".") + ".", spoken)
