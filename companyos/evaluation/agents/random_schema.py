"""A random agent over the schema: any tool, arguments of valid types, ids that it has seen."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, Observation, call
from companyos.sdk.simtime import DAY, from_iso, to_iso

from .visible import Visible

Schema = Mapping[str, Any]

_WORDS: Final = (
    "checked",
    "please decide",
    "as agreed",
    "record",
    "status",
    "score",
    "amount",
    "low",
    "lead",
    "owner",
)
_OPTIONAL: Final = 0.3
_WIDEST: Final = 100_000


class RandomSchema:
    """Draws tools and arguments from their JSON Schemas; equal seeds and observations give equal actions."""

    def __init__(self, seed: int) -> None:
        self._draws = Draws("agents", "random_schema", seed)
        self._visible = Visible()
        self._tools: Sequence[Schema] = ()

    def start(self, observation: Observation) -> None:
        """Note the available tools."""
        self._visible = Visible()
        self._tools = observation["tools"]

    def act(self, observation: Observation) -> Action:
        """Return a call of a drawn tool with drawn arguments."""
        self._visible.see(observation)
        tool = self._draws.choice("tool", self._tools, observation["step"])
        return call(tool["name"], **_Arguments(self._draws, self._visible, observation, tool).all())


class _Arguments:
    """The arguments of one call, drawn from the tool's schema."""

    def __init__(self, draws: Draws, visible: Visible, observation: Observation, tool: Schema) -> None:
        self._draws = draws
        self._visible = visible
        self._now = from_iso(observation["sim_now"])
        self._step = observation["step"]
        self._schema: Schema = tool["input_schema"]

    def all(self) -> dict[str, Any]:
        """Return the required arguments and some of the optional ones."""
        required = self._schema.get("required", ())
        return {
            name: self._value(name, schema)
            for name, schema in self._schema["properties"].items()
            if name in required or self._draws.chance("given", _OPTIONAL, self._step, name)
        }

    def _value(self, name: str, schema: Schema) -> Any:
        schema = self._resolved(schema)
        if "anyOf" in schema:
            return self._value(name, self._choice("variant", schema["anyOf"], name))
        if "enum" in schema or "const" in schema:
            return self._choice("enum", schema.get("enum") or [schema["const"]], name)
        match schema.get("type"):
            case "integer":
                return self._integer(name, schema)
            case "number":
                return float(self._integer(name, schema))
            case "boolean":
                return self._choice("boolean", (True, False), name)
            case "array":
                return [self._value(f"{name}.{index}", schema["items"]) for index in range(self._count(name))]
            case "object":
                return {self._text("field"): self._integer(name, {})}
            case "string":
                return self._string(name, schema)
        return None

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref", "")
        return self._schema["$defs"][reference.rpartition("/")[2]] if reference else schema

    def _integer(self, name: str, schema: Schema) -> int:
        low = schema.get("minimum", 0)
        high = schema.get("maximum", max(low, _WIDEST))
        return self._draws.integer("integer", int(low), int(min(high, low + _WIDEST)), self._step, name)

    def _string(self, name: str, schema: Schema) -> str:
        if schema.get("format") == "date-time":
            return to_iso(self._now + self._draws.integer("instant", 60, DAY, self._step, name))
        seen = [*self._visible.objects(), *self._visible.people]
        if name.endswith("_id") or self._draws.chance("names an id", 0.5, self._step, name):
            return str(self._choice("id", seen, name))
        if (known := self._visible.names(name)) and self._draws.chance("known name", 0.5, self._step, name):
            return str(self._choice("name", known, name))
        return self._text(name)

    def _text(self, name: str) -> str:
        return str(self._choice("word", _WORDS, name))

    def _count(self, name: str) -> int:
        return self._draws.integer("count", 0, 2, self._step, name)

    def _choice(self, draw_name: str, options: Sequence[Any], name: str) -> Any:
        return self._draws.choice(draw_name, options, self._step, name)
