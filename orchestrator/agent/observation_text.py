"""Observations as text: results, refusals and the passing of time, compact and complete.

An agent that reads only the text and one that reads only `result` know the same and need the same calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

#: Most characters of a list in one observation.
BUDGET = 24_000
#: A longer list or object gets its own lines.
LONGEST_INLINE = 60

_INDENT = "  "
_WORDS = {None: "null", True: "true", False: "false"}


def result_text(value: Any) -> str:
    """Return a JSON value as readable text, which says all that the value says.

    Objects become lines of `name: value`. Text of several lines becomes an indented block, and an object in a
    list becomes one line.
    """
    return "\n".join(_lines(value, ""))


def within_budget(value: Any, budget: int = BUDGET) -> Any:
    """Return a result without the items of a page that would exceed the budget, and with the cursor for the rest.

    Pages are all that is ever shortened, because only their rest can be asked for.
    """
    if not _is_page(value):
        return value
    items, used = value["items"], 0
    for shown, item in enumerate(items):
        used += len(compact(item)) + len(_INDENT) + len("- \n")
        if used > budget and shown:
            return {**value, "items": items[:shown], "next_cursor": items[shown - 1]["id"]}
    return value


def rest_text(tool: str, page: Mapping[str, Any]) -> str:
    """Return a line that says how to get the rest of a page that was shortened."""
    shown, cursor = len(page["items"]), page["next_cursor"]
    of_all = f" of {page['total']}" if "total" in page else ""
    return f"[{shown}{of_all} items shown; call {tool} again with cursor={cursor} for those that follow]"


def refusal_text(code: str, message: str, facts: Mapping[str, Any] | None = None) -> str:
    """Return a refusal as text, with the facts that its message does not contain."""
    return "\n".join([f"Refused ({code}): {message}", *_untold(message, facts or {})])


def failure_text(code: str, message: str) -> str:
    """Return a failed exchange as text."""
    return f"Failed ({code}): {message}"


def tools_text(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the tools as text, a line each: how to call it, and the first sentence of its description."""
    return "\n".join(f"{tool['name']}({_signature(tool)}): {_first_sentence(tool)}" for tool in tools)


def conversation_text(exchanges: Sequence[Mapping[str, Any]]) -> str:
    """Return what was done before an episode's start as text: each action, and what it led to."""
    paragraphs = [f"> {_action_text(one['action'])}\n{one['observation']['text']}" for one in exchanges]
    return "\n\n".join(["What has been done so far:", *paragraphs])


def _action_text(action: Mapping[str, Any]) -> str:
    if "tool_name" not in action:
        return compact(action)
    return f"{action['tool_name']}({compact(action.get('arguments') or {})[1:-1]})"


def compact(value: Any) -> str:
    """Return a JSON value on one line, without quotes where they are not needed."""
    # Every value of a long list passes through here. Its type is the cheapest test and settles most values.
    kind = type(value)
    if kind is str:
        return value if value and value.isprintable() and value == value.strip() else _json(value)
    if kind is dict:
        return "{" + ", ".join([f"{name}: {compact(inner)}" for name, inner in value.items()]) + "}"
    if kind is list:
        return "[" + ", ".join([compact(inner) for inner in value]) + "]"
    return _WORDS[value] if value is None or kind is bool else _json(value)


def _lines(value: Any, indent: str) -> Sequence[str]:
    match value:
        case dict() if value:
            return [line for name, inner in value.items() for line in _field(str(name), inner, indent)]
        case list() if value:
            return [f"{indent}- {compact(item)}" for item in value]
    return [indent + compact(value)]


def _field(name: str, value: Any, indent: str) -> Sequence[str]:
    if isinstance(value, str) and "\n" in value and value.replace("\n", "").isprintable():
        return [f"{indent}{name}:", *(f"{indent}{_INDENT}{line}" for line in value.split("\n"))]
    if not _begins_long(value):
        short = compact(value)
        if len(short) <= LONGEST_INLINE or not isinstance(value, dict | list):
            return [f"{indent}{name}: {short}"]
    return [f"{indent}{name}:", *_lines(value, indent + _INDENT)]


def _begins_long(value: Any) -> bool:
    """Return whether the first item makes a list too long for one line, without rendering the others."""
    return isinstance(value, list) and len(value) > 1 and len(compact(value[0])) > LONGEST_INLINE


def _is_page(value: Any) -> bool:
    if not isinstance(value, dict) or "next_cursor" not in value:
        return False
    items = value.get("items")
    if not isinstance(items, list) or not items:
        return False
    return all(isinstance(item, dict) and item.get("id") for item in items)


def _untold(message: str, facts: Mapping[str, Any]) -> Sequence[str]:
    return [f"{name}: {compact(value)}" for name, value in facts.items() if not _tells(message, value)]


def _tells(message: str, value: Any) -> bool:
    if isinstance(value, list):
        return all(_tells(message, inner) for inner in value)
    return (value if isinstance(value, str) else _json(value)) in message


def _first_sentence(tool: Mapping[str, Any]) -> str:
    first, end, _ = str(tool["description"]).partition(". ")
    return first + end.strip()


def _signature(tool: Mapping[str, Any]) -> str:
    schema = tool["input_schema"]
    required = schema.get("required", ())
    optional = [f"{name}?" for name in schema["properties"] if name not in required]
    return ", ".join([*required, *optional])


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
