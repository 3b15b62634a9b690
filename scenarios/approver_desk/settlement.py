"""The settlement of a short budget: requests are approved as one best set, which no simple rule finds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from typing import Any, Final, NamedTuple

_NO_LIMIT: Final = 10**9
#: How many members change if one of them is exchanged for another.
_EXCHANGE: Final = 2


class Item(NamedTuple):
    """A request that competes for a budget: its amount in cents, its benefit points and its setup hours.

    Its priority, of which 1 is the highest, and its age decide nothing.
    """

    key: str
    cost: int
    points: int
    hours: int
    priority: int = 0
    age_s: int = 0


class Limits(NamedTuple):
    """What a set may cost, in cents, and how many setup hours it may need."""

    cost: int
    hours: int


def cents(amount: float) -> int:
    """Return an amount of euros in cents."""
    return round(100 * amount)


def item_of(key: str, fields: Mapping[str, Any], age_s: int = 0) -> Item:
    """Return a request with these fields as it competes; only purchases state points and hours."""
    points, hours = fields.get("benefit_points", 0), fields.get("setup_hours", 0)
    return Item(key, cents(fields["amount"]), points, hours, fields["priority"], age_s)


def best_sets(items: Iterable[Item], limits: Limits, count: int = 1) -> list[frozenset[Item]]:
    """Return the sets within the limits with the most points, best first; of equal ones, the cheapest first.

    Looks at every set within the limits, so its time can double with every further item.
    """
    order = sorted(items, key=lambda item: -item.points)
    # Points, the cost and the hours that are left, and the members: bit n stands for item n.
    sets = [(0, *limits, 0)]
    for number, item in enumerate(order):
        sets += [
            (points + item.points, cost - item.cost, hours - item.hours, members | 1 << number)
            for points, cost, hours, members in sets
            if cost >= item.cost and hours >= item.hours
        ]
    best = [members for *_, members in nlargest(count, sets)]
    return [frozenset(item for at, item in enumerate(order) if members >> at & 1) for members in best]


def greedy_set(items: Iterable[Item], limits: Limits) -> frozenset[Item]:
    """Return the items taken in the given order, each if it still fits."""
    taken, (cost, hours) = set(), limits
    for item in items:
        if item.cost <= cost and item.hours <= hours:
            taken.add(item)
            cost, hours = cost - item.cost, hours - item.hours
    return frozenset(taken)


#: Returns the place of a request in a rule's order: the lowest is taken first.
Rank = Callable[[Item, Limits], tuple[float, ...]]
#: The obvious rules that take one contender after the other. The best set is more than one exchange away from
#: what each of them approves.
_OBVIOUS: Final[Sequence[Rank]] = (
    lambda one, _: (-one.points,),
    lambda one, limits: (-one.points / (one.cost / limits.cost + one.hours / limits.hours),),
    lambda one, _: (-one.points / one.cost,),
)
#: Other such rules. The best set is another one than each of them approves.
_OTHER: Final[Sequence[Rank]] = (
    lambda one, _: (-one.points / one.hours,),
    lambda one, _: (-one.cost,),
    lambda one, _: (one.cost,),
    lambda one, _: (one.hours, one.cost),
    lambda one, _: (one.priority, -one.age_s),
    lambda one, _: (-one.age_s,),
)


@dataclass(frozen=True)
class Contention:
    """The requests for a short budget, and the limits if its refreshed ledger leaves more or less.

    The budget is settled among the `contenders`. The `ineligible` are other requests for it, in groups that are
    rejected or passed on together.
    """

    contenders: Sequence[Item]
    ineligible: Sequence[Sequence[Item]]
    more: Limits
    less: Limits

    def approved(self, limits: Limits) -> frozenset[Item]:
        """Return the contenders that are approved within the limits."""
        return best_sets(self.contenders, limits)[0]

    @property
    def is_hard(self) -> bool:
        """Whether both limits have one best set each, which differ and are found by no simple rule."""
        if self._is_easy(self.less) or self._is_easy(self.more):
            return False
        less, more = self.approved(self.less), self.approved(self.more)
        return bool(less - more and more - less)

    def _is_easy(self, limits: Limits) -> bool:
        """Return whether the best set has a rival, or is near what a simple rule approves."""
        best, second = best_sets(self.contenders, limits, 2)
        has_rival = sum(item.points for item in best) == sum(item.points for item in second)
        if has_rival or len(best ^ second) < _EXCHANGE:
            return True
        if any(len(best ^ found) <= _EXCHANGE for found in self._greedy(_OBVIOUS, limits)):
            return True
        return best in chain(self._greedy(_OTHER, limits), self._careless(limits))

    def _greedy(self, ranks: Sequence[Rank], limits: Limits) -> Iterator[frozenset[Item]]:
        """Yield what is approved by each rule that takes one contender after the other."""
        for rank in ranks:
            yield greedy_set(sorted(self.contenders, key=lambda one: rank(one, limits)), limits)

    def _careless(self, limits: Limits) -> Iterator[frozenset[Item]]:
        """Yield the best sets if one limit is ignored, or if ineligible requests take part."""
        yield self.approved(limits._replace(hours=_NO_LIMIT))
        yield self.approved(limits._replace(cost=_NO_LIMIT))
        for group in (*self.ineligible, [*chain.from_iterable(self.ineligible)]):
            yield best_sets([*self.contenders, *group], limits)[0] - {*group}
