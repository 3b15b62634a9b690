"""Schemas for agents: shorter than the services' own, because a model reads every tool before it acts.

Arguments that all tools share are described once, in `SHARED_ARGUMENTS`. Parts that mean nothing to a model
are omitted. The result is still JSON Schema and accepts what the full schema accepts, except null for
optional arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

Schema = Mapping[str, Any]

#: Arguments that mean the same in every tool that has them.
SHARED_ARGUMENTS: Final[Mapping[str, str]] = {
    "idempotency_key": "Your own key for a change, at most 128 characters. A call repeated with the same key and "
    "arguments returns the first result instead of acting twice.",
    "version": "The object's `version` as you last read it. If it has changed since, the call is refused and changes "
    "nothing.",
    "min_version": "Refuse an answer older than this `version`, for example the one your own change returned.",
    "limit": "Most items to return, at most 200.",
    "cursor": "`next_cursor` of the previous page, to read on from there.",
}
#: The same in a few words, for models with a small context.
_IN_SHORT: Final[Mapping[str, str]] = {
    "idempotency_key": "a change repeated with it acts once",
    "version": "as last read; refused if it has changed",
    "min_version": "the oldest to accept",
    "limit": "most items",
    "cursor": "next_cursor of the last page",
}
#: The maximum length of a text argument, unless its schema states another.
USUAL_LENGTH: Final = 100

#: Keywords that a model need not read, because a call that violates one gets an explanation.
_LEFT_OUT: Final = frozenset(
    {"title", "default", "pattern", "propertyNames", "additionalProperties", "minLength"}
) | frozenset(
    f"{least_or_most}{counted}" for least_or_most in ("min", "max") for counted in ("Items", "Properties")
)
#: Self-evident bounds of numbers: those of counts, and those of what a database can store.
_NO_BOUNDS: Final = frozenset({0, 1, 2**31, 2**53, -(2**53)})


def shown(schema: Schema) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments for agents."""
    properties = {name: _argument(name, inner) for name, inner in schema.get("properties", {}).items()}
    required: Sequence[str] = schema.get("required", ())
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def shared_text(schemas: Iterable[Schema]) -> str:
    """Return the introduction to a list of tools for a model, which describes the shared arguments that they have."""
    lines = [
        "Tools take the arguments they list and no others.",
        f"A text has at most {USUAL_LENGTH} characters where no `maxLength` is given.",
    ]
    properties = [schema["properties"] for schema in schemas]
    needed = [name for name in SHARED_ARGUMENTS if any(_has_shared(name, each) for each in properties)]
    if needed:
        lines += ["These arguments mean the same in every tool:"]
    return "\n".join([*lines, *(f"- `{name}`: {SHARED_ARGUMENTS[name]}" for name in needed)])


def shared_signature_text(schemas: Iterable[Schema]) -> str:
    """Return the introduction to a list of signatures, which explains the shared arguments in a few words."""
    properties = [schema["properties"] for schema in schemas]
    needed = [name for name in SHARED_ARGUMENTS if any(_has_shared(name, each) for each in properties)]
    meanings = ", ".join(f"{name} ({_IN_SHORT[name]})" for name in needed)
    also = f" Some tools also take {meanings}." if needed else ""
    return f"Arguments with ? are optional.{also}"


def signature_card(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool with one sentence and the names and types of its arguments, and its `signature` on one line.

    A signature leaves out optional arguments that many tools share.
    """
    schema, sentence = card["input_schema"], str(card["description"]).partition(". ")[0].rstrip(".")
    required = schema.get("required", ())
    optional = [
        f"{name}?"
        for name in schema["properties"]
        if name not in required and not _has_shared(name, schema["properties"])
    ]
    types = {
        name: {"type": inner["type"]} if "type" in inner else {}
        for name, inner in schema["properties"].items()
    }
    return {
        "name": card["name"],
        "description": f"{sentence}.",
        "signature": f"{card['name']}({', '.join([*required, *optional])}) - {sentence}",
        "input_schema": {**schema, "properties": types},
    }


def _has_shared(name: str, properties: Mapping[str, Schema]) -> bool:
    return name in properties and _is_shared(name, properties[name])


def _is_shared(name: str, schema: Schema) -> bool:
    # The `limit` of a delegation is an amount, no number of items.
    return name in SHARED_ARGUMENTS and schema["type"] != "number"


def _argument(name: str, schema: Schema) -> dict[str, Any]:
    compact = _compact(schema)
    if _is_shared(name, compact):
        return {"type": compact["type"]}
    return compact if compact.get("description") else _bare(compact)


def _compact(schema: Schema) -> dict[str, Any]:
    if "anyOf" in schema:
        return _either(schema)
    kept = {key: _number(value) for key, value in schema.items() if not _says_nothing(key, value)}
    if "items" in schema:
        kept["items"] = _compact(schema["items"])
    if "properties" in schema:
        kept["properties"] = {name: _compact(inner) for name, inner in schema["properties"].items()}
    return kept


def _either(schema: Schema) -> dict[str, Any]:
    """Combine variants that differ only in their type into one schema with several types."""
    around = {key: value for key, value in schema.items() if key != "anyOf" and not _says_nothing(key, value)}
    variants = [_bare(_compact(variant)) for variant in schema["anyOf"]]
    if all("type" in variant and "enum" not in variant for variant in variants):
        bounds = {key: value for variant in variants for key, value in variant.items() if key != "type"}
        return {"type": [kind for variant in variants for kind in _types(variant)], **bounds, **around}
    return {"anyOf": variants, **around}


def _types(schema: dict[str, Any]) -> list[str]:
    kinds = schema["type"]
    return kinds if isinstance(kinds, list) else [kinds]


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def _says_nothing(key: str, value: Any) -> bool:
    return (
        (key, value) == ("maxLength", USUAL_LENGTH)
        or key in _LEFT_OUT
        or (key in ("minimum", "maximum") and value in _NO_BOUNDS)
    )


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
