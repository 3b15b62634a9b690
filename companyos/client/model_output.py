"""Parses model output into an action: a dictionary, a tool call as chat libraries return it, or text.

Output that is not a call becomes `{"type": "invalid", "raw": …}`, which the server counts as a step and penalizes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from .formats.text_calls import text_call
from .formats.tool_calls import call_of, calls_of, is_call, mapping_of, message_in, text_of

#: The server's limits on nesting and on the number of values.
MAX_DEPTH: Final = 30
MAX_VALUES: Final = 20_000
MAX_RAW: Final = 20_000


def action_of(output: Any) -> dict[str, Any]:
    """Return the action in a model's output, or an invalid action that holds the output.

    Args:
        output: An action, a tool call as an endpoint, MCP or a chat library has it, a message or a response that holds
            one, an object for any of these, or text.
    """
    action = _read(output)
    return action if action is not None and _travels(action) else {"type": "invalid", "raw": raw_text(output)}


def clean_text(text: str) -> str:
    """Return text without halves of surrogate pairs, which models can produce and neither HTTP nor files can hold."""
    return text.encode(errors="replace").decode()


def _read(output: Any) -> dict[str, Any] | None:
    if isinstance(output, str):
        return text_call(output).action
    if isinstance(output, list):
        output = {"tool_calls": [found for each in output if (found := mapping_of(each)) and is_call(found)]}
    found = mapping_of(output)
    if found is None:
        return None
    message = message_in(found)
    if (text := text_of(message)) is not None and not calls_of(message):
        return text_call(text).action
    return call_of(message)


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


def raw_text(output: Any) -> str:
    """Return the output as text that every database accepts."""
    try:
        text = output if isinstance(output, str) else json.dumps(output)
    except (TypeError, ValueError, RecursionError):
        text = type(output).__name__
    return clean_text(text.replace("\0", ""))[:MAX_RAW]
