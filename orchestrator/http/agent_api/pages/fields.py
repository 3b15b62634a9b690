"""The fields of forms: which a tool's arguments get, and how text in them becomes a value, and a value text.

A form can say whatever a call can. Where text is ambiguous, JSON is not: a list or an object may be written as such.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import orjson

from ....agent.agent_schemas import SHARED_ARGUMENTS, Schema
from ....agent.tools import Tool
from ....protocol.strict_json import read_json
from .instants import typed_instant

_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")
_BOOLEANS: Final = {"true": True, "false": False}
#: A text argument that may be longer gets more than a line.
LONGEST_LINE: Final = 200
#: Names of fields that say too little.
_LABELS: Final = {"q": "Search", "id": "ID", "sod": "Separation of duties", "tax_id": "Tax ID"}
#: Arguments that a form carries without showing them.
CARRIED: Final = ("idempotency_key", "version")


class FieldKind(StrEnum):
    """How an argument is asked for."""

    LINE = "line"
    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    LIST = "list"
    OBJECT = "object"
    OBJECTS = "objects"
    ANY = "any"


#: How to write what is more than a text.
HELP: Final[Mapping[FieldKind, str]] = {
    FieldKind.LIST: "One on each line.",
    FieldKind.OBJECT: "One on each line, as name: value.",
}


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Attributes:
        name: The argument.
        options: The values to choose from, for a choice.
        value: What it holds, as text.
    """

    name: str
    label: str
    kind: FieldKind
    required: bool
    options: Sequence[str]
    help: str
    value: str


def label_of(name: str) -> str:
    """Return the name of a field or an operation in words."""
    if name in _LABELS:
        return _LABELS[name]
    words, seconds = name.removesuffix("_id").removesuffix("_at").removesuffix("_s"), name.endswith("_s")
    return (words.removeprefix("is_") or name).replace("_", " ").capitalize() + (" (s)" if seconds else "")


def fields_of(
    tool: Tool, values: Mapping[str, str], hidden: Collection[str], first: Sequence[str] = ()
) -> list[Field]:
    """Return the fields of a tool's form but the hidden ones, filled in with these texts.

    Ids come first, then the search, then the fields named first, then those that are required.
    """
    order = ("q", *first)
    fields = [
        _field(name, schema, name in tool.requires, values.get(name, ""))
        for name, schema in tool.parameters["properties"].items()
        if name not in hidden
    ]
    return sorted(
        fields,
        key=lambda field: (
            tool.places.get(field.name) != "path",
            order.index(field.name) if field.name in order else len(order),
            not field.required,
        ),
    )


def carried_of(tool: Tool, values: Mapping[str, str]) -> dict[str, str]:
    """Return what a tool's form carries unseen."""
    return {name: values[name] for name in CARRIED if name in tool.places and values.get(name)}


def arguments_of(tool: Tool, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the arguments that a submitted form gives; an empty field gives none."""
    properties = tool.parameters["properties"]
    return {name: value_of(properties.get(name, {}), text) for name, text in pairs if text}


def value_of(schema: Schema, text: str) -> Any:
    """Return the value that text in a field means; text that means none stays, and the tool says what is wrong."""
    text = text.replace("\r\n", "\n")
    match _kind(schema):
        case FieldKind.NUMBER:
            return int(text) if _INTEGER.fullmatch(text) else _float(text)
        case FieldKind.CHOICE:
            return _BOOLEANS.get(text, text) if "boolean" in _types(schema) else text
        case FieldKind.LIST:
            return _json(text, list, _lines(text))
        case FieldKind.OBJECT:
            return _json(text, dict, _pairs(text))
        case FieldKind.OBJECTS:
            return _json(text, list, [_json(line, dict, line) for line in _lines(text)])
        case FieldKind.ANY:
            return _loose(text)
    is_instant = any(variant.get("format") == "date-time" for variant in _variants(schema))
    return typed_instant(text) if is_instant else text


def text_of(schema: Schema, value: Any) -> str:
    """Return the text that means a value: the inverse of `value_of`."""
    if isinstance(value, bool):
        return str(value).lower()
    text = _readable(schema, value)
    return text if isinstance(value, str) or value_of(schema, text) == value else orjson.dumps(value).decode()


def _readable(schema: Schema, value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value) if _kind(schema) is FieldKind.ANY else value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    if isinstance(value, dict) and _kind(schema) is FieldKind.OBJECT:
        return "\n".join(f"{name}: {_quoted(inner)}" for name, inner in value.items())
    return orjson.dumps(value).decode()


def _field(name: str, schema: Schema, required: bool, value: str) -> Field:
    kind = _kind(schema)
    help_text = " ".join(
        filter(None, (SHARED_ARGUMENTS.get(name) or schema.get("description", ""), HELP.get(kind)))
    )
    return Field(name, label_of(name), kind, required, _options(schema), help_text, value)


def _variants(schema: Schema) -> list[Schema]:
    return [variant for variant in schema.get("anyOf", [schema]) if variant.get("type") != "null"]


def _types(schema: Schema) -> set[str]:
    types: set[str] = set()
    for variant in _variants(schema):
        named = variant.get("type", "string")
        types |= {named} if isinstance(named, str) else set(named)
    return types


def _options(schema: Schema) -> list[str]:
    if _types(schema) == {"boolean"}:
        return list(_BOOLEANS)
    return [str(option) for variant in _variants(schema) for option in variant.get("enum", ())]


def _kind(schema: Schema) -> FieldKind:
    types = _types(schema)
    if _options(schema):
        return FieldKind.CHOICE
    if types <= {"integer", "number"}:
        return FieldKind.NUMBER
    if types == {"array"}:
        [items] = [variant.get("items", {}) for variant in _variants(schema)]
        return FieldKind.LIST if items.get("type", "string") == "string" else FieldKind.OBJECTS
    if types == {"object"}:
        return FieldKind.OBJECT
    if types != {"string"}:
        return FieldKind.ANY
    longest = max(variant.get("maxLength", 0) for variant in _variants(schema))
    return FieldKind.TEXT if longest > LONGEST_LINE else FieldKind.LINE


def _float(text: str) -> float | str:
    value = _parse(text)
    return value if isinstance(value, float) else text


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _pairs(text: str) -> dict[str, Any] | str:
    pairs = [line.partition(": ") for line in _lines(text)]
    return {name: _loose(value) for name, _, value in pairs} if all(colon for _, colon, _ in pairs) else text


def _json(text: str, kind: type, otherwise: Any) -> Any:
    value = _parse(text)
    return value if isinstance(value, kind) else otherwise


def _parse(text: str) -> Any | None:
    try:
        return read_json(text)
    except ValueError:
        return None


def _loose(text: str) -> Any:
    """Return the value of a text that may be JSON."""
    value = _parse(text)
    return text if value is None and text.strip() != "null" else value


def _quoted(value: Any) -> str:
    """Return a line that `_loose` reads as the value: the value itself, or JSON if it is no text or looks like JSON."""
    is_plain = isinstance(value, str) and "\n" not in value and _loose(value) == value
    return value if is_plain else orjson.dumps(value).decode()
