"""Reads a tool call from a dictionary or object: an action, or a call as OpenAI, Anthropic, MCP or a library has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_NAMES: Final = ("tool_name", "app", "method")
#: Field names that chat libraries and models use for the arguments of a call whose tool is in `name`.
ARGUMENTS: Final = ("arguments", "input", "args", "parameters")


def call_of(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the action in a dictionary; None if it holds no call, or more than one."""
    if isinstance(name := found.get("tool_name"), str) and name and _has_other_arguments(found):
        return {"tool_name": name, "arguments": _arguments_of(found)}
    if any(isinstance(found.get(part), str) and found[part] for part in _NAMES) or _is_other_action(found):
        return dict(found)
    calls = calls_of(found)
    if calls:
        only = mapping_of(calls[0])
        return call_of(only) if len(calls) == 1 and only is not None else None
    inner = found.get("function")
    call = found if inner is None else mapping_of(inner) or {}
    name = call.get("name")
    if not isinstance(name, str) or not name:
        return None
    return {"tool_name": name, "arguments": _arguments_of(call)}


def calls_of(message: Mapping[str, Any]) -> list[Any]:
    """Return the native calls of a message in OpenAI's or Anthropic's format."""
    calls, content = message.get("tool_calls"), message.get("content")
    if isinstance(calls, list) and calls:
        return calls
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, Mapping) and block.get("type") == "tool_use"]


def is_call(found: Mapping[str, Any]) -> bool:
    """Return whether a dictionary within other text is meant as a call, and is no data or definition of a tool."""
    if isinstance(found.get("tool_name"), str) or {"app", "method"} <= set(found) or found.get("tool_calls"):
        return True
    call = found.get("function", found)
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        return False
    parameters = call.get("parameters")
    is_definition = isinstance(parameters, Mapping) and parameters.get("type") == "object"
    return not is_definition and any(part in call for part in ARGUMENTS)


def mapping_of(output: Any) -> Mapping[str, Any] | None:
    """Return a mapping, or a chat library's object as one; None if it is neither."""
    if isinstance(output, Mapping):
        return output
    for method in ("model_dump", "to_dict", "dict"):
        if callable(dump := getattr(output, method, None)):
            found = dump()
            return found if isinstance(found, Mapping) else None
    return vars(output) if hasattr(output, "__dict__") and not isinstance(output, type) else None


def _has_other_arguments(action: Mapping[str, Any]) -> bool:
    """Return whether an action has its arguments under a name that some models use, and not under ours."""
    return "arguments" not in action and any(part in action for part in ARGUMENTS)


def _arguments_of(call: Mapping[str, Any]) -> Any:
    """Return a call's arguments; endpoints write none as null or as an empty text."""
    arguments = next((call[part] for part in ARGUMENTS if part in call), None)
    is_blank = isinstance(arguments, str) and not arguments.strip()
    return {} if arguments is None or is_blank else arguments


def _is_other_action(found: Mapping[str, Any]) -> bool:
    match found.get("type"):
        case "list_tools" | "abandon":
            return set(found) <= {"type", "metadata"}
        case "invalid":
            return isinstance(found.get("raw"), str) and set(found) <= {"type", "raw", "metadata"}
    return False
