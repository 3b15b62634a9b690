"""Arguments of a call: normalized where only one meaning is possible, and checked against a schema.

A null for an optional argument counts as absent. Enum values match regardless of case, and a whole number may be
written as a float. Numbers, booleans, lists and objects may be written as text where no text is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import jsonschema_rs

from companyos.sdk.plain_numbers import whole

from ..protocol.strict_json import read_json
from ..protocol.trace import canonical
from .suggestions import suggested

Schema = Mapping[str, Any]

_MAX_FLAWS_SHOWN = 3
_MAX_VALUE_SHOWN = 60
_NULL = {"type": "null"}
#: The types in JSON Schema of the values that a text may stand for.
_TYPES_OF: Final[Mapping[type, frozenset[str]]] = {
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"integer", "number"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
}
#: The rules that only empty or blank text breaks.
_EMPTY = (("minLength", 1), ("pattern", r"\S"))
#: The only argument in a header is the key.
_HEADER = "header Idempotency-Key"


@dataclass(frozen=True)
class Flaw:
    """A violation in a call's arguments.

    Attributes:
        text: An explanation that names each argument.
        facts: The same as fields, for the first invalid argument: `field`, `allowed_values`.
    """

    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class Arguments:
    """The arguments of a tool.

    Args:
        parameters: JSON Schema of the arguments, an object.
        places: The part of a REST request that takes each: path, query, body or header; body for the rest.
    """

    def __init__(self, parameters: Schema, places: Mapping[str, str] = MappingProxyType({})) -> None:
        self._places = places
        self.schema = without_nulls(parameters)
        self._properties: Schema = self.schema.get("properties", {})
        self._required = frozenset(self.schema.get("required", ()))
        self._validator = jsonschema_rs.validator_for(dict(self.schema))

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the normalized arguments."""
        return {
            name: _meant(value, self._properties.get(name, {}))
            for name, value in given.items()
            if value is not None or name not in self._properties or name in self._required
        }

    def flaw(
        self,
        read: Mapping[str, Any],
        unsendable: Callable[[Mapping[str, Any]], Iterable[str]],
        taken_by: Callable[[str], Sequence[str]] = lambda _: (),
    ) -> Flaw | None:
        """Return what is wrong with normalized arguments, or None.

        Args:
            read: The normalized arguments.
            unsendable: Yields violations that a schema cannot express.
            taken_by: Returns the tools that have an argument unknown to this one.
        """
        given = dict(read)
        if self._validator.is_valid(given):
            found = sorted(unsendable(read))
            return Flaw(_join_flaws(found)) if found else None
        errors = sorted(self._validator.iter_errors(given), key=_place)
        texts = dict.fromkeys(text for error in errors for text in self._texts_of(error, taken_by))
        return Flaw(_join_flaws(list(texts)), _facts(errors[0]))

    def _texts_of(self, error: Any, taken_by: Callable[[str], Sequence[str]]) -> Iterable[str]:
        where = ".".join(str(part) for part in error.instance_path)
        match error.kind.name:
            case "required":
                yield f"{'.'.join(filter(None, (where, error.kind.property)))}: is required"
            case "additionalProperties":
                for name in sorted(error.kind.unexpected):
                    yield f"{name[:_MAX_VALUE_SHOWN]}: there is no such argument{self._hint(name, taken_by)}"
            case "anyOf" if meant := _closest_variant(error):
                for inner in meant:
                    yield from self._texts_of(inner, taken_by)
            case _:
                yield f"{where or 'arguments'}: {_expectation(error)}"

    def _hint(self, name: str, taken_by: Callable[[str], Sequence[str]]) -> str:
        place, _, meant = name.partition(".")
        if place in ("body", "query") and meant in self._properties:
            right = self._places.get(meant, "body")
            return f" ({meant} goes in the {_HEADER if right == 'header' else right})"
        if tools := taken_by(name):
            return f" ({' or '.join(tools)} takes it)"
        near = suggested(name, self._properties)
        return f" (did you mean {' or '.join(near)}?)" if near else ""


def without_nulls(parameters: Schema) -> dict[str, Any]:
    """Return a tool's schema without the nulls of optional arguments, which mean absence."""
    required = parameters.get("required", ())
    properties = {
        name: schema if name in required else _without_null(schema)
        for name, schema in parameters.get("properties", {}).items()
    }
    return {**parameters, **({"properties": properties} if properties else {})}


def _without_null(schema: Schema) -> Schema:
    """Return a schema without its null variant; a single remaining variant absorbs the other keywords."""
    if _NULL not in schema.get("anyOf", ()):
        return schema
    variants = [variant for variant in schema["anyOf"] if variant != _NULL]
    around = {
        key: value for key, value in schema.items() if key != "anyOf" and (key, value) != ("default", None)
    }
    return {**variants[0], **around} if len(variants) == 1 else {**around, "anyOf": variants}


def _meant(value: Any, schema: Schema) -> Any:
    if isinstance(value, str):
        value = _option(value, schema["enum"]) if "enum" in schema else _from_text(value, _types(schema))
    if isinstance(value, float) and "integer" in _types(schema):
        return whole(value)
    if isinstance(value, list) and "items" in schema:
        return [_meant(item, schema["items"]) for item in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {name: _meant(item, properties.get(name, {})) for name, item in value.items()}
    return value


def _option(text: str, options: Sequence[Any]) -> str:
    """Return the option that differs from a text in case only, or the text."""
    same = [option for option in options if isinstance(option, str) and option.casefold() == text.casefold()]
    return same[0] if len(same) == 1 and text not in options else text


def _types(schema: Schema) -> frozenset[str]:
    """Return the types that a schema accepts; none if it does not say."""
    named = [variant.get("type") for variant in schema.get("anyOf", (schema,))]
    types = [kind for one in named for kind in (one if isinstance(one, list) else [one])]
    return frozenset() if None in types else frozenset(types)


def _from_text(text: str, types: frozenset[str]) -> Any:
    """Return the JSON value that a text can only mean where no text is accepted, or the text."""
    if not types or "string" in types:
        return text
    try:
        value = read_json(text.lower() if text.lower() in ("true", "false") else text)
    except ValueError:
        return text
    return value if types & _TYPES_OF.get(type(value), frozenset()) else text


def _place(error: Any) -> tuple[str, str]:
    return ".".join(str(part) for part in error.instance_path), str(error.message)


def _facts(error: Any) -> dict[str, Any]:
    kind = error.kind
    where = ".".join(str(part) for part in error.instance_path)
    match kind.name:
        case "required":
            return {"field": kind.property, "required_field": kind.property}
        case "additionalProperties":
            return {"field": min(kind.unexpected)[:_MAX_VALUE_SHOWN]}
        case "enum":
            return {"field": where, "allowed_values": list(kind.options)}
    return {"field": where} if where else {}


#: The expected value, by the broken rule of the schema; text is described without quoting the value.
_WANTED: Final[Mapping[str, str]] = {
    "type": "must be of type {value}",
    "enum": "must be one of {value}",
    "minimum": "must be at least {value}",
    "maximum": "must be at most {value}",
    "exclusiveMinimum": "must be more than {value}",
    "exclusiveMaximum": "must be less than {value}",
    "const": "must be {value}",
    "multipleOf": "must be a multiple of {value}",
    "pattern": "must match the pattern {value}",
    "uniqueItems": "must not have an entry twice",
}
_WANTED_LENGTH: Final[Mapping[str, str]] = {
    "minLength": "must have at least {value} characters",
    "maxLength": "must have at most {value} characters",
    "minItems": "must have at least {value} entries",
    "maxItems": "must have at most {value} entries",
    "minProperties": "must have at least {value} entries",
    "maxProperties": "must have at most {value} entries",
}


def _closest_variant(error: Any) -> Sequence[Any]:
    """Return the errors of the only variant of a union that has the type of the value, or none."""
    own = list(error.instance_path)
    fitting = [
        errors
        for errors in error.kind.context
        if not any(one.kind.name == "type" and list(one.instance_path) == own for one in errors)
    ]
    return fitting[0] if len(fitting) == 1 else ()


def _accepted_types(error: Any) -> str:
    """Return the types that the variants of a union accept."""
    types = [one.kind.value for errors in error.kind.context for one in errors if one.kind.name == "type"]
    return " or ".join(
        dict.fromkeys(str(kind) for one in types for kind in (one if isinstance(one, list) else [one]))
    )


def _expectation(error: Any) -> str:
    """Return the expected value, and then the actual one."""
    kind = error.kind
    if kind.name == "anyOf":
        return f"must be of type {_accepted_types(error)}{_echo(error)}"
    if (kind.name, kind.value) in _EMPTY:
        return "must not be empty"
    if kind.name in _WANTED_LENGTH:
        return _WANTED_LENGTH[kind.name].format(value=kind.value)
    value = ", ".join(map(str, kind.value)) if isinstance(kind.value, list) else kind.value
    return _WANTED.get(kind.name, "is not valid").format(value=value) + _echo(error)


def _echo(error: Any) -> str:
    shown = canonical(error.instance).decode()
    return f", not {shown if len(shown) <= _MAX_VALUE_SHOWN else shown[:_MAX_VALUE_SHOWN] + '…'}"


def _join_flaws(flaws: Sequence[str]) -> str:
    return "; ".join(flaws[:_MAX_FLAWS_SHOWN]) + "."
