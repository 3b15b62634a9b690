"""What an agent reads: results, refusals and the passing of time as compact text within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

BUDGET = 4000
#: A list or object longer than this gets lines of its own.
LONGEST_INLINE = 60

_INDENT = "  "
_WORDS = {None: "null", True: "true", False: "false"}


def result_text(value: Any, budget: int = BUDGET) -> str:
    """Return a JSON value as readable text of at most `budget` characters.

    Objects are lines of `name: value`, objects in lists are one line each. What does not fit is left out from the
    end, whole lines at a time, and the last line says how much.
    """
    return fitted(list(_lines(value, "")), budget)


def fitted(lines: Sequence[str], budget: int = BUDGET) -> str:
    """Return as many of the lines as fit, and say what was left out."""
    text = "\n".join(lines)
    if len(text) <= budget:
        return text
    room = max(0, budget - 1 - len(_left_out(len(lines), len(text))))
    kept, used = 0, 0
    while used + len(lines[kept]) + 1 <= room:
        used += len(lines[kept]) + 1
        kept += 1
    if kept:
        return "\n".join([*lines[:kept], _left_out(len(lines) - kept, len(text) - used)])
    return f"{lines[0][:room]}\n{_left_out(len(lines), len(text) - room)}"


def refusal_text(code: str, message: str) -> str:
    """Return a refusal as an agent reads it."""
    return f"Refused ({code}): {message}"


def failure_text(code: str, message: str) -> str:
    """Return a failure on the way as an agent reads it."""
    return f"Failed ({code}): {message}"


def tools_text(tools: Sequence[Mapping[str, Any]], budget: int = BUDGET) -> str:
    """Return the tools there are, a line each."""
    return fitted([f"{tool['name']}({_signature(tool)}): {tool['description']}" for tool in tools], budget)


def compact(value: Any) -> str:
    """Return a JSON value on one line, without quotes where nothing is lost."""
    # Every value of a long list passes here: what most of them are is told by type, which is the cheapest to ask.
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
    short = compact(value)
    if len(short) <= LONGEST_INLINE or not isinstance(value, dict | list):
        return [f"{indent}{name}: {short}"]
    return [f"{indent}{name}:", *_lines(value, indent + _INDENT)]


def _signature(tool: Mapping[str, Any]) -> str:
    schema = tool["input_schema"]
    required = schema.get("required", ())
    optional = [f"{name}?" for name in schema["properties"] if name not in required]
    return ", ".join([*required, *optional])


def _left_out(lines: int, characters: int) -> str:
    return f"[left out here: {lines} lines, {characters} characters; the whole is in `result`]"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
