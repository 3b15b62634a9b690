"""Calls at the edges of what the tools accept, made from their schemas and from calls that make sense.

Half of the values are generated from a schema's grammar, at its bounds and with odd text; the others are mutations of
plausible ones. Most of them pass the orchestrator's checks, so that the services have to deal with them.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from companyos.sdk.scenario import Action, call

from .plausible_calls import ENDS, WAITS, PlausibleCaller

Schema = Mapping[str, Any]

#: Characters and words that parsers, patterns, queries and encodings stumble over.
PIECES: Final = (
    *"'\"\\%_*?&|!()[]{}<>:;,.-+~^$#@/=` \t\n\r\v\f\x01\x1b\x7f\x85\u00a0\u00ad\u0300\u0130\u0131\u0345",
    *"ßẞﬁ\u200b\u200d\u200e\u202e\u2028\u2029\u3000\ufdfd\ufeff\ufffe\uffff\U0001f600\U000e0001\U0010ffff",
    *(
        "--",
        "/*",
        "*/",
        "''",
        "<->",
        ":*",
        "&&",
        "||",
        "!!",
        "\\x",
        "\\u0000",
        "%s",
        "%(a)s",
        "{0}",
        "{{",
        "$1",
    ),
    *("..", "../", "%00", "%2F", "null", "None", "NaN", "Infinity", "true", "0x10", "1e400", "-0", "٣", "²"),
    *(
        "-" * 33,
        "(" * 60,
        "a:" * 40,
        "or ",
        "and ",
        '"a',
        "not ",
        "'a' & 'b'",
        "<script>",
        "🏳️‍🌈",
        "e\u0301" * 20,
    ),
)
INTEGERS: Final = (
    0,
    1,
    -1,
    2,
    31,
    127,
    128,
    255,
    256,
    32_767,
    32_768,
    2**31 - 1,
    2**31,
    2**53,
    2**63 - 1,
    -(2**63),
)
NUMBERS: Final = (*INTEGERS, 0.1, -0.0, 1e-320, 1e15 + 0.3, 1e22, 1e300, -1e300, 0.005, 1.005)
INSTANTS: Final = (
    *("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2030-02-29T00:00:00Z", "2030-03-04T24:00:00Z"),
    *(
        "2030-03-04T09:00:00+14:00",
        "2030-03-04T09:00:00-23:59",
        "2030-03-04T09:00:60Z",
        "2030-03-04",
        "9" * 12,
    ),
    *(
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+14:00",
        "2030-03-04T09:00:00.123456789Z",
        "2030-W10-1",
        "2030-03-04t09:00:00z",
        "+12030-01-01",
    ),
)
STRANGE: Final = (
    "version",
    "min_version",
    "idempotency_key",
    "limit",
    "cursor",
    "world",
    "self",
    "tool_name",
    "",
    "a.b",
)
LONGEST: Final = 12_000


def nested(depth: int) -> Any:
    """Return lists and objects in one another."""
    value: Any = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


class OddCaller:
    """Draws calls; equal clerks and observations give equal calls.

    Args:
        clerk: Knows the company, and draws the calls that are mutated.
        tools: All tools that a reset lists, those that end the episode included.
    """

    def __init__(self, clerk: PlausibleCaller, tools: Sequence[Schema]) -> None:
        self._clerk = clerk
        self._random: Random = clerk.random
        self._tools = list(tools)
        self._usual = [tool for tool in tools if tool["name"] not in ENDS]

    def see(self, observation: Mapping[str, Any]) -> None:
        """Take note of what an observation names."""
        self._clerk.see(observation)  # type: ignore[arg-type]

    def act(self) -> Action:
        """Return the next call."""
        kinds: dict[Callable[[], Action], int] = {
            self._generated: 8,
            self._mutated: 10,
            self._clerk.planned: 2,
            self._waiting: 1,
        }
        return self._random.choices(list(kinds), list(kinds.values()))[0]()

    def _tool(self) -> Schema:
        return self._random.choice(self._tools if self._random.random() < 0.03 else self._usual)

    def _waiting(self) -> Action:
        return call("wait", seconds=self._random.choice(WAITS))

    def _generated(self) -> Action:
        tool = self._tool()
        schema = tool["input_schema"]
        required = schema.get("required", ())
        wanted = [name for name in schema["properties"] if name in required or self._random.random() < 0.4]
        arguments = {name: self._value(name, schema["properties"][name]) for name in wanted}
        return {"type": "call_tool", "tool_name": tool["name"], "arguments": arguments}

    def _mutated(self) -> Action:
        tool = self._tool()
        action = self._generated() if tool["name"] in ENDS else self._clerk.call_of(tool)
        arguments = dict(action["arguments"])
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            name = self._random.choice([*arguments, *arguments, *arguments, self._random.choice(STRANGE)])
            if name in arguments and self._random.random() < 0.1:
                del arguments[name]
            else:
                arguments[name] = self._mutation(arguments.get(name))
        return {"type": "call_tool", "tool_name": action["tool_name"], "arguments": arguments}

    def _value(self, name: str, schema: Schema) -> Any:
        """Return a value that a schema mostly allows: half of the time what the company has, else an edge."""
        if "anyOf" in schema:
            return self._value(name, self._random.choice(schema["anyOf"]))
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if schema.get("type") in ("string", "integer") and self._random.random() < 0.4:
            return self._clerk.value(name, schema)
        return self._of_type(name, schema)

    def _of_type(self, name: str, schema: Schema) -> Any:
        match schema.get("type"):
            case "string":
                return self._text(schema)
            case "integer" | "number":
                return self._bounded(INTEGERS if schema["type"] == "integer" else NUMBERS, schema)
            case "boolean":
                return self._random.random() < 0.5
            case "array":
                return self._list(name, schema)
            case "object":
                return self._object(name, schema)
            case "null":
                return None
        return self._anything()

    def _list(self, name: str, schema: Schema) -> list[Any]:
        most = min(schema.get("maxItems", 30), 60)
        count = self._random.choice((0, 1, 1, 2, min(3, most), most))
        inner, again = schema.get("items", {}), self._random.random() < 0.3
        item = self._value(name, inner)
        return [item if again else self._value(name, inner) for _ in range(count)]

    def _object(self, name: str, schema: Schema) -> dict[str, Any]:
        if properties := schema.get("properties"):
            return {
                one: self._value(one, inner)
                for one, inner in properties.items()
                if self._random.random() < 0.9
            }
        inner = schema.get("additionalProperties")
        inner = inner if isinstance(inner, dict) else {"type": "string", "maxLength": 50}
        count = self._random.choice((0, 1, 2, min(schema.get("maxProperties", 20), 60)))
        return {self._short(): self._value(name, inner) for _ in range(count)}

    def _bounded(self, values: Sequence[Any], schema: Schema) -> Any:
        low, high = schema.get("minimum"), schema.get("maximum")
        edges = [edge + by for edge in (low, high) if edge is not None for by in (0, 0, 0, -1, 1)]
        inside = [one for one in values if (low is None or one >= low) and (high is None or one <= high)]
        return self._random.choice([*edges, *inside, *inside, self._random.randint(1, 99)])

    def _text(self, schema: Schema) -> str:
        if schema.get("format") in ("date-time", "date") or self._random.random() < 0.05:
            return self._random.choice(INSTANTS)
        longest = min(schema.get("maxLength", 2_000), LONGEST)
        length = self._random.choice(
            (schema.get("minLength", 0), 1, 3, 20, 200, longest, longest, longest + 1)
        )
        if self._random.random() < 0.3:
            piece = self._random.choice(PIECES)
            return (piece * (length // len(piece) + 1))[:length]
        text = ""
        while len(text) < min(length, 400):
            text += self._random.choice(PIECES) + self._random.choice(("", "", "a", "vendor", " "))
        return (text * (length // max(len(text), 1) + 1))[:length]

    def _short(self) -> str:
        return "".join(self._random.choices(PIECES, k=self._random.choice((0, 1, 2)))) + self._random.choice(
            "abcdef"
        )

    def _anything(self) -> Any:
        return self._random.choice(
            (None, True, 0, -1.5, "", self._short(), [], {}, [[]], {"a": None}, nested(6))
        )

    def _mutation(self, value: Any) -> Any:
        if self._random.random() < 0.15:
            return self._random.choice((self._anything(), [value], {"value": value}, str(value), nested(40)))
        match value:
            case bool():
                return self._random.choice((not value, int(value), str(value)))
            case int() | float():
                return self._random.choice((value + 1, -value, float(value), str(value), *NUMBERS))
            case str():
                return self._changed(value)
            case list() if value:
                return self._random.choice(
                    (value * 2, value * 70, [*value, None], [self._mutation(value[0])], [])
                )
            case dict() if value:
                name = self._random.choice(list(value))
                return {**value, name: self._mutation(value[name]), self._short(): self._anything()}
        return self._text({})

    def _changed(self, text: str) -> str:
        at = self._random.randint(0, len(text))
        piece = self._random.choice(PIECES)
        return self._random.choice(
            (
                text[:at] + piece + text[at:],
                text[:at] + piece + text[at + 1 :],
                text[:at],
                text.swapcase(),
                text * self._random.choice((2, 50)),
                f" {text} ",
                text + "0" * self._random.choice((1, 30)),
                text.translate({ord("0"): "٠", ord("1"): "１"}),
                text[:at] + "\0" + text[at:],
                "",
            )
        )
