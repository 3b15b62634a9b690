"""Observations as text: results, refusals and the passing of time, compact and within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

BUDGET = 4000
TOOLS_BUDGET = 8000
#: A longer list or object gets its own lines.
LONGEST_INLINE = 60

_INDENT = "  "
_WORDS = {None: "null", True: "true", False: "false"}


def result_text(value: Any, budget: int = BUDGET) -> str:
    """Return a JSON value as readable text of at most `budget` characters.

    Objects become lines of `name: value`. Text of several lines becomes an indented block, and an object in a
    list becomes one line. A page that is too long shows the items that fit, their count, and the cursor to
    continue with. Any other text loses whole lines at its end, and the last line says how many.
    """
    lines = list(_lines(value, ""))
    if _is_page(value) and sum(map(len, lines)) + len(lines) > budget + 1:
        return _page_text(value, budget)
    return fitted(lines, budget)


def fitted(lines: Sequence[str], budget: int = BUDGET) -> str:
    """Return as many of the lines as fit, and say what was omitted."""
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


def refusal_text(code: str, message: str, facts: Mapping[str, Any] | None = None) -> str:
    """Return a refusal as text, with the facts that its message does not contain."""
    return "\n".join([f"Refused ({code}): {message}", *_untold(message, facts or {})])


def failure_text(code: str, message: str) -> str:
    """Return a failed exchange as text."""
    return f"Failed ({code}): {message}"


def tools_text(tools: Sequence[Mapping[str, Any]], budget: int = TOOLS_BUDGET) -> str:
    """Return the tools as text, a line each: how to call it, and the first sentence of its description."""
    return fitted([f"{tool['name']}({_signature(tool)}): {_first_sentence(tool)}" for tool in tools], budget)


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


def _page_text(page: Mapping[str, Any], budget: int) -> str:
    """Return the items that fit, without empty values, the list's length and the cursor to continue with."""
    items: Sequence[Mapping[str, Any]] = page["items"]
    room = budget - len("items:\n") - _longest_rest(page)
    lines: list[str] = []
    for item in items:
        line = f"{_INDENT}- {compact(_filled(item))}"
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        lines.append(line)
    if not lines:
        return "\n".join(["items:", line[: max(0, room - 1)], _rest(page, 1)])
    return "\n".join(["items:", *lines, _rest(page, len(lines))])


def _longest_rest(page: Mapping[str, Any]) -> int:
    """Return the length of the longest text below a page's items, whichever are shown."""
    ids = [str(item["id"]) for item in page["items"]]
    # If items are left out, the texts differ only in the number shown and in the cursor, which occurs twice.
    cut = range(1, len(ids))
    widest = max(cut, key=lambda shown: len(str(shown)) + 2 * len(ids[shown - 1]), default=len(ids))
    return max(len(_rest(page, shown)) for shown in (widest, len(ids)))


def _rest(page: Mapping[str, Any], shown: int) -> str:
    """Return the text below the first items of a page: its short fields, and how to continue after them."""
    items = page["items"]
    cursor = page["next_cursor"] if shown == len(items) else items[shown - 1]["id"]
    fields = {**page, "next_cursor": cursor}
    lines = [f"{name}: {text}" for name, text in _inline(fields)]
    if shown < len(items):
        lines.append(f"[{_share(page, shown)} shown; go on with cursor {cursor}]")
    return "\n".join(lines)


def _inline(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if not isinstance(value, dict | list) and len(text := compact(value)) <= LONGEST_INLINE:
            yield name, text


def _share(page: Mapping[str, Any], shown: int) -> str:
    """Return how many items are shown of how many; without a total, the items of the page are counted."""
    if "total" in page:
        return f"{shown} of {page['total']} items"
    more = ", and there are more," if page["next_cursor"] is not None else ""
    return f"{shown} of {len(page['items'])} items on this page{more}"


def _filled(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value is not None and value != []}


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


def _left_out(lines: int, characters: int) -> str:
    return f"[left out here: {lines} lines, {characters} characters; the whole is in `result`]"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
