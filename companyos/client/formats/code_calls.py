"""Reads the one call in a piece of code, as models write it that were trained to call tools in Python."""

from __future__ import annotations

import ast
import json
from typing import Any, Final

#: Longer code is no call; parsing it would take too long.
_LONGEST: Final = 100_000


def code_call(source: str) -> dict[str, Any] | None:
    """Return the call in `name(argument=literal)`, or in a list of it; None if it is none, or not exactly one."""
    try:
        node = ast.parse(source.strip()[:_LONGEST], mode="eval").body
        calls = node.elts if isinstance(node, ast.List) else [node]
        return _action(calls[0]) if len(calls) == 1 else None
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _action(call: ast.expr) -> dict[str, Any] | None:
    if not isinstance(call, ast.Call) or call.args:
        return None
    arguments = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords if each.arg}
    json.dumps(arguments, allow_nan=False)
    return {"tool_name": ast.unparse(call.func), "arguments": arguments} if _is_name(call.func) else None


def _is_name(function: ast.expr) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)
