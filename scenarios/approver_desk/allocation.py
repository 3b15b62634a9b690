"""The settlement of a short budget: which of the requests that compete for it are approved, as one set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

#: Points of a set, the cost and the hours that it leaves, and its members: bit n stands for item n. The better
#: of two sets is the greater one.
_Sums = tuple[int, int, int, int]


@dataclass(frozen=True)
class Item:
    """A request that competes for a budget.

    Attributes:
        key: What identifies it.
        cost: Its amount, in cents.
        points: Its benefit points.
        hours: The setup hours that it needs.
        priority: 1 is the highest; it decides nothing, and neither does the age.
        age_s: How long ago it was submitted.
    """

    key: str
    cost: int
    points: int
    hours: int
    priority: int = 0
    age_s: int = 0


@dataclass(frozen=True)
class Limits:
    """What a set may cost, in cents, and how many setup hours it may need."""

    cost: int
    hours: int


class Selection(NamedTuple):
    """A set of items that stays within the limits, with its sums."""

    keys: frozenset[str]
    points: int
    cost: int


def cents(amount: float) -> int:
    """Return an amount of euros in cents."""
    return round(100 * amount)


def best_selection(items: Sequence[Item], limits: Limits) -> Selection:
    """Return the selection with the most points; of several, the one that costs least."""
    return best_selections(items, limits, 1)[0]


def best_selections(items: Sequence[Item], limits: Limits, count: int) -> list[Selection]:
    """Return the best selections, best first; fewer than `count` only if no more stay within the limits.

    Looks at every set that may be among them, so its time can double with every further item.
    """
    order = sorted(items, key=lambda item: -item.points)
    found = _within(order, limits, _points_at_least(order, limits, count))
    return [
        Selection(
            frozenset(item.key for number, item in enumerate(order) if members >> number & 1),
            points,
            limits.cost - cost_left,
        )
        for points, cost_left, _, members in nlargest(count, found)
    ]


def greedy_selection(items: Iterable[Item], limits: Limits) -> frozenset[str]:
    """Return the keys of the items taken in the given order, each if it still fits."""
    taken, cost, hours = set(), 0, 0
    for item in items:
        if cost + item.cost <= limits.cost and hours + item.hours <= limits.hours:
            taken.add(item.key)
            cost, hours = cost + item.cost, hours + item.hours
    return frozenset(taken)


def _points_at_least(items: Sequence[Item], limits: Limits, count: int) -> int:
    """Return points that each of the `count` best selections has, as far as a greedy one and its parts show."""
    greedy = greedy_selection(items, limits)
    points = sorted(item.points for item in items if item.key in greedy)
    if count > len(points):
        return 0
    # A selection without any one of its members is a selection as well.
    return sum(points) - (points[count - 2] if count > 1 else 0)


def _within(items: Sequence[Item], limits: Limits, points_at_least: int) -> list[_Sums]:
    """Return the sums of all sets within the limits that have this many points."""
    found: list[_Sums] = [(0, limits.cost, limits.hours, 0)]
    to_come = sum(item.points for item in items)
    for number, item in enumerate(items):
        bit, points, cost, hours = 1 << number, item.points, item.cost, item.hours
        to_come -= points
        needed = points_at_least - to_come
        with_item = [
            (total + points, cost_left - cost, hours_left - hours, members | bit)
            for total, cost_left, hours_left, members in found
            if cost_left >= cost and hours_left >= hours and total + points >= needed
        ]
        found = [sums for sums in found if sums[0] >= needed] + with_item
    return found
