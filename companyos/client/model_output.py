"""Parses model output into an action: a dictionary, JSON text, or a tool call as chat libraries return it.

Output that is not a call becomes `{"type": "invalid", "raw": …}`, which the server counts as a step and penalizes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

#: The server's limits on nesting and on the number of values.
MAX_DEPTH: Final = 30
MAX_VALUES: Final = 20_000
MAX_RAW: Final = 20_000

_NAMES: Final = ("tool_name", "app", "method")
#: Field names that chat libraries and models use for the arguments of a call whose tool is in `name`.
_ARGUMENTS: Final = ("arguments", "input", "args", "parameters")
_FENCED: Final = re.compile(r"\A\s*(?:```(?:json)?|<tool_call>)(.*?)(?:```|</tool_call>)\s*\Z", re.DOTALL)


def action_of(output: Any) -> dict[str, Any]:
    """Return the action in a model's output, or an invalid action that holds the output.

    Args:
        output: An action, a tool call in OpenAI, Anthropic or MCP format, a message that holds one, a chat library's
            object for any of these, or text.
    """
    action = _read(output)
    return action if action is not None and _travels(action) else {"type": "invalid", "raw": _raw(output)}


def _read(output: Any) -> dict[str, Any] | None:
    if isinstance(output, str):
        return _of_text(output)
    found = output if isinstance(output, Mapping) else _dumped(output)
    if found is None:
        return None
    if any(isinstance(found.get(part), str) and found[part] for part in _NAMES) or _is_other_action(found):
        return dict(found)
    return _of_call(found)


def _of_text(text: str) -> dict[str, Any] | None:
    fenced = _FENCED.fullmatch(text)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    return _read(found) if isinstance(found, dict) else None


def _of_call(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the call in a chat library's tool call, or in a message that holds exactly one."""
    calls = found.get("tool_calls")
    if isinstance(calls, list) and calls:
        return _read(calls[0]) if len(calls) == 1 else None
    if isinstance(content := found.get("content"), str) and "role" in found:
        return _of_text(content)
    inner = found.get("function")
    call = found if inner is None else inner if isinstance(inner, Mapping) else _dumped(inner) or {}
    name = call.get("name")
    if not isinstance(name, str) or not name:
        return None
    arguments: Any = next((call[part] for part in _ARGUMENTS if part in call), {})
    return {"tool_name": name, "arguments": arguments}


def _is_other_action(found: Mapping[str, Any]) -> bool:
    match found.get("type"):
        case "list_tools":
            return set(found) <= {"type", "metadata"}
        case "invalid":
            return isinstance(found.get("raw"), str) and set(found) <= {"type", "raw", "metadata"}
    return False


def _dumped(output: Any) -> Mapping[str, Any] | None:
    """Convert a chat library's object to a dictionary; None if it is not one."""
    for method in ("model_dump", "to_dict", "dict"):
        if callable(dump := getattr(output, method, None)):
            found = dump()
            return found if isinstance(found, Mapping) else None
    return vars(output) if hasattr(output, "__dict__") and not isinstance(output, type) else None


def _travels(action: Any) -> bool:
    """Return whether the action is strict JSON within the server's limits."""
    level, count = [action], 0
    for _ in range(MAX_DEPTH):
        count += len(level)
        level = [child for parent in level for child in _children(parent)]
    try:
        text = json.dumps(action, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return not level and count <= MAX_VALUES and "\\u0000" not in text.replace("\\\\", "")


def _children(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []


def _raw(output: Any) -> str:
    """Return the output as text that every database accepts."""
    try:
        text = output if isinstance(output, str) else json.dumps(output)
    except (TypeError, ValueError, RecursionError):
        text = type(output).__name__
    return text.replace("\0", "").encode(errors="replace").decode()[:MAX_RAW]
