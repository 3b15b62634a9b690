"""Parses tool calls that a person types, such as `ticketdesk_get_ticket ticket_id=TD-1001`, or without the name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Tool = Mapping[str, Any]

_NAME: Final = re.compile(r"\s*(\w+)\s*=\s*")
_WORD: Final = re.compile(r"\S*")
_DECODER: Final = json.JSONDecoder()


class NotACall(ValueError):
    """The line is not a call; the message says what would be."""


def parse_call(line: str, tools: Mapping[str, Tool]) -> dict[str, Any]:
    """Parse a typed line into an action.

    The first word names the tool. Arguments follow as `name=value`, or all of them as one JSON object. A
    value in quotes is text, and so is a bare word if the argument takes only text. Any other bare word is
    parsed as JSON if possible. A tool with one required argument also takes its value without the name.

    Raises:
        NotACall: A quote or a bracket is not closed, or a word is not an argument. The server checks unknown
            arguments, as it does for agents.
    """
    name, _, rest = line.strip().partition(" ")
    if rest.lstrip().startswith("{"):
        arguments = _object(rest)
    else:
        schema = tools.get(name, {}).get("input_schema", {})
        arguments = dict(_arguments(rest.strip(), schema.get("properties", {}), schema.get("required", [])))
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


def _object(text: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise NotACall(f"The arguments are no JSON object: {error}.") from None
    return found


def _arguments(
    text: str, properties: Mapping[str, Any], required: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    at = 0
    if text and len(required) == 1 and _NAME.match(text) is None:
        value, at = _value(text, 0, required[0], properties.get(required[0], {}))
        yield required[0], value
    while at < len(text):
        if (name := _NAME.match(text, at)) is None:
            raise NotACall(
                f"{text[at:].split()[0]} is no argument. Write name=value; quote a value with spaces."
            )
        value, at = _value(text, name.end(), name[1], properties.get(name[1], {}))
        yield name[1], value


def _value(text: str, at: int, name: str, schema: Mapping[str, Any]) -> tuple[Any, int]:
    """Return the value that begins at a position, and its end."""
    match text[at : at + 1]:
        case "{" | "[" | '"':
            try:
                return _DECODER.raw_decode(text, at)
            except ValueError as error:
                raise NotACall(f"The value of {name} is not complete: {error}.") from None
        case "'":
            if (end := text.find("'", at + 1)) < 0:
                raise NotACall(f"The value of {name} lacks its closing quote.")
            return text[at + 1 : end], end + 1
    word = _WORD.match(text, at)
    assert word is not None
    return _read(word[0], schema), word.end()


def _read(word: str, schema: Mapping[str, Any]) -> Any:
    if schema.get("type", "string") == "string":
        return word
    try:
        return json.loads(word)
    except ValueError:
        return word
