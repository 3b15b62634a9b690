"""Plausible calls of any tool, with values seen under the same name or else allowed by its schema."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, call

from ..agents.visible import Visible
from .logs import ENDS, KEY, OracleLog

Schema = Mapping[str, Any]
Where = tuple[str | int, ...]

_OPTIONAL: Final = 0.3
_WORDS: Final = ("checked", "as agreed", "please decide", "seen in the file")
_FACTORS: Final = (0.5, 2, 10, 1_000)
_WAITS_S: Final = (60, 3_600, 86_400)
#: An id that a description gives as an example: `TD-1042`.
_EXAMPLE: Final = re.compile(r"`([A-Z]{1,4}-)\d+`")
_READING: Final = ("check", "find", "get", "list", "query", "search", "service")


def is_reading(tool: str) -> bool:
    """Return whether a tool only shows something, judged by its name: `datahub_get_record`."""
    return tool.partition("_")[2].partition("_")[0] in _READING or tool.startswith("service_")


class PlausibleCalls:
    """Draws calls for the companies of some logs; equal draws and logs give equal calls.

    Args:
        draws: The source of every choice.
        logs: The episodes that values and tools are taken from.
    """

    def __init__(self, draws: Draws, logs: Sequence[OracleLog]) -> None:
        self._draws = draws
        self._tools: Mapping[str, Schema] = {
            tool["name"]: tool["input_schema"] for log in logs for tool in log.first["tools"]
        }
        self._visible = Visible()
        self._known: dict[str, list[Any]] = {}
        for log in logs:
            self._learn(log)

    @property
    def tools(self) -> Sequence[str]:
        """The tools that do not end an episode, writing tools first."""
        return sorted((name for name in self._tools if name not in ENDS), key=is_reading)

    def has(self, tool: str) -> bool:
        """Return whether a tool exists."""
        return tool in self._tools

    def takes(self, tool: str) -> Iterable[str]:
        """Return the names of a tool's arguments."""
        return list(self._tools[tool]["properties"])

    def needs(self, tool: str) -> Iterable[str]:
        """Return the names of a tool's required arguments."""
        return list(self._tools[tool].get("required", ()))

    def call_of(self, tool: str, *where: str | int, **given: Any) -> Action:
        """Return a call of a tool with the given, the other required, and some optional arguments."""
        schema = self._tools[tool]
        if tool == "wait":
            return call(tool, seconds=self._draws.choice("wait", _WAITS_S, *where))
        drawn = {
            name: self._value(tool, name, inner, (*where, name))
            for name, inner in schema["properties"].items()
            if name not in given and self._is_wanted(name, schema, where)
        }
        return call(tool, **drawn, **given)

    def another(self, tool: str, name: str, than: Any, *where: str | int) -> Any:
        """Return another value of an argument, mostly one that looks like it, or None if none is found."""
        where = (*where, name)
        schema = self._tools[tool]["properties"].get(name, {})
        alike = [] if self._is_choice(tool, schema) else self._alike(than, where)
        if alike and self._draws.chance("alike", 0.8, *where):
            return self._draws.choice("alike value", alike, *where)
        for attempt in range(8):
            value = self._value(tool, name, schema, (*where, attempt))
            if value != than:
                return value
        return None

    def _alike(self, than: Any, where: Where) -> list[Any]:
        """Return other values of the kind of a value: ids and names that were seen, other amounts, other lists."""
        if isinstance(than, bool):
            return [not than]
        if isinstance(than, int | float):
            return [type(than)(than * factor) for factor in _FACTORS if than * factor != than]
        if isinstance(than, str):
            known = [value for values in self._known.values() for value in values if isinstance(value, str)]
            return [
                value for value in dict.fromkeys(known) if value != than and _shape(value) == _shape(than)
            ]
        if isinstance(than, list) and than:
            return [[*than, more] for more in self._alike(than[0], where) if more not in than] + [than[:-1]]
        if isinstance(than, dict) and than:
            field = self._draws.choice("field", sorted(than), *where)
            return [{**than, field: value} for value in self._alike(than[field], where)]
        return []

    def _learn(self, log: OracleLog) -> None:
        for action in log.actions:
            for name, value in action["arguments"].items():
                self._note(name, value)
        for observation in (log.first, *log.answers):
            self._visible.see(observation)
            self._walk(observation["result"])

    def _walk(self, shown: Any) -> None:
        if isinstance(shown, Mapping):
            for name, value in shown.items():
                if isinstance(value, str | int | float) and len(str(value)) <= 80:
                    self._note(name, value)
            shown = list(shown.values())
        for part in shown if isinstance(shown, list) else ():
            self._walk(part)

    def _note(self, name: str, value: Any) -> None:
        known = self._known.setdefault(name, [])
        if value not in known:
            known.append(value)

    def _is_wanted(self, name: str, schema: Schema, where: Where) -> bool:
        if name in schema.get("required", ()):
            return True
        return name != KEY and self._draws.chance("given", _OPTIONAL, *where, name)

    def _value(self, tool: str, name: str, schema: Schema, where: Where) -> Any:
        schema = self._resolved(tool, schema)
        if "anyOf" in schema:
            inner = next(one for one in schema["anyOf"] if one.get("type") != "null")
            return self._value(tool, name, {"description": schema.get("description", ""), **inner}, where)
        if "enum" in schema:
            return self._draws.choice("enum", schema["enum"], *where)
        kind = schema.get("type")
        known = self._known.get(name) or (self._known.get("id", []) if name.endswith("_id") else [])
        fitting = [value for value in known if _fits(value, kind)]
        if fitting and self._draws.chance("known", 0.8, *where):
            return self._draws.choice("known value", fitting, *where)
        return self._made_up(tool, name, schema, where)

    def _made_up(self, tool: str, name: str, schema: Schema, where: Where) -> Any:
        match schema.get("type"):
            case "integer" | "number":
                return self._draws.integer("number", max(1, int(schema.get("minimum", 1))), 90, *where)
            case "boolean":
                return self._draws.chance("boolean", 0.5, *where)
            case "array":
                return [self._value(tool, name, schema.get("items", {}), (*where, "item"))]
            case "object":
                return {}
        return self._named(schema, where) or self._draws.choice("word", _WORDS, *where)

    def _named(self, schema: Schema, where: Where) -> str | None:
        """Return an id of the kind that a description gives an example of."""
        kinds = _EXAMPLE.findall(schema.get("description", ""))
        seen = [name for kind in kinds for name in self._visible.objects(kind)]
        return self._draws.choice("id", seen, *where) if seen else None

    def _is_choice(self, tool: str, schema: Schema) -> bool:
        return any("enum" in self._resolved(tool, one) for one in (schema, *schema.get("anyOf", ())))

    def _resolved(self, tool: str, schema: Schema) -> Schema:
        reference = schema.get("$ref", "")
        return self._tools[tool]["$defs"][reference.rpartition("/")[2]] if reference else schema


def _shape(text: str) -> str:
    """Return what is alike in ids of a kind, and in names: `TD-1042` and `TD-7`, `ada.olsen` and `bo.chen`."""
    return re.sub("[a-z]+", "a", re.sub("[0-9]+", "0", text))


def _fits(value: Any, kind: str | None) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return True
