"""Proves that a company's automations terminate, with the same result for every order of event delivery.

A *run* is one transaction of a service: everything that one delivery starts there, with rules in their
numbered order. An act of a person or of the clock starts runs, and their writes and events start more runs: a
tree. All effects of a transaction are delivered to its own service at once, and each of its events to other
services separately. The proof shows that

1. no rule starts itself, directly or through others;
2. no chain has more than `MOST_DEEP` rules;
3. any two runs of an act in the same service commute, unless one follows from the other: they change no table
   in common, and neither reads a column that the other changes.

The proof assumes that all conditions hold, except that a rule that requires a changed column starts only from
that change. So it refuses some harmless sets and accepts no harmful one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from .offers import Effects, Offer
from .rules import Rule, Term

MOST_DEEP: Final = 4
#: The maximum number of runs that one act may start.
MOST_RUNS: Final = 200


class AutomationsUnsafe(ValueError):
    """A set of automations refers to something unknown or fails the proof. The message says which and why."""


@dataclass(frozen=True)
class _Part:
    """A rule, or a service's own reaction to an event.

    Attributes:
        name: The rule's id; empty for a reaction.
        facts: Facts that an event must have for the rule to run: terms with their values.
    """

    name: str
    effects: Effects
    facts: tuple[tuple[str, str], ...] = ()

    def excludes(self, other: _Part) -> bool:
        """Return whether the two can never both run on one event."""
        mine, theirs = dict(self.facts), dict(other.facts)
        return any(theirs.get(term, value) != value for term, value in mine.items())


@dataclass(frozen=True)
class _Run:
    """One transaction in the tree of an act.

    Attributes:
        ancestors: The runs that led to it.
        because: The parts of those runs whose events led to it, for runs started by a single event.
    """

    service: str
    parts: tuple[_Part, ...]
    ancestors: frozenset[int]
    because: tuple[tuple[int, _Part], ...] = ()

    @property
    def effects(self) -> Effects:
        return together(part.effects for part in self.parts)

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if part.name)


@dataclass(frozen=True)
class _Company:
    """The rules of a company and the offers of its services, with lookups by what starts a rule."""

    offers: Mapping[str, Offer]
    rules: Sequence[Rule]

    def within(self, service: str, done: Effects) -> list[_Part]:
        """Return the rules that a service's own changes and events start in it, in a single delivery."""
        occurred = done.publishes | _tables(done.writes)
        return [
            self.part(rule)
            for rule in self.rules
            if rule.service == service and rule.trigger in occurred and _asks_for(rule) <= done.writes
        ]

    def elsewhere(self, service: str, event: str) -> Iterator[tuple[str, list[_Part]]]:
        """Yield the other services in which an event starts something, with what it starts."""
        for name, offer in sorted(self.offers.items()):
            if name != service:
                started = [
                    self.part(one) for one in self.rules if (one.service, one.trigger) == (name, event)
                ]
                own = [_Part("", offer.reactions[event])] if event in offer.reactions else []
                if started or own:
                    yield name, [*started, *own]

    def started_by(self, service: str, part: _Part) -> Iterator[tuple[str, _Part]]:
        """Yield what one part of a transaction can start, in any service."""
        yield from ((service, one) for one in self.within(service, part.effects))
        for event in sorted(part.effects.publishes):
            for name, parts in self.elsewhere(service, event):
                yield from ((name, one) for one in parts)

    def check_chain(self, service: str, part: _Part, path: tuple[str, ...]) -> None:
        """Refuse cycles and too deep chains among the rules that a part can start."""
        for name, one in self.started_by(service, part):
            if one.name and one.name in path:
                raise AutomationsUnsafe(f"A cycle: {' → '.join((*path[path.index(one.name) :], one.name))}.")
            longer = (*path, one.name) if one.name else path
            if len(longer) > MOST_DEEP:
                raise AutomationsUnsafe(f"More than {MOST_DEEP} deep: {' → '.join(longer)}.")
            self.check_chain(name, one, longer)

    def grow(self, runs: list[_Run], act: Effects, service: str) -> None:
        """Add the runs that an act in a service starts, and all that they start."""
        self._follow(runs, _Run(service, (_Part("", act),), frozenset()), None, one_event=True)

    def _follow(self, runs: list[_Run], run: _Run, number: int | None, *, one_event: bool) -> None:
        ancestors = run.ancestors if number is None else run.ancestors | {number}
        if own := self.within(run.service, run.effects):
            # An act concerns one object. A run may concern several, whose changes are delivered together.
            self._add(runs, _Run(run.service, tuple(own), ancestors, run.because), one_event=number is None)
        for part in run.parts:
            because = (*run.because, *([(number, part)] if number is not None and one_event else []))
            for event in sorted(part.effects.publishes):
                for name, started in self.elsewhere(run.service, event):
                    self._add(runs, _Run(name, tuple(started), ancestors, because), one_event=True)

    def _add(self, runs: list[_Run], run: _Run, *, one_event: bool) -> None:
        if len(runs) == MOST_RUNS:
            raise AutomationsUnsafe(f"One act starts more than {MOST_RUNS} runs.")
        runs.append(run)
        self._follow(runs, run, len(runs) - 1, one_event=one_event)

    def part(self, rule: Rule) -> _Part:
        """Return a rule with its effects."""
        equal = (one for one in rule.when if one["is"] == "eq" and "." in rule.trigger)
        facts = ((repr(one["left"]), repr(one["right"])) for one in equal if _is_literal(one["right"]))
        return _Part(rule.id, effects_of(rule, self.offers[rule.service]), tuple(facts))


def prove(rules: Iterable[Rule], offers: Iterable[Offer]) -> None:
    """Prove a company's automations safe.

    Raises:
        AutomationsUnsafe: A rule names something that its service does not offer, there is a cycle, a chain is too
            deep, or two runs do not commute.
    """
    by_name = {offer.service: offer for offer in offers}
    listed = sorted(rules, key=lambda one: (one.service, one.number, one.id))
    for rule in listed:
        _check_words(rule, by_name)
    _check_order(listed)
    company = _Company(by_name, listed)
    for rule in listed:
        company.check_chain(rule.service, company.part(rule), (rule.id,))
    for offer in by_name.values():
        for act in offer.acts:
            runs: list[_Run] = []
            for _ in range(2 if act.publishes & offer.repeated else 1):
                company.grow(runs, act, offer.service)
            _check_commuting(runs)


def effects_of(rule: Rule, offer: Offer) -> Effects:
    """Return what a rule reads, writes and publishes when it runs."""
    action = offer.actions[rule.action]
    seen = frozenset().union(*(_columns(term, offer) for term in rule.terms))
    return Effects(action.writes, action.publishes, action.reads | seen)


def together(parts: Iterable[Effects]) -> Effects:
    """Return the effects of several parts of a transaction."""
    all_ = list(parts)
    return Effects(
        frozenset().union(*(one.writes for one in all_)),
        frozenset().union(*(one.publishes for one in all_)),
        frozenset().union(*(one.reads for one in all_)),
    )


def _asks_for(rule: Rule) -> frozenset[str]:
    """Return the columns that must have changed for a rule to run."""
    asked = (one["right"] for one in rule.when if one["left"] == "$changed" and one["is"] == "has")
    return frozenset(f"{rule.trigger}.{column}" for column in asked)


def _check_commuting(runs: Sequence[_Run]) -> None:
    for (number, one), (later, other) in combinations(enumerate(runs), 2):
        # The services' own reactions commute, as their tests show.
        if one.service != other.service or not (one.rules or other.rules):
            continue
        if number in other.ancestors or later in one.ancestors or _never_both(one, other):
            continue
        if clash := _clash(one.effects, other.effects):
            named = " and ".join(
                ", ".join(run.rules) or f"{run.service} itself"
                for run in sorted((one, other), key=lambda run: run.rules)
            )
            raise AutomationsUnsafe(
                f"The order of {named} decides what becomes of {', '.join(sorted(clash))}."
            )


def _never_both(one: _Run, other: _Run) -> bool:
    """Return whether both runs stem from one event through rules that cannot both run on it."""
    pairs = ((a, b) for m, a in one.because for n, b in other.because if m == n)
    return any(a.excludes(b) for a, b in pairs)


def _clash(one: Effects, other: Effects) -> frozenset[str]:
    both = _tables(one.writes) & _tables(other.writes)
    return both | (one.reads & other.writes) | (other.reads & one.writes)


def _check_words(rule: Rule, offers: Mapping[str, Offer]) -> None:
    offer = offers.get(rule.service)
    if offer is None:
        raise AutomationsUnsafe(f"{rule.id}: no service {rule.service} offers automations.")
    if rule.trigger not in {*offer.events, *offer.tables}:
        raise AutomationsUnsafe(f"{rule.id}: {rule.service} offers no trigger {rule.trigger}.")
    if rule.action not in offer.actions:
        raise AutomationsUnsafe(f"{rule.id}: {rule.service} offers no action {rule.action}.")
    unknown = frozenset().union(*(_columns(term, offer) for term in rule.terms)) - _known(offer)
    if unknown:
        raise AutomationsUnsafe(f"{rule.id}: {rule.service} does not show {', '.join(sorted(unknown))}.")
    facts = offer.events.get(rule.trigger)
    missing = frozenset().union(*(_facts(term) for term in rule.terms)) - (facts or frozenset())
    if facts is not None and missing:
        raise AutomationsUnsafe(f"{rule.id}: {rule.trigger} has no {', '.join(sorted(missing))}.")


def _check_order(rules: Sequence[Rule]) -> None:
    seen: dict[tuple[str, str, int], str] = {}
    for rule in rules:
        key = (rule.service, rule.trigger, rule.number)
        if key in seen:
            raise AutomationsUnsafe(f"{seen[key]} and {rule.id} have the same number on {rule.trigger}.")
        seen[key] = rule.id


def _known(offer: Offer) -> frozenset[str]:
    shown = {f"{table}.{column}" for table, columns in offer.tables.items() for column in columns}
    return frozenset(shown).union(*offer.values.values())


def _columns(term: Term, offer: Offer) -> frozenset[str]:
    """Return the columns that a term reads."""
    if not isinstance(term, Mapping):
        return frozenset()
    if "value" in term:
        return offer.values.get(term["value"], frozenset({f"value {term['value']}"}))
    table = term.get("count") or term["first"]
    named = ["id", *term["where"], *([term["column"]] if "column" in term else [])]
    return frozenset(f"{table}.{column}" for column in named)


def _is_literal(term: Term) -> bool:
    return not isinstance(term, Mapping) and not (isinstance(term, str) and term.startswith("$"))


def _facts(term: Term) -> frozenset[str]:
    """Return the facts of the occurrence that a term uses."""
    if isinstance(term, Mapping):
        inner = [term.get("of"), *term.get("where", {}).values()]
        return frozenset().union(*(_facts(one) for one in inner))
    return frozenset({term[1:]}) if isinstance(term, str) and term.startswith("$") else frozenset()


def _tables(columns: frozenset[str]) -> frozenset[str]:
    return frozenset(column.partition(".")[0] for column in columns)
