"""Builds Python functions from an episode's tools, with real signatures, annotations and Google docstrings.

Frameworks derive a tool's schema from the function itself, so it must contain all that the services publish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from inspect import Parameter, Signature
from operator import or_
from types import GenericAlias, NoneType
from typing import Any, Final, Literal

Tool = Mapping[str, Any]
#: Answers a call. Takes the instance (for methods only), the tool's name, and the given arguments.
Answer = Callable[..., Any]

_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict,
    "null": NoneType,
}


def method_of(tool: Tool, answer: Answer) -> Callable[..., Any]:
    """Return a method with the tool's name and arguments, which calls `answer(self, name, arguments)`.

    Unknown arguments are passed on: the environment reports them to the agent and counts the call.
    """
    names = tuple(each.name for each in _parameters(tool["input_schema"]))
    receiver = "self" if "self" not in names else "_self"

    def method(self: Any, /, *given: Any, **named: Any) -> Any:
        return answer(self, tool["name"], _without_nulls({**dict(zip(names, given, strict=False)), **named}))

    return _described(method, tool, Parameter(receiver, Parameter.POSITIONAL_ONLY))


def coroutine_of(tool: Tool, answer: Answer) -> Callable[..., Any]:
    """Return a coroutine function with the tool's name and arguments, which awaits `answer(name, arguments)`."""

    async def function(**named: Any) -> Any:
        return await answer(tool["name"], _without_nulls(named))

    return _described(function, tool)


def _described(function: Any, tool: Tool, *receiver: Parameter) -> Callable[..., Any]:
    parameters = _parameters(tool["input_schema"])
    function.__name__ = function.__qualname__ = tool["name"]
    function.__doc__ = _docstring(tool)
    function.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": str}
    function.__signature__ = Signature([*receiver, *parameters], return_annotation=str)
    described: Callable[..., Any] = function
    return described


def _parameters(schema: Tool) -> Sequence[Parameter]:
    """Return the parameters, those without a default first, as Python requires."""
    required = schema.get("required", ())
    kind = Parameter.POSITIONAL_OR_KEYWORD
    properties = schema["properties"]
    return [
        *(
            Parameter(name, kind, annotation=_type(properties[name]))
            for name in properties
            if name in required
        ),
        *(
            Parameter(name, kind, default=None, annotation=_type(properties[name]) | None)
            for name in properties
            if name not in required
        ),
    ]


def _type(schema: Tool) -> Any:
    if isinstance(kinds := schema.get("type", ""), list):
        return reduce(or_, (_type({**schema, "type": kind}) for kind in kinds))
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if kinds == "array":
        return GenericAlias(list, (_type(schema.get("items", {})),))
    return _TYPES.get(kinds, Any)


def _docstring(tool: Tool) -> str:
    described = [
        f"    {name}: {schema.get('description') or _words(name)}"
        for name, schema in tool["input_schema"]["properties"].items()
    ]
    arguments = ["", "Args:", *described] if described else []
    return "\n".join([tool["description"], *arguments, "", "Returns:", "    The answer, as text."])


def _words(name: str) -> str:
    """Return a description of an argument whose name is self-explanatory, for example `ticket_id`."""
    return f"{name.replace('_', ' ').capitalize()}."


def _without_nulls(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
