"""The puzzle of a change: hand-overs, the rules in their way, and the search for acts that harm nobody.

Its author builds it from what was drawn, and an agent from what can be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from typing import Final, NamedTuple

from companyos.sdk.automations import Rule
from companyos.sdk.grading.state import Row

from .documents import LATEST
from .pack import PRIORITIES
from .simulation import Act, State

#: The words with which a project's ticket says that it has to end with high priority.
HIGH: Final = "priority high"


class Move(NamedTuple):
    """A hand-over of an asset to a person, with its ticket."""

    asset: Row
    to: str
    ticket: Row


class Solution(NamedTuple):
    """The hand-overs that are made, and an order of acts that makes them; neither if nothing can be done."""

    moves: Sequence[Move] = ()
    acts: Sequence[Act] = ()


@dataclass(frozen=True)
class Puzzle:
    """The hand-overs, and all that decides whether and how they can be made.

    Attributes:
        project: The ticket that lists the hand-overs.
        moves: Those that it lists, in order.
        assets: Every asset of the classes concerned.
        clearances: Those of the people concerned.
        rules: The rules that can affect the task.
        limits: The values of the metrics that rules ask for, as their sources have them.
        policy: The equipment policy in force, which says what is left out if not everything can be done.
        all_or_nothing: Whether nothing may be left out.
    """

    now: int
    project: Row
    moves: Sequence[Move]
    assets: Sequence[Row]
    clearances: Sequence[Row]
    rules: Sequence[Rule]
    limits: Mapping[str, float]
    policy: Row
    oncall: str
    all_or_nothing: bool

    @property
    def keeps_high(self) -> bool:
        """Whether the project's ticket has to have high priority at the end."""
        return HIGH in self.project["description"]

    @cached_property
    def spares(self) -> list[Row]:
        """Assets of the pool that may be lent and have to be back at the end, one of each class."""
        listed = [move.asset["id"] for move in self.moves]
        free = [one for one in self.assets if one["holder"] is None and one["id"] not in listed]
        return list({one["asset_class"]: one for one in free}.values())

    @property
    def evidence(self) -> list[str]:
        """What a refusal names: the rule with the limit, and the policy."""
        limiting = next(rule for rule in self.rules if limits_of(rule))
        return [limiting.id, self.policy["id"]]

    @property
    def start(self) -> State:
        """The present state of everything that the rules concern."""
        tickets = [self.project, *(move.ticket for move in self.moves)]
        tables = {"assets": self.assets, "clearances": self.clearances, "tickets": tickets}
        rows = {(table, row["id"]): row for table, rows in tables.items() for row in rows}
        return State(self.now, rows, self.rules, self.limits, self.oncall)

    def wanted_acts(self, moves: Sequence[Move]) -> list[Act]:
        """Return acts of which none is left to do once these moves and no others are made."""
        made = {move.asset["id"]: move.to for move in moves}
        holders = [Act(one["id"], "holder", made.get(one["id"], one["holder"])) for one in self.assets]
        return [*holders, *self._raises()]

    def acts(self, moves: Sequence[Move]) -> list[Act]:
        """Return the acts that may help to make these moves."""
        new = (move.ticket["id"] for move in moves if move.ticket["status"] == "new")
        ends = sorted({rule.active_until for rule in self.rules if rule.active_until})
        return [
            *(Act(move.asset["id"], "holder", move.to) for move in moves),
            *self._loans(moves),
            *(Act(ticket_id, "status", "in_progress") for ticket_id in new),
            *self._raises(),
            *(Act("", "now", end) for end in ends),
        ]

    def _raises(self) -> list[Act]:
        return [Act(self.project["id"], "priority", "high")] if self.keeps_high else []

    def solve(self) -> Solution:
        """Return every move, or else all but the first in the policy's order without which the others can be made."""
        for moves in self._choices():
            acts = find_order(self.start, self.wanted_acts(moves), self.acts(moves))
            if acts is not None:
                return Solution(moves, acts)
        return Solution()

    def _choices(self) -> Iterator[Sequence[Move]]:
        yield self.moves
        if not self.all_or_nothing:
            is_latest = LATEST in self.policy["body"]
            by_rank = sorted(self.moves, key=lambda move: PRIORITIES.index(move.ticket["priority"]))
            for left_out in self.moves[::-1] if is_latest else by_rank:
                yield [move for move in self.moves if move is not left_out]

    def _loans(self, moves: Sequence[Move]) -> Iterator[Act]:
        """Yield loans of spares to those who part with an asset of a class whose last one must not go."""
        keeping = {class_ for rule in self.rules if rule.trigger == "assets" for class_ in classes_of(rule)}
        for spare in self.spares:
            if (class_ := spare["asset_class"]) in keeping:
                parting = {move.asset["holder"] for move in moves if move.asset["asset_class"] == class_}
                for person in (*sorted(parting - {None}), None):
                    yield Act(spare["id"], "holder", person)


def classes_of(rule: Rule) -> set[str]:
    """Return the classes of assets that a rule is about; none if it is about any."""
    return {one["right"] for one in rule.when if one["left"] == "$asset_class" and one["is"] == "eq"}


def limits_of(rule: Rule) -> list[str]:
    """Return the metrics whose values a rule asks for."""
    asked = (term for term in rule.terms if isinstance(term, Mapping))
    return [term["of"] for term in asked if term.get("value") == "live_metric"]


def find_order(start: State, wanted: Sequence[Act], acts: Sequence[Act]) -> list[Act] | None:
    """Return a short order of acts that harms nobody and leaves nothing wanted to do, or None if none exists.

    It is found class by class, since each has rules of its own; what concerns no asset comes last.
    """
    order: list[Act] = []
    classes = dict.fromkeys(_class(start, act) for act in acts if act.row_id)
    for class_ in sorted(classes, key=lambda one: one is None):
        of_class = [act for act in acts if not act.row_id or _class(start, act) == class_]
        wanted_of_class = [act for act in wanted if _class(start, act) == class_]
        found = _search(start.after(*order), wanted_of_class, of_class)
        if found is None:
            return None
        order += found
    end = start.after(*order)
    return None if end.is_harmed or end.due(wanted) else order


def _search(start: State, wanted: Sequence[Act], acts: Sequence[Act]) -> list[Act] | None:
    """Return an order for one class; None only after visiting every reachable state.

    How much is left to do guides the search.
    """
    number, seen = count(), {start.key}
    heap: list[tuple[int, int, State, list[Act]]] = [(0, next(number), start, [])]
    while heap:
        _, _, state, done = heappop(heap)
        if not state.due(wanted):
            return done
        for act in state.due(acts):
            after = state.after(act)
            if not after.is_harmed and after.key not in seen:
                seen.add(after.key)
                cost = len(done) + 1 + len(after.due(wanted))
                heappush(heap, (cost, next(number), after, [*done, act]))
    return None


def _class(state: State, act: Act) -> str | None:
    """Return the class of the asset that an act is about, or that its ticket is about."""
    row = state.rows[act.place]
    asset = state.rows.get(("assets", row.get("subject", row["id"])))
    return None if asset is None else str(asset["asset_class"])
