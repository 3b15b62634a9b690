"""Prefetching: reads the rows that an operation will look up in the round trip that begins its unit of work.

An operation usually looks up the same kinds of rows: the ticket in its path, the actor, the counters of what
it adds. `LookupPredictor` remembers for each operation which lookups its units made, and how their keys
derive from its arguments. The next unit makes these lookups when it begins. They run under the same lock and
in the same transaction as they would later, so a wrong guess costs a little time and changes nothing.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ..postgres.prepared import Call
from . import statements
from .tables import WorldRow

#: The number of units after which a pattern is predicted.
BELIEVED = 2
MOST_BELIEVED = 4
MOST_PATTERNS = 32
#: Shorter arguments may occur in keys by chance.
SHORTEST_ARGUMENT = 3
LONGEST_ARGUMENT = 100


class Lookup(NamedTuple):
    """A lookup of one row by its key, or of the rows whose columns equal some values.

    Attributes:
        row: The row class.
        values: The key alone, or the values of `columns`.
        columns: Columns of a list; None for one row.
    """

    row: type[WorldRow]
    values: tuple[str | None, ...]
    columns: tuple[str, ...] | None = None

    @classmethod
    def listing(cls, row: type[WorldRow], equals: Mapping[str, Any]) -> "Lookup | None":
        """Return the lookup of a list; None if a value is not text, which rarely derives from arguments."""
        values = tuple(equals.values())
        return cls(row, values, tuple(equals)) if all(isinstance(v, str | None) for v in values) else None


def call_of(lookup: Lookup, chain: Mapping[str, Any]) -> Call:
    """Return the statement that makes a lookup, with its parameters."""
    if lookup.columns is None:
        return statements.newest(lookup.row), {**chain, "id": lookup.values[0]}
    equals = dict(zip(lookup.columns, lookup.values, strict=True))
    query = statements.listing(lookup.row, statements.compared(equals))
    return query.sql, {**query.constants, **chain, **statements.bound(equals)}


class _Template(NamedTuple):
    """The template of a value, which may contain an argument of the operation."""

    before: str | None
    argument: str | None = None
    after: str = ""


class _Pattern(NamedTuple):
    row: type[WorldRow]
    templates: tuple[_Template, ...]
    columns: tuple[str, ...] | None


class Expected:
    """The lookups expected of one unit of work.

    Attributes:
        lookups: The lookups likely enough to make when the unit begins.
    """

    def __init__(self, beliefs: dict[_Pattern, int], arguments: Mapping[str, str]) -> None:
        self._beliefs = beliefs
        self._arguments = arguments
        self._patterns = {
            lookup: pattern for pattern in beliefs if (lookup := _lookup(pattern, arguments)) is not None
        }
        self.lookups = [one for one, pattern in self._patterns.items() if beliefs[pattern] >= BELIEVED]

    def learn(self, made: Collection[Lookup]) -> None:
        """Learn from the lookups that the unit actually made."""
        beliefs = self._beliefs
        for lookup in made:
            pattern = self._patterns.get(lookup) or _pattern(lookup, self._arguments)
            if pattern in beliefs or len(beliefs) < MOST_PATTERNS:
                beliefs[pattern] = min(MOST_BELIEVED, beliefs.get(pattern, 0) + 1)
        for lookup, pattern in self._patterns.items():
            if lookup not in made and pattern in beliefs:
                beliefs[pattern] -= 1
                if not beliefs[pattern]:
                    del beliefs[pattern]


class LookupPredictor:
    """Predicts what the operations of one process look up."""

    def __init__(self) -> None:
        self._operations: dict[str, dict[_Pattern, int]] = {}

    def expect(self, operation: str, arguments: Mapping[str, object]) -> Expected:
        """Return the lookups expected of an operation's unit, derived from its text arguments."""
        texts = {
            name: value
            for name, value in arguments.items()
            if isinstance(value, str)
            and SHORTEST_ARGUMENT <= len(value) <= LONGEST_ARGUMENT
            and not statements.unstorable(value)
        }
        return Expected(self._operations.setdefault(operation, {}), texts)


def nothing_expected() -> Expected:
    """Return an empty expectation that learns nothing, for an operation that is rarely repeated."""
    return Expected({}, {})


def _pattern(lookup: Lookup, arguments: Mapping[str, str]) -> _Pattern:
    templates = tuple(_template(value, arguments) for value in lookup.values)
    return _Pattern(lookup.row, templates, lookup.columns)


def _template(value: str | None, arguments: Mapping[str, str]) -> _Template:
    contained = [name for name, text in arguments.items() if value is not None and text in value]
    if value is None or not contained:
        return _Template(value)
    longest = max(contained, key=lambda name: len(arguments[name]))
    before, _, after = value.partition(arguments[longest])
    return _Template(before, longest, after)


def _lookup(pattern: _Pattern, arguments: Mapping[str, str]) -> Lookup | None:
    if any(one.argument is not None and one.argument not in arguments for one in pattern.templates):
        return None
    return Lookup(pattern.row, tuple(_filled(one, arguments) for one in pattern.templates), pattern.columns)


def _filled(template: _Template, arguments: Mapping[str, str]) -> str | None:
    before, argument, after = template
    return before if argument is None else f"{before}{arguments[argument]}{after}"
