"""The competition for a short budget, and the proof that no simple rule settles it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from .allocation import Item, Limits, best_selection, best_selections, greedy_selection

_NO_LIMIT: Final = 10**9
#: How many members change if one of them is exchanged for another.
_EXCHANGE: Final = 2


#: Returns the place of a request in a rule's order: the lowest is taken first.
Rank = Callable[[Item, Limits], tuple[float, ...]]


@dataclass(frozen=True)
class Contention:
    """The requests for the short budget, and what may be spent on them.

    Attributes:
        contenders: The requests among which the budget is settled.
        ineligible: Other requests for the budget, in groups that are rejected or passed on together.
        more: The limits if the refreshed ledger leaves more.
        less: The limits if it leaves less.
    """

    contenders: Sequence[Item]
    ineligible: Sequence[Sequence[Item]]
    more: Limits
    less: Limits

    def approved(self, limits: Limits) -> frozenset[str]:
        """Return the keys of the contenders that are approved within the limits."""
        return best_selection(self.contenders, limits).keys

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
        best, second = best_selections(self.contenders, limits, 2)
        if best.points == second.points or len(best.keys ^ second.keys) < _EXCHANGE:
            return None
        if any(len(best.keys ^ found) <= _EXCHANGE for found in self._greedy(_OBVIOUS, limits)):
            return None
        return None if best.keys in set(self._greedy(_OTHER, limits)) else best.keys

    def _greedy(self, ranks: Sequence[Rank], limits: Limits) -> Iterator[frozenset[str]]:
        """Yield what is approved by each rule that takes one contender after the other."""
        for rank in ranks:
            yield greedy_selection(sorted(self.contenders, key=lambda one: rank(one, limits)), limits)

    def _careless(self, limits: Limits) -> Iterator[frozenset[str]]:
        """Yield the best sets if one limit is ignored, or if ineligible requests take part."""
        for ignored in (replace(limits, hours=_NO_LIMIT), replace(limits, cost=_NO_LIMIT)):
            yield self.approved(ignored)
        for group in (*self.ineligible, list(chain.from_iterable(self.ineligible))):
            chosen = best_selection([*self.contenders, *group], limits)
            yield chosen.keys - {item.key for item in group}


def _share(item: Item, limits: Limits) -> float:
    """Return how much of both limits an item uses."""
    return item.cost / limits.cost + item.hours / limits.hours


#: The obvious rules that take one contender after the other. The best set is more than one exchange away from
#: what each of them approves.
_OBVIOUS: Final[Sequence[Rank]] = (
    lambda one, _: (-one.points,),
    lambda one, limits: (-one.points / _share(one, limits),),
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
