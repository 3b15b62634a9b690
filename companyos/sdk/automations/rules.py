"""The language of rules: triggers, conditions and terms, and their evaluation.

A term is a literal, a fact of the occurrence (`"$holder"`), or a lookup in the service that runs the rule:

    {"count": "assets", "where": {"holder": "$holder", "asset_class": "A"}}      how many rows match
    {"first": "tickets", "where": {"subject": "$asset_id"}, "column": "status"}  a column of the first of them
    {"value": "live_metric", "of": "MET-0107"}                                   a value that the service offers

A condition is `{"left": term, "is": operator, "right": term}`. Evaluation is a generator that yields the
lookups it needs and is sent their values, so a service can answer them from its tables and a simulation from
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Term = Any
Facts = Mapping[str, Any]
Condition = Mapping[str, Any]

OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "in": lambda left, right: left in right,
    "has": lambda left, right: right in left,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
}
#: Operators that a missing value never satisfies.
_COMPARING: Final = frozenset({"has", "lt", "le", "gt", "ge"})


@dataclass(frozen=True)
class Lookup:
    """A value that only the service knows.

    Attributes:
        kind: `count`, `first` or `value`.
        name: A table, or the name of an offered value.
        where: Columns and their required values; for `value`, its argument as `of`.
        column: The requested column of the first row.
    """

    kind: str
    name: str
    where: tuple[tuple[str, Any], ...]
    column: str = ""


@dataclass(frozen=True)
class Rule:
    """An automation.

    Attributes:
        service: The service that runs it.
        number: Its position among the rules that one occurrence starts.
        trigger: An event, or one of the service's own tables, whose changed rows start the rule.
        do: `{"action": name, "with": {argument: term}}`.
        active_from: The first instant at which it runs; None means always.
        active_until: The first instant at which it no longer runs.
    """

    id: str
    service: str
    number: int
    trigger: str
    when: Sequence[Condition]
    do: Mapping[str, Any]
    paused: bool = False
    active_from: int | None = None
    active_until: int | None = None

    @property
    def action(self) -> str:
        """The action it takes."""
        return str(self.do["action"])

    @property
    def terms(self) -> list[Term]:
        """Every term of its conditions and arguments."""
        sides = [condition[side] for condition in self.when for side in ("left", "right")]
        return [*sides, *self.do.get("with", {}).values()]


@dataclass(frozen=True)
class Occurrence:
    """The input of a rule: a trigger that occurred, and its facts."""

    trigger: str
    facts: Facts


def is_active(rule: Any, now: int) -> bool:
    """Return whether a rule, or its row, is active at an instant."""
    begun = rule.active_from is None or rule.active_from <= now
    return begun and not rule.paused and (rule.active_until is None or now < rule.active_until)


def may_hold(when: Sequence[Condition], facts: Facts) -> bool:
    """Return whether conditions can hold, judging only by facts that must equal a text."""
    # Called for every rule on every act; equality with a text rules out most of them.
    return all(
        facts.get(one["left"][1:]) == one["right"]
        for one in when
        if one["is"] == "eq" and _is_text(one["right"]) and _is_fact(one["left"])
    )


def _is_fact(term: Term) -> bool:
    return isinstance(term, str) and term.startswith("$")


def _is_text(term: Term) -> bool:
    return isinstance(term, str) and not term.startswith("$")


def evaluate(when: Sequence[Condition], facts: Facts) -> Generator[Lookup, Any, bool]:
    """Evaluate conditions up to the first that fails, and return whether all hold.

    Yields lookups and is sent their values.
    """
    for condition in when:
        left = yield from _value(condition["left"], facts)
        right = yield from _value(condition["right"], facts)
        if condition["is"] in _COMPARING and None in (left, right):
            return False
        if not OPERATORS[condition["is"]](left, right):
            return False
    return True


def arguments(do: Mapping[str, Any], facts: Facts) -> Generator[Lookup, Any, dict[str, Any]]:
    """Evaluate the arguments of an action the way `evaluate` evaluates conditions."""
    found: dict[str, Any] = {}
    for name, term in do.get("with", {}).items():
        found[name] = yield from _value(term, facts)
    return found


def given(left: Term, operator: str, right: Term) -> dict[str, Any]:
    """Return a condition."""
    return {"left": left, "is": operator, "right": right}


def _value(term: Term, facts: Facts) -> Generator[Lookup, Any, Any]:
    if not isinstance(term, Mapping):
        return _plain(term, facts)
    return (yield _bound(term, facts))


def _plain(term: Term, facts: Facts) -> Any:
    return facts.get(term[1:]) if isinstance(term, str) and term.startswith("$") else term


def _bound(term: Mapping[str, Any], facts: Facts) -> Lookup:
    if "value" in term:
        return Lookup("value", term["value"], (("of", _plain(term.get("of"), facts)),))
    kind = "count" if "count" in term else "first"
    where = tuple(sorted((column, _plain(one, facts)) for column, one in term["where"].items()))
    return Lookup(kind, term[kind], where, term.get("column", ""))
