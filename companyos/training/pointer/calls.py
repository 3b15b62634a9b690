"""Writes tool calls as sequences of choices: of the tool, then of each argument among the values that can be chosen.

An argument is a value that was seen, one of its schema's enumerated values, or a phrase of the vocabulary: a constant,
or a text with one hole for a seen value, which demonstrations used. Lists and objects are chosen item by item. Prose is
composed of the values that it mentions, if it mentions any. Other arguments are out of reach.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from ..rollouts import UNUSED
from .occurrences import History, Scalar, mentions

#: A text that may be this long is prose: nobody compares it, and it may be composed.
PROSE_CHARACTERS: Final = 1000
#: The most items of a list, an object or a composed text.
MOST_ITEMS: Final = 16
_SHORT: Final = 100
_ANY: Final = {"type": ["string", "number", "boolean"]}
_NAME: Final = {"type": "string"}

Path = tuple[str, ...]
#: Phrases that can be chosen for an argument, by its path.
Vocabulary = Mapping[Path, tuple[Scalar, ...]]
#: Where a phrase takes a seen value.
HOLE: Final = "{}"


class Special(IntEnum):
    """Options that are no values."""

    OMIT = 0
    STOP = 1
    LIST = 2
    OBJECT = 3
    TEXT = 4


@dataclass(frozen=True)
class Slot:
    """A choice to be made.

    Attributes:
        path: The tool and the names of the arguments that lead here; empty for the choice of the tool.
        options: Specials below `len(Special)`, and values as their position in the history's plus this.
        target: The option that leads to the wanted call; None if no call is wanted.
    """

    path: Path
    options: tuple[int, ...]
    target: int | None


class OutOfReach(Exception):
    """A call cannot be composed of values that can be chosen.

    Attributes:
        path: The tool and the argument.
        value: The value that cannot be chosen.
    """

    def __init__(self, path: Path, value: Any) -> None:
        super().__init__(f"{'.'.join(path)} cannot become {value!r}")
        self.path = path
        self.value = value


class _Unknown:
    """No value is wanted."""


_UNKNOWN: Final = _Unknown()
_MISSING: Final = object()
Steps = Generator[Slot, int, Any]


def compose(
    history: History, vocabulary: Vocabulary, wanted: Mapping[str, Any] | None = None
) -> Generator[Slot, int, dict[str, Any]]:
    """Yield each choice, take the chosen option, and return the action.

    Args:
        history: What the agent has seen.
        vocabulary: Phrases by argument.
        wanted: The action whose choices are sought.

    Raises:
        OutOfReach: The wanted action cannot be composed.
    """
    return _Composer(history, vocabulary).call(wanted)


def choices_of(
    history: History, vocabulary: Vocabulary, action: Mapping[str, Any]
) -> tuple[list[Slot], dict[str, Any]]:
    """Return the choices that compose an action, and the action as it is then composed.

    Raises:
        OutOfReach: It cannot be composed.
    """
    steps, slots = compose(history, vocabulary, action), []
    try:
        slot = next(steps)
        while True:
            slots.append(slot)
            assert slot.target is not None
            slot = steps.send(slot.target)
    except StopIteration as end:
        return slots, end.value


class _Composer:
    def __init__(self, history: History, vocabulary: Vocabulary) -> None:
        self._history = history
        self._vocabulary = vocabulary

    def call(self, wanted: Mapping[str, Any] | None) -> Generator[Slot, int, dict[str, Any]]:
        tools = self._history.tools
        target = _UNKNOWN if wanted is None else wanted["tool_name"]
        name = yield from self._choose((), self._positions(tools), (), target)
        arguments = _UNKNOWN if wanted is None else wanted["arguments"]
        return {
            "type": "call_tool",
            "tool_name": name,
            "arguments": (yield from self._fields(tools[name]["input_schema"], (name,), arguments)),
        }

    def _fields(self, schema: Mapping[str, Any], path: Path, wanted: Any) -> Steps:
        """Choose the fields that a schema names, required ones first."""
        required, fields = schema.get("required", ()), {}
        properties = {name: each for name, each in schema["properties"].items() if name not in UNUSED}
        for name in sorted(properties, key=lambda name: name not in required):
            target = _UNKNOWN if wanted is _UNKNOWN else wanted.get(name, _MISSING)
            value = yield from self._value(properties[name], (*path, name), target, name not in required)
            if value is not _MISSING:
                fields[name] = value
        return fields

    def _value(self, schema: Mapping[str, Any], path: Path, wanted: Any, optional: bool = False) -> Steps:
        kinds = _kinds(schema)
        specials = [special for special, is_open in _specials(schema, kinds, optional) if is_open]
        phrases = self._vocabulary.get(path, ())
        values = self._open(schema, path)
        phrase, filling = self._phrase(phrases, wanted)
        chosen = yield from self._choose(path, values, specials, phrase)
        if chosen in phrases and HOLE in str(chosen):
            names = list(self._fitting(_NAME))
            return str(chosen).replace(
                HOLE, str((yield from self._choose((*path, "hole"), names, (), filling)))
            )
        if chosen is Special.OMIT:
            return _MISSING
        if chosen is Special.LIST:
            return (yield from self._items(schema.get("items", _ANY), path, wanted))
        if chosen is Special.OBJECT:
            if schema.get("properties"):
                return (yield from self._fields(schema, path, wanted))
            return (yield from self._pairs(path, wanted))
        if chosen is Special.TEXT:
            found = wanted if wanted is _UNKNOWN else self._mentioned(wanted)
            return ", ".join(map(str, (yield from self._items(_NAME, path, found, at_least=1))))
        return int(chosen) if kinds == {"integer"} else chosen

    def _phrase(self, phrases: Iterable[Scalar], wanted: Any) -> tuple[Any, Any]:
        """Return the phrase that a wanted text is made of, if it is, and the value in its hole."""
        if isinstance(wanted, str) and self._history.find(wanted) is None:
            for phrase in map(str, phrases):
                before, hole, after = phrase.partition(HOLE)
                filling = wanted[len(before) : len(wanted) - len(after)]
                if hole and wanted == before + filling + after and self._history.has_seen(filling):
                    return phrase, filling
        return wanted, _UNKNOWN

    def _items(self, schema: Mapping[str, Any], path: Path, wanted: Any, *, at_least: int = 0) -> Steps:
        """Choose items until STOP, none of them twice."""
        items: list[Any] = []
        path = (*path, "item")
        for position in range(MOST_ITEMS):
            target = _item(wanted, position)
            if schema.get("properties"):
                more = (Special.STOP, Special.OBJECT)
                chosen = yield from self._choose((*path, "more"), (), more, _stop(target))
                if chosen is Special.STOP:
                    break
                items.append((yield from self._fields(schema, path, target)))
                continue
            options = [each for each in self._open(schema, path) if self._value_at(each) not in items]
            stop = (Special.STOP,) if position >= at_least else ()
            item = yield from self._choose(path, options, stop, target)
            if item is Special.STOP:
                break
            items.append(item)
        return items

    def _pairs(self, path: Path, wanted: Any) -> Steps:
        """Choose names and values until STOP."""
        pairs: dict[str, Any] = {}
        names = _UNKNOWN if wanted is _UNKNOWN else list(wanted)
        is_named = (*path, "name")
        for position in range(MOST_ITEMS):
            target = _item(names, position)
            options = [each for each in self._open(_NAME, is_named) if self._value_at(each) not in pairs]
            name = yield from self._choose(is_named, options, (Special.STOP,), target)
            if name is Special.STOP:
                break
            value = _UNKNOWN if wanted is _UNKNOWN else wanted[name]
            pairs[name] = yield from self._value(_ANY, (*path, "value"), value)
        return pairs

    def _choose(self, path: Path, values: Iterable[int], specials: Iterable[Special], wanted: Any) -> Steps:
        """Choose a special or a value; a choice with one option is made without asking."""
        options = (*map(int, specials), *(len(Special) + value for value in values))
        target = None if wanted is _UNKNOWN else self._target(path, options, wanted)
        if not options:
            raise OutOfReach(path, None)
        option = options[0] if len(options) == 1 else (yield Slot(path, options, target))
        return Special(option) if option < len(Special) else self._value_at(option - len(Special))

    def _target(self, path: Path, options: tuple[int, ...], wanted: Any) -> int:
        option = self._option(wanted)
        if option not in options and isinstance(wanted, str) and self._mentioned(wanted):
            option = int(Special.TEXT)
        if option not in options:
            raise OutOfReach(path, None if wanted is _MISSING else wanted)
        return option

    def _option(self, wanted: Any) -> int:
        if wanted is _MISSING:
            return Special.OMIT
        if isinstance(wanted, Special):
            return wanted
        if isinstance(wanted, Mapping):
            return Special.OBJECT
        if isinstance(wanted, list):
            return Special.LIST
        position = self._history.find(wanted)
        return -1 if position is None else len(Special) + position

    def _open(self, schema: Mapping[str, Any], path: Path) -> list[int]:
        """Return the positions of the values that can be chosen for an argument."""
        return sorted({*self._fitting(schema), *self._positions(self._vocabulary.get(path, ()))})

    def _fitting(self, schema: Mapping[str, Any]) -> Iterator[int]:
        """Return the positions of the seen or enumerated values that a schema allows."""
        kinds = _kinds(schema)
        if allowed := schema.get("enum"):
            return self._positions(allowed)
        longest = min(schema.get("maxLength", _SHORT), _SHORT)
        return (
            position
            for position in self._history.seen
            if _kind(value := self._value_at(position)) & kinds
            and not (isinstance(value, str) and len(value) > longest)
        )

    def _positions(self, values: Iterable[Scalar]) -> Iterator[int]:
        return (position for value in values if (position := self._history.find(value)) is not None)

    def _value_at(self, position: int) -> Scalar:
        return self._history.values[position]

    def _mentioned(self, text: str) -> Sequence[Scalar]:
        found = dict.fromkeys(value for _, value in mentions(text) if isinstance(value, str))
        return [value for value in found if self._history.has_seen(value)][:MOST_ITEMS]


def _specials(schema: Mapping[str, Any], kinds: set[str], optional: bool) -> Iterator[tuple[Special, bool]]:
    yield Special.OMIT, optional
    yield Special.LIST, "array" in kinds
    yield Special.OBJECT, "object" in kinds
    yield Special.TEXT, "string" in kinds and schema.get("maxLength", 0) >= PROSE_CHARACTERS


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    kinds = schema.get("type", _ANY["type"])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _kind(value: Scalar) -> set[str]:
    """Return the kinds of JSON schema that a value is of."""
    if value is None:
        return set()
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, str):
        return {"string"}
    return {"number", "integer"} if float(value).is_integer() else {"number"}


def _item(wanted: Any, position: int) -> Any:
    """Return the item of a wanted list, STOP behind its end."""
    if wanted is _UNKNOWN:
        return _UNKNOWN
    return wanted[position] if position < len(wanted) else Special.STOP


def _stop(target: Any) -> Any:
    """Return whether a list of objects goes on."""
    return target if target is _UNKNOWN or target is Special.STOP else Special.OBJECT


def enumerated(tools: Mapping[str, Mapping[str, Any]]) -> Iterator[Scalar]:
    """Yield the values that the tools' schemas enumerate, and both truth values."""
    yield from (True, False)
    pending = [tool["input_schema"] for tool in tools.values()]
    for schema in pending:
        yield from schema.get("enum", ())
        pending += [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
