"""Reads the call that a text ends with as an element named like its tool, as Cline and Roo Code teach it to models."""

from __future__ import annotations

import re
from typing import Any, Final

from .relaxed_json import KeyRepeated, dict_of_pairs, whole_object
from .tool_calls import call_of, is_call

_NAME: Final = r"[A-Za-z][\w.-]*"
_LAST_MARK: Final = re.compile(rf"</({_NAME})>\Z")
_OTHER_MARK: Final = re.compile(rf"</{_NAME}>")
_PART: Final = re.compile(rf"\s*<(?P<name>{_NAME})>\n?(?P<value>.*?)\n?</(?P=name)>", re.DOTALL)
#: Names of elements around a call, which are no tools.
_AROUND: Final = re.compile(r"tool_?calls?|function_?calls?|tool_?use|use_mcp_tool|tools?|calls?|actions?")
#: Which server of MCP has the tool; here there is one.
_SERVER: Final = "server_name"


def element_call(text: str) -> tuple[dict[str, Any], int] | None:
    """Return the call in a text's last element and where it begins; None if there is none, or another element."""
    spoken = text.rstrip()
    last = _LAST_MARK.search(spoken)
    start = spoken.find(f"<{last[1]}>") if last else -1
    if last is None or start < 0 or _OTHER_MARK.search(spoken, 0, start):
        return None
    call = _call_in(last[1], spoken[start + len(last[1]) + 2 : last.start()].strip())
    return None if call is None else (call, start)


def _call_in(name: str, body: str) -> dict[str, Any] | None:
    """Return the call in an element whose body is an object of arguments, an element for each, or an element around."""
    is_around = _AROUND.fullmatch(name) is not None
    if (found := whole_object(body)) is not None:
        # An object that is a call itself stands in a mark, and not in the element of its tool.
        return None if is_around or call_of(found) else {"tool_name": name, "arguments": found}
    parts = _parts_of(body)
    if parts is None:
        return None
    call = {part: whole_object(value) or value for part, value in parts.items() if part != _SERVER}
    if is_call(call) and (is_around or "tool_name" in call):
        return call_of(call)
    if is_around:
        return _call_in(*parts.popitem()) if len(parts) == 1 else None
    return {"tool_name": name, "arguments": parts}


def _parts_of(body: str) -> dict[str, str] | None:
    """Return the texts of the elements that make up a body; None if there is more in it, or a name twice."""
    pairs, position = [], 0
    while part := _PART.match(body, position):
        pairs.append((part["name"], part["value"]))
        position = part.end()
    try:
        return dict_of_pairs(pairs) if position == len(body) else None
    except KeyRepeated:
        return None
