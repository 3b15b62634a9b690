"""Reads the one call in a piece of code, as models write it that know Python."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final

#: Longer code is no call; parsing it would take too long.
_LONGEST: Final = 100_000
#: JSON's names of values, which models write into code as well.
_NAMED_VALUES: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_TEXT: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_ONE_TEXT: Final = re.compile(_TEXT, re.DOTALL)
_UNREADABLE: Final = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


def code_call(source: str) -> dict[str, Any] | None:
    """Return the call in `name(argument=literal)`, or in a list of it; None if it is none, or not exactly one."""
    code = source.strip()[:_LONGEST]
    try:
        node = ast.parse(code, mode="eval").body
        calls = node.elts if isinstance(node, ast.List) else [node]
        return _action(calls[0], code) if len(calls) == 1 else None
    except _UNREADABLE:
        return None


def _action(call: ast.expr, code: str) -> dict[str, Any] | None:
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "print" and len(call.args) == 1:
        # Gemma prints the results of its calls.
        call = call.args[0]
    if not isinstance(call, ast.Call) or call.args or not _is_name(call.func):
        return None
    arguments = {str(each.arg): _value(each.value, code) for each in call.keywords if each.arg}
    json.dumps(arguments, allow_nan=False)
    # Llama calls its tools as methods.
    return {"tool_name": ast.unparse(call.func).removesuffix(".call"), "arguments": arguments}


def _value(node: ast.expr, code: str) -> Any:
    """Return the JSON value of a literal.

    Raises:
        ValueError: It has none, or more than one reading.
    """
    match node:
        case ast.Dict(keys, values):
            names = [_value(name, code) if name else None for name in keys]
            if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
                raise ValueError("names of fields are different texts")
            return dict(zip(names, (_value(each, code) for each in values), strict=True))
        case ast.List(several) | ast.Tuple(several):
            return [_value(each, code) for each in several]
        case ast.Constant(str(text)):
            # A comma that is missing between two texts makes one of them.
            if not _ONE_TEXT.fullmatch(ast.get_source_segment(code, node) or ""):
                raise ValueError("one text in pieces")
            return text
        case ast.Constant(bool() | int() | float() | None as scalar):
            return scalar
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
            return -number
        case ast.Name(name) if name in _NAMED_VALUES:
            return _NAMED_VALUES[name]
    raise ValueError("no plain value")


def _is_name(function: ast.expr) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)
