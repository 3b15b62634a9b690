"""The puzzle of a change: hand-overs, the rules in their way, and the search for acts that harm nobody.

Its author builds it from what was drawn, and an agent from what can be read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from companyos.sdk.automations import Rule
from companyos.sdk.grading.state import Row

from .documents import LATEST
from .pack import PRIORITIES
from .search import Aim, find_order
from .simulation import Act, Place, Simulation, State, begin, hand_over, raise_to, wait

#: The words with which a project's ticket says that it has to end with high priority.
HIGH: Final = "priority high"


@dataclass(frozen=True)
class Move:
    """A hand-over of an asset to a person, with its ticket."""

    asset: Row
    to: str
    ticket: Row


class Solution(NamedTuple):
    """The hand-overs that are made, and an order of acts that makes them."""

    moves: Sequence[Move]
    acts: Sequence[Act]


@dataclass(frozen=True)
class Puzzle:
    """The hand-overs, and all that decides whether and how they can be made.

    Attributes:
        now: The present.
        project: The ticket that lists the hand-overs.
        moves: In the order of the list.
        assets: Every asset of the classes concerned.
        clearances: Those of the people concerned.
        rules: The rules that can affect the task.
        limits: The values of the metrics that rules ask for, as their sources have them.
        policy: The equipment policy in force, which says what is left out if not everything can be done.
        oncall: The person who must not be paged.
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
        listed = {move.asset["id"] for move in self.moves}
        free = [one for one in self.assets if one["holder"] is None and one["id"] not in listed]
        return list({one["asset_class"]: one for one in free}.values())

    @property
    def evidence(self) -> list[str]:
        """What a refusal names: the rule with the limit, and the policy."""
        limiting = next(rule for rule in self.rules if limits_of(rule))
        return [limiting.id, self.policy["id"]]

    @property
    def simulation(self) -> Simulation:
        """The rules at work."""
        return Simulation(self.rules)

    @property
    def start(self) -> State:
        """The present state of everything that the rules concern."""
        rows: dict[Place, Row] = {("datahub", "assets", one["id"]): one for one in self.assets}
        rows |= {("datahub", "clearances", one["id"]): one for one in self.clearances}
        tickets = [self.project, *(move.ticket for move in self.moves)]
        rows |= {("ticketdesk", "tickets", one["id"]): one for one in tickets}
        return State(self.now, rows, self.limits)

    def aim(self, moves: Sequence[Move]) -> Aim:
        """Return the aim of making these moves and no others."""
        made = {move.asset["id"]: move.to for move in moves}
        wanted: dict[Place, Mapping[str, Any]] = {
            ("datahub", "assets", one["id"]): {"holder": made.get(one["id"], one["holder"])}
            for one in self.assets
        }
        if self.keeps_high:
            wanted["ticketdesk", "tickets", self.project["id"]] = {"priority": "high"}
        never = frozenset({("lowered", ""), (f"assignee:{self.oncall}", "")})
        return Aim(wanted, never, [*self._acts(moves)])

    def solve(self) -> Solution | None:
        """Return how to make every move, or else all but the first in the policy's order without which it works."""
        for moves in self._choices():
            if (acts := find_order(self.simulation, self.start, self.aim(moves))) is not None:
                return Solution(moves, acts)
        return None

    def _choices(self) -> Iterator[Sequence[Move]]:
        yield self.moves
        for left_out in () if self.all_or_nothing else self._dispensable():
            yield [move for move in self.moves if move is not left_out]

    def _dispensable(self) -> list[Move]:
        if LATEST in self.policy["body"]:
            return [*self.moves[::-1]]
        return sorted(self.moves, key=lambda move: PRIORITIES.index(move.ticket["priority"]))

    def _acts(self, moves: Sequence[Move]) -> Iterator[Act]:
        yield from (hand_over(move.asset["id"], move.to) for move in moves)
        yield from self._loans(moves)
        yield from (begin(move.ticket["id"]) for move in moves if move.ticket["status"] == "new")
        if self.keeps_high:
            yield raise_to(self.project["id"], "high")
        yield from map(wait, sorted({rule.active_until for rule in self.rules if rule.active_until}))

    def _loans(self, moves: Sequence[Move]) -> Iterator[Act]:
        """Yield loans of spares to those who part with an asset of a class whose last one must not go."""
        keeping = {class_ for rule in self.rules if rule.trigger == "assets" for class_ in classes_of(rule)}
        for spare in self.spares:
            class_ = spare["asset_class"]
            if class_ in keeping:
                parting = {move.asset["holder"] for move in moves if move.asset["asset_class"] == class_}
                for person in (*sorted(parting - {None}), None):
                    yield hand_over(spare["id"], person)


def classes_of(rule: Rule) -> set[str]:
    """Return the classes of assets that a rule is about; none if it is about any."""
    return {one["right"] for one in rule.when if one["left"] == "$asset_class" and one["is"] == "eq"}


def limits_of(rule: Rule) -> list[str]:
    """Return the metrics whose values a rule asks for."""
    asked = (term for term in rule.terms if isinstance(term, Mapping))
    return [term["of"] for term in asked if term.get("value") == "live_metric"]
