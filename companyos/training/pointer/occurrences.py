"""Where values occur in what an agent has seen: in the brief, in its calls and in their results.

Policies that point choose arguments among these values. Two occurrences are related if they have the same value, if
they are fields of one object, or if one turn showed both.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Scalar = str | int | float | bool | None
#: Separates a text into sentences and lines, the objects of prose.
_SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+|\n+")
#: A line of a list that names a value: `- tax id: T15920406`.
_NAMED: Final = re.compile(r"^\W*(?P<name>[A-Za-z][\w /-]{0,40}):\s+(?P<value>\S.{0,99})$")
#: Texts that can be pointed at, in the order in which they are sought; what one has found, no later one takes.
_MENTION: Final = re.compile(
    r"`(?P<quoted>[^`\n]{1,100})`"
    r"|\"(?P<title>[^\"\n]{1,100})\""
    r"|(?P<time>\d{4}-\d\d-\d\d(?:T[\d:]+Z)?)"
    r"|(?P<id>\b(?=[A-Z0-9-]*\d)[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*\b)"
    r"|(?P<word>\b[A-Za-z]\w*(?:[._-]\w+)+\b)"
    r"|(?P<number>(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w]))"
    r"|(?P<name>\b[A-Z][\w&]*(?: (?:of |for |and )?(?![A-Z0-9-]*\d)[A-Z][\w&]*)+)"
)


@dataclass(frozen=True)
class Occurrence:
    """A value at one place.

    Attributes:
        value: Position of the value in `History.values`.
        path: Names of the tool and the fields that lead to it, without positions in lists.
        turn: 0 for the brief, n for the n-th call and its result.
        owner: Number of the object, or the sentence, that it belongs to; unique in the episode.
    """

    value: int
    path: tuple[str, ...]
    turn: int
    owner: int


def key_of(value: Scalar) -> tuple[bool, Scalar]:
    """Return the identity of a value: 80 and 80.0 are equal, 1 and True are not."""
    return isinstance(value, bool), value


class History:
    """The conversation of an episode so far, as occurrences of values.

    Attributes:
        occurrences: All of them, in the order in which they were seen.
        values: The distinct values: first those known beforehand, then in the order in which they were seen.
        seen: Positions of the values that occur.
        turns: How many calls were made.
        now: The simulated time, ISO 8601.
        tools: The tools that the agent was given, by name.
    """

    def __init__(self, observation: Mapping[str, Any], known: Iterable[Scalar] = ()) -> None:
        """Begin with the observation of a reset.

        Args:
            observation: It holds the tools, and `brief` beside `text` if the episode begins in its middle.
            known: Values that can be chosen without being seen.
        """
        self.occurrences: list[Occurrence] = []
        self.values: list[Scalar] = []
        self.turns = 0
        self.now = str(observation["sim_now"])
        self.tools = {tool["name"]: tool for tool in observation["tools"]}
        self.seen: dict[int, None] = {}
        self._numbers: dict[tuple[bool, Scalar], int] = {}
        self._owners = 0
        for value in (*self.tools, *known):
            self._number(value)
        # The text of an episode that begins in its middle tells the prefix too, which is added call by call.
        self._read_text(observation.get("brief") or observation["text"], ("brief",))

    def find(self, value: Scalar) -> int | None:
        """Return the position of a value in `values`; None if it cannot be chosen."""
        return self._numbers.get(key_of(value))

    def add(self, action: Mapping[str, Any], observation: Mapping[str, Any]) -> None:
        """Add a call and what it returned."""
        self.turns += 1
        self.now = str(observation["sim_now"])
        name = str(action.get("tool_name"))
        self._read({"tool": name, **action.get("arguments", {})}, ("call", name))
        self._read(observation["result"], (name,))
        if observation["error"]:
            self._read(observation["error"], (name, "error"))

    def has_seen(self, value: Scalar) -> bool:
        """Return whether a value occurs."""
        return self.find(value) in self.seen

    def _read(self, value: Any, path: tuple[str, ...], owner: int | None = None) -> None:
        """Add the values of a JSON document; fields belong to their object, items of a list to the list's owner."""
        if isinstance(value, Mapping):
            owner = self._new_owner()
            for name, field in value.items():
                self._read(field, (*path, str(name)), owner)
        elif isinstance(value, list):
            owner = self._new_owner() if owner is None else owner
            for item in value:
                self._read(item, path, owner)
        else:
            owner = self._new_owner() if owner is None else owner
            self._add(value, path, owner)
            if isinstance(value, str) and " " in value:
                self._read_text(value, path)

    def _read_text(self, text: str, path: tuple[str, ...]) -> None:
        """Add the sentences of a text, each with the values that it mentions."""
        for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
            owner = self._new_owner()
            self._add(sentence, (*path, "sentence"), owner)
            for name, value in mentions(sentence):
                self._add(value, (*path, name), owner)

    def _add(self, value: Scalar, path: tuple[str, ...], owner: int) -> None:
        number = self._number(value)
        self.seen[number] = None
        self.occurrences.append(Occurrence(number, path, self.turns, owner))

    def _number(self, value: Scalar) -> int:
        number = self._numbers.setdefault(key_of(value), len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number

    def _new_owner(self) -> int:
        self._owners += 1
        return self._owners - 1


def mentions(sentence: str) -> Iterator[tuple[str, Scalar]]:
    """Yield the values that a sentence mentions, each with the name of its kind or the name that the line gives it."""
    if named := _NAMED.match(sentence):
        yield named["name"].lower(), _plain(named["value"].strip('`". '))
    for match in _MENTION.finditer(sentence):
        kind = match.lastgroup or "word"
        yield kind, _plain(match[kind]) if kind == "number" else match[kind]


def _plain(text: str) -> Scalar:
    """Return a text that is a number as one."""
    digits = text.replace(",", "")
    if re.fullmatch(r"-?\d{1,15}", digits):
        return int(digits)
    return float(digits) if re.fullmatch(r"-?\d{1,15}\.\d{1,9}", digits) else text
