"""The proof that a company's automations end, and end alike in whatever order events are delivered.

A *run* is one transaction of a service: everything that one delivery starts there, its rules in their numbered order.
An act of a person or of the clock starts runs, and each of their writes and events starts others: a tree. Of the tree
of every act it is shown that

1. no rule starts itself, directly or through others;
2. no chain has more than `MOST_DEEP` rules;
3. runs of one service that neither is the cause of commute: they change no table in common, and neither looks at a
   column that the other changes.

Conditions count as met, except that a rule which asks for a changed column starts from that change only. So the proof
refuses some sets that would be harmless, and accepts none that is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from .offers import Effects, Offer
from .rules import Rule, Term

MOST_DEEP: Final = 4
#: The most runs that one act may start.
MOST_RUNS: Final = 200


class AutomationsUnsafe(ValueError):
    """A set of automations that names what is not there, or that the proof refuses; the message says which and why."""


@dataclass(frozen=True)
class _Run:
    """A run in the tree of an act; `path` names the rules that led to it, its own being the last."""

    service: str
    rules: tuple[str, ...]
    effects: Effects
    ancestors: frozenset[int]


@dataclass
class _Tree:
    """The runs of one act, as far as they are known."""

    offers: Mapping[str, Offer]
    rules: Sequence[Rule]
    runs: list[_Run] = field(default_factory=list)

    def grow(self, service: str, done: Effects, path: tuple[str, ...], ancestors: frozenset[int]) -> None:
        """Add the runs that a transaction of a service starts, and all that they start."""
        for name in sorted(self.offers):
            occurred = done.publishes | (_tables(done.writes) if name == service else frozenset())
            # A service learns of its own changes in one delivery, of each event of another in one of its own.
            deliveries = [occurred] if name == service else [frozenset({one}) for one in sorted(occurred)]
            for delivery in deliveries:
                self._deliver(name, delivery, done.writes if name == service else None, path, ancestors)

    def _deliver(
        self,
        service: str,
        triggers: frozenset[str],
        changed: frozenset[str] | None,
        path: tuple[str, ...],
        ancestors: frozenset[int],
    ) -> None:
        offer = self.offers[service]
        started = [
            rule for rule in self.rules if rule.service == service and _starts(rule, triggers, changed)
        ]
        own = (
            [offer.reactions[one] for one in sorted(triggers & offer.reactions.keys())]
            if changed is None
            else []
        )
        if not started and not own:
            return
        for rule in started:
            if rule.id in path:
                raise AutomationsUnsafe(f"A cycle: {' → '.join((*path[path.index(rule.id) :], rule.id))}.")
            if len(path) == MOST_DEEP:
                raise AutomationsUnsafe(f"More than {MOST_DEEP} deep: {' → '.join((*path, rule.id))}.")
        self._add(
            service,
            [*((rule.id, effects_of(rule, offer)) for rule in started), *(("", one) for one in own)],
            path,
            ancestors,
        )

    def _add(
        self,
        service: str,
        parts: Sequence[tuple[str, Effects]],
        path: tuple[str, ...],
        ancestors: frozenset[int],
    ) -> None:
        names, number = tuple(name for name, _ in parts if name), len(self.runs)
        self.runs.append(_Run(service, names, together(effects for _, effects in parts), ancestors))
        if len(self.runs) > MOST_RUNS:
            raise AutomationsUnsafe(f"One act starts more than {MOST_RUNS} runs.")
        for name, effects in parts:
            if effects.writes or effects.publishes:
                self.grow(service, effects, (*path, name) if name else path, ancestors | {number})


def prove(rules: Iterable[Rule], offers: Iterable[Offer]) -> None:
    """Prove a company's automations safe.

    Raises:
        AutomationsUnsafe: A rule names something that its service does not offer, there is a cycle, a chain is too
            deep, or two runs do not commute.
    """
    by_name, listed = (
        {offer.service: offer for offer in offers},
        sorted(rules, key=lambda one: (one.service, one.number, one.id)),
    )
    for rule in listed:
        _check_words(rule, by_name)
    _check_order(listed)
    for rule in listed:
        _check_chain(rule, listed, by_name)
    for offer in by_name.values():
        for act in offer.acts:
            tree = _Tree(by_name, listed)
            tree.grow(offer.service, act, (), frozenset())
            _check_commuting(tree.runs)


def effects_of(rule: Rule, offer: Offer) -> Effects:
    """Return what a rule's run looks at and does."""
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


def _starts(rule: Rule, triggers: frozenset[str], changed: frozenset[str] | None) -> bool:
    if rule.trigger not in triggers:
        return False
    asked = {one["right"] for one in rule.when if one["left"] == "$changed" and one["is"] == "has"}
    return changed is None or all(f"{rule.trigger}.{column}" in changed for column in asked)


def _check_chain(rule: Rule, rules: Sequence[Rule], offers: Mapping[str, Offer]) -> None:
    """Refuse cycles and chains that begin with a rule, whether or not a declared act starts it."""
    tree = _Tree(offers, rules)
    tree.grow(rule.service, effects_of(rule, offers[rule.service]), (rule.id,), frozenset())


def _check_commuting(runs: Sequence[_Run]) -> None:
    for (number, one), (later, other) in combinations(enumerate(runs), 2):
        if one.service != other.service or number in other.ancestors or later in one.ancestors:
            continue
        if clash := _clash(one.effects, other.effects):
            named = " and ".join(
                ", ".join(run.rules) or f"{run.service} itself"
                for run in sorted((one, other), key=lambda run: run.rules)
            )
            raise AutomationsUnsafe(
                f"The order of {named} decides what becomes of {', '.join(sorted(clash))}."
            )


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
        place = (rule.service, rule.trigger, rule.number)
        if place in seen:
            raise AutomationsUnsafe(f"{seen[place]} and {rule.id} have the same number on {rule.trigger}.")
        seen[place] = rule.id


def _known(offer: Offer) -> frozenset[str]:
    shown = {f"{table}.{column}" for table, columns in offer.tables.items() for column in columns}
    return frozenset(shown).union(*offer.values.values())


def _columns(term: Term, offer: Offer) -> frozenset[str]:
    """Return the columns that a term looks at."""
    if not isinstance(term, Mapping):
        return frozenset()
    if "value" in term:
        return offer.values.get(term["value"], frozenset({f"value {term['value']}"}))
    table = term.get("count") or term["first"]
    named = ["id", *term["where"], *([term["column"]] if "column" in term else [])]
    return frozenset(f"{table}.{column}" for column in named)


def _facts(term: Term) -> frozenset[str]:
    """Return the facts of the occurrence that a term takes."""
    if isinstance(term, Mapping):
        inner = [term.get("of"), *term.get("where", {}).values()]
        return frozenset().union(*(_facts(one) for one in inner))
    return frozenset({term[1:]}) if isinstance(term, str) and term.startswith("$") else frozenset()


def _tables(columns: frozenset[str]) -> frozenset[str]:
    return frozenset(column.partition(".")[0] for column in columns)
