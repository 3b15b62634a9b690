"""Reads a tool call from a dictionary or object: an action, or a call as OpenAI, Anthropic, MCP or a library has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from .relaxed_json import relaxed_arguments

_OWN_NAMES: Final = ("tool_name", "app", "method")
#: Fields in which programs name the tool of a call: OpenAI and others, LangChain and models, Inspect, Vercel AI, DSPy.
_NAMES: Final = ("tool_name", "name", "tool", "function", "toolName", "next_tool_name")
#: Field names that chat libraries and models use for the arguments of a call.
ARGUMENTS: Final = (
    *("arguments", "input", "args", "parameters", "params"),
    *("tool_input", "tool_args", "tool_kwargs", "action_input", "next_tool_args"),
)
#: Fields that hold a call: of OpenAI, Gemini and Bedrock, and as models write it.
_HOLDERS: Final = ("function", "function_call", "functionCall", "toolUse", "tool_call")
#: Types of the parts of a message that are calls: of Anthropic, Vercel AI, Pydantic AI, LangChain and OpenAI.
_PARTS: Final = ("tool_use", "tool-call", "tool_call", "function_call")
#: Types of the parts of a message that are not said.
_UNSAID: Final = ("thinking", "redacted_thinking", "reasoning")


def call_of(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the action in a dictionary; None if it holds no call, or more than one."""
    if found.get("method") == "tools/call" and isinstance(found.get("params"), Mapping):
        return call_of(found["params"])
    if isinstance(name := found.get("tool_name"), str) and name and _has_other_arguments(found):
        return {"tool_name": name, "arguments": _arguments_of(found)}
    if any(isinstance(found.get(part), str) and found[part] for part in _OWN_NAMES) or _is_other_action(
        found
    ):
        return {**found, **({"arguments": _arguments_of(found)} if "arguments" in found else {})}
    calls = calls_of(found)
    if calls:
        only = mapping_of(calls[0])
        return call_of(only) if len(calls) == 1 and only is not None else None
    call = _held(found)
    name = _name_in(call)
    return None if name is None else {"tool_name": name, "arguments": _arguments_of(call)}


def calls_of(message: Mapping[str, Any]) -> list[Any]:
    """Return the native calls of a message in the format of an endpoint or of a chat library."""
    calls = message.get("tool_calls")
    if isinstance(calls, list | Mapping) and calls:
        return calls if isinstance(calls, list) else [calls]
    if isinstance(message.get("function_call"), Mapping):
        return [message["function_call"]]
    return [part for part in _parts_of(message) if _is_call_part(part)]


def text_of(message: Mapping[str, Any]) -> str | None:
    """Return what a message says, without its reasoning; None if it is no message."""
    content = message.get("content")
    if "role" not in message and message.get("type") != "ai":
        return None
    if isinstance(content, Mapping) and content and not {"type", "text"} & set(content):
        # A server that was told to answer in JSON, and parsed it.
        return json.dumps(content)
    if isinstance(content, str | Mapping):
        return content if isinstance(content, str) else _said_in(content)
    several = content if isinstance(content, list) else _parts_of(message)
    return "".join(each if isinstance(each, str) else _said_in(mapping_of(each) or {}) for each in several)


def reasoning_of(message: Mapping[str, Any]) -> str:
    """Return what the parts of a message reason; nothing if it has none that do."""
    return "\n\n".join(filter(None, (_reasoned_in(part) for part in _parts_of(message) if _is_unsaid(part))))


def message_in(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message in the response of an endpoint, or what is given if it is none with exactly one."""
    if "role" in response or call_of(response) is not None:
        return response
    for part in ("choices", "candidates"):
        if isinstance(several := response.get(part), list):
            only = mapping_of(several[0]) if len(several) == 1 else None
            return response if only is None else message_in(only)
    inner = (response.get(part) for part in ("message", "output", "content"))
    return next((message_in(each) for each in inner if isinstance(each, Mapping)), response)


def is_call(found: Mapping[str, Any]) -> bool:
    """Return whether a dictionary within other text is meant as a call, and is no data or definition of a tool."""
    if isinstance(found.get("tool_name"), str) or {"app", "method"} <= set(found) or found.get("tool_calls"):
        return True
    call = _held(found)
    return _name_in(call) is not None and any(part in call for part in ARGUMENTS)


def _held(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the call that a dictionary holds, or the dictionary."""
    held = (
        mapping_of(found[part]) for part in _HOLDERS if part in found and not isinstance(found[part], str)
    )
    return next((each for each in held if each is not None), found)


def _name_in(call: Mapping[str, Any]) -> str | None:
    """Return the tool that a call names; None for the definition of one, and for two names."""
    parameters = call.get("parameters")
    if isinstance(parameters, Mapping) and parameters.get("type") == "object" and "arguments" not in call:
        return None
    # Data has actions, too.
    fields = (*_NAMES, "action") if "action_input" in call else _NAMES
    names = {call[part] for part in fields if isinstance(call.get(part), str) and call[part]}
    is_named = "name" in call or any(part in call for part in ARGUMENTS)
    return names.pop() if len(names) == 1 and is_named else None


def _parts_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    several = next(
        (found for part in ("content", "parts", "output") if isinstance(found := message.get(part), list)), []
    )
    return [found for each in several if (found := mapping_of(each)) is not None]


def _said_in(part: Mapping[str, Any]) -> str:
    text = "" if _is_unsaid(part) else part.get("text")
    return text if isinstance(text, str) else ""


def _reasoned_in(part: Mapping[str, Any]) -> str:
    found = part.get("thinking") or part.get("text")
    if isinstance(found, list):
        return "".join(_said_in(each) for each in found if isinstance(each, Mapping))
    return found if isinstance(found, str) else ""


def _is_unsaid(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _UNSAID or bool(part.get("thought"))


def _is_call_part(part: Mapping[str, Any]) -> bool:
    is_typed = part.get("type") in _PARTS or part.get("part_kind") in _PARTS
    return is_typed or any(isinstance(part.get(holder), Mapping) for holder in _HOLDERS)


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
    """Return a call's arguments, read if they are text near JSON; endpoints write none as null or as an empty text."""
    arguments = next((call[part] for part in ARGUMENTS if part in call), None)
    if isinstance(arguments, str):
        return relaxed_arguments(arguments) if arguments.strip() else {}
    return {} if arguments is None else arguments


def _is_other_action(found: Mapping[str, Any]) -> bool:
    match found.get("type"):
        case "list_tools" | "abandon":
            return set(found) <= {"type", "metadata"}
        case "invalid":
            return isinstance(found.get("raw"), str) and set(found) <= {"type", "raw", "metadata"}
    return False
