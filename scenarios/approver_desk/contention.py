"""The competition for a short budget, and the proof that no simple rule settles it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from .allocation import Item, Limits, best_selection, best_selections, greedy_selection

_NO_LIMIT: Final = 10**9
#: How many members change if one of them is exchanged for another.
_EXCHANGE: Final = 2


@dataclass(frozen=True)
class Contender:
    """A request that competes for the short budget.

    Attributes:
        item: What a settlement weighs.
        priority: 1 is the highest.
        age_s: How long ago it was submitted.
    """

    item: Item
    priority: int
    age_s: int


#: Returns the place of a contender in a rule's order: the lowest is taken first.
Rank = Callable[[Contender, Limits], tuple[float, ...]]


@dataclass(frozen=True)
class Contention:
    """The requests for the short budget, and what may be spent on them.

    Attributes:
        contenders: The requests among which the budget is settled.
        ineligible: Other requests for the budget, in groups that are rejected or passed on together.
        more: The limits if the refreshed ledger leaves more.
        less: The limits if it leaves less.
    """

    contenders: Sequence[Contender]
    ineligible: Sequence[Sequence[Item]]
    more: Limits
    less: Limits

    @property
    def items(self) -> list[Item]:
        """The contenders as items of a settlement."""
        return [contender.item for contender in self.contenders]

    def approved(self, limits: Limits) -> frozenset[str]:
        """Return the keys of the contenders that are approved within the limits."""
        return best_selection(self.items, limits).keys

    @property
    def is_hard(self) -> bool:
        """Whether both limits have one best set each, which differ and are found by no simple rule."""
        less = self._best_within(self.less)
        more = None if less is None else self._best_within(self.more)
        if less is None or more is None or less <= more or more <= less:
            return False
        return less not in self._careless(self.less) and more not in self._careless(self.more)

    def _best_within(self, limits: Limits) -> frozenset[str] | None:
        """Return the keys of the best set, or None if it has a rival or is near what a greedy rule approves."""
        best, second = best_selections(self.items, limits, 2)
        if best.points == second.points or len(best.keys ^ second.keys) < _EXCHANGE:
            return None
        if any(len(best.keys ^ found) <= _EXCHANGE for found in self._greedy(_OBVIOUS, limits)):
            return None
        return None if best.keys in set(self._greedy(_OTHER, limits)) else best.keys

    def _greedy(self, ranks: Sequence[Rank], limits: Limits) -> Iterator[frozenset[str]]:
        """Yield what is approved by each rule that takes one contender after the other."""
        for rank in ranks:
            order = sorted(self.contenders, key=lambda one: rank(one, limits))
            yield greedy_selection([contender.item for contender in order], limits)

    def _careless(self, limits: Limits) -> Iterator[frozenset[str]]:
        """Yield the best sets if one limit is ignored, or if ineligible requests take part."""
        for ignored in (replace(limits, hours=_NO_LIMIT), replace(limits, cost=_NO_LIMIT)):
            yield self.approved(ignored)
        for group in (*self.ineligible, list(chain.from_iterable(self.ineligible))):
            chosen = best_selection([*self.items, *group], limits)
            yield chosen.keys - {item.key for item in group}


def _share(item: Item, limits: Limits) -> float:
    """Return how much of both limits an item uses."""
    return item.cost / limits.cost + item.hours / limits.hours


#: The obvious rules that take one contender after the other. The best set is more than one exchange away from
#: what each of them approves.
_OBVIOUS: Final[Sequence[Rank]] = (
    lambda one, _: (-one.item.points,),
    lambda one, limits: (-one.item.points / _share(one.item, limits),),
    lambda one, _: (-one.item.points / one.item.cost,),
)
#: Other such rules. The best set is another one than each of them approves.
_OTHER: Final[Sequence[Rank]] = (
    lambda one, _: (-one.item.points / one.item.hours,),
    lambda one, _: (-one.item.cost,),
    lambda one, _: (one.item.cost,),
    lambda one, _: (one.item.hours, one.item.cost),
    lambda one, _: (one.priority, -one.age_s),
    lambda one, _: (-one.age_s,),
)
