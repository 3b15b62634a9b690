"""What each tool returns, in one line for the reference page of tools, from the JSON Schema of its result."""

from collections.abc import Mapping, Sequence
from typing import Any

#: Results described by fewer characters are repeated, longer ones only referred to.
_SHORT = 80


def results(tools: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the line about the result of each of a service's tools by the tool's name."""
    shapes = {tool["name"]: shape(tool["returns"]) for tool in tools if tool.get("returns")}
    # What a `get` tool returns is described there, and elsewhere referred to.
    described: dict[str, str] = {}
    for name in sorted(shapes, key=lambda name: ("_get_" not in name, name)):
        described.setdefault(shapes[name], name)
    return {name: f"*Returns* {_referring(name, text, described)}." for name, text in shapes.items()}


def _referring(name: str, text: str, described: Mapping[str, str]) -> str:
    """Return a description in which what other tools return is replaced by their names."""
    if described[text] != name and len(text) >= _SHORT:
        return f"the same as `{described[text]}`"
    for other in sorted((other for other in described if len(other) >= _SHORT), key=len, reverse=True):
        text = text.replace(f"object: {other}", f"object as in `{described[other]}`")
    return text


def shape(schema: Mapping[str, Any]) -> str:
    """Return the fields of a result, with a type unless it is text."""
    if "properties" in schema:
        return ", ".join(_field(name, part) for name, part in schema["properties"].items())
    return _type(schema) or "text"


def _field(name: str, schema: Mapping[str, Any]) -> str:
    kind = _type(schema)
    return f"`{name}` ({kind})" if kind else f"`{name}`"


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type in a few words; empty for text."""
    if "anyOf" in schema:
        kinds = dict.fromkeys(_type(option) or "text" for option in schema["anyOf"])
        return " or ".join(kinds) if list(kinds) != ["text", "null"] else "or null"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {})) or 'text'}"
    if "properties" in schema:
        return f"object: {shape(schema)}"
    if schema.get("format") == "date-time":
        return "time"
    kind = str(schema.get("type", "any value"))
    return "" if kind == "string" else kind
