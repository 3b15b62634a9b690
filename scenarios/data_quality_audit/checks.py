"""What the checks of the suspects show with and without notices, so drawn that nobody can do without these.

A ledger item hides that a feed has failed, or makes a sound feed look failed. The items, and the signs of the
differences, are drawn until no tolerance at all finds the failed feeds if the notices are not applied, neither
does the right tolerance if all notices are applied whatever their days, and the verdict on one feed turns on the
day on which the ledger is closed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, product
from typing import Final

from companyos.sdk.draws import Draws

from .estate import FAILED, FIRST, SECOND, THIRD, Differences, Plan, Tolerance

#: Every tolerance that an edition of some company's rules can have, in tenths of a percent.
_TOLERANCES: Final = range(5, 121)


@dataclass(frozen=True)
class Item:
    """A ledger item that a notice announces.

    Attributes:
        share: What the ledger holds on top of the feed, as a share of the feed's total; negative if it lacks it.
        applies: Whether the notice applies today; if not, the ledger holds no such item.
    """

    share: float
    applies: bool


@dataclass(frozen=True)
class Check:
    """The check of a suspect with a control total.

    Attributes:
        truly_off: The difference of the feed from its corrected control total, as a share of the latter.
        item: The ledger item in its notice.
    """

    truly_off: float
    item: Item

    @property
    def unread_off(self) -> float:
        """The size of the difference for an agent that applies no notice."""
        return _off(self._control)

    @property
    def undated_off(self) -> float:
        """The size of the difference for an agent that applies the notice whatever its days."""
        return _off(self._control - self.item.share)

    @property
    def _control(self) -> float:
        """The refreshed control total, as a share of the feed's total."""
        return 1 / (1 + self.truly_off) + (self.item.share if self.item.applies else 0.0)


@dataclass(frozen=True)
class Count:
    """The check of the suspect with a dataset.

    Attributes:
        truly_off: The difference of the feed from the sum of all rows that count today.
        booked_off: The difference from the sum of the booked rows.
        applies: Whether the notice of other rows that count applies today.
    """

    truly_off: float
    booked_off: float
    applies: bool


def draw_count(draws: Draws, differences: Differences, tolerance: Tolerance, *, failed: bool) -> Count:
    """Draw the check of the suspect with a dataset.

    If no other rows count and it has failed, all its rows together add up to the feed's total.
    """
    size = differences.size(THIRD, failed=failed)
    if not draws.chance("count.applies", 0.5):
        off = size if failed else -size
        return Count(off, off, applies=False)
    is_higher = draws.chance("count.higher", 0.5)
    tenths = draws.integer("count.booked", *((14, 18) if is_higher else (2, 5)))
    return Count(size if is_higher else -size, tenths * tolerance.in_force / 10_000, applies=True)


def draw_checks(
    draws: Draws, differences: Differences, tolerance: Tolerance, plan: Plan, count_: Count, *, third: bool
) -> dict[str, dict[str, Check]]:
    """Draw the checks of the suspects with a control total, by cause.

    The notices are the same for each of the plan's causes.
    """
    also = frozenset({THIRD}) if third else frozenset[str]()
    closing = draw_closing(draws)
    for attempt in count():
        items = _draw_items(draws, tolerance, attempt)
        usable = {
            cause: [
                checks
                for checks in _candidates(differences, items, FAILED[cause])
                if _rest_on_notices(checks, count_, FAILED[cause] | also, tolerance)
                and _turns(checks[closing], tolerance)
            ]
            for cause in plan.causes
        }
        if all(usable.values()):
            return {cause: draws.choice("checks", found, cause) for cause, found in usable.items()}
    raise AssertionError("there is no last attempt")


def draw_closing(draws: Draws) -> str:
    """Draw the suspect whose notice applies to the close of the ledger."""
    return draws.choice("items.closing", (FIRST, SECOND))


def _draw_items(draws: Draws, tolerance: Tolerance, attempt: int) -> dict[str, Item]:
    """Draw an item for each of the two, at least one of which applies; some exceed every tolerance."""
    carriers = draws.choice("items.apply", ((FIRST,), (SECOND,), (FIRST, SECOND)), attempt)
    items: dict[str, Item] = {}
    for name in (FIRST, SECOND):
        percent = draws.integer("items.size", 7, 13, name, attempt) * tolerance.in_force / 100
        if name in carriers and draws.chance("items.large", 0.3, name, attempt):
            percent = tolerance.in_force / 10 + draws.integer("items.beyond", 150, 190, name, attempt) / 10
        sign = -1 if draws.chance("items.sign", 0.5, name, attempt) else 1
        items[name] = Item(sign * percent / 100, name in carriers)
    return items


def _candidates(
    differences: Differences, items: Mapping[str, Item], failed: frozenset[str]
) -> Iterator[dict[str, Check]]:
    """Yield the checks with either sign of each difference."""
    for signs in product((1, -1), repeat=2):
        yield {
            name: Check(sign * differences.size(name, failed=name in failed), items[name])
            for name, sign in zip((FIRST, SECOND), signs, strict=True)
        }


def _rest_on_notices(
    checks: Mapping[str, Check], count_: Count, failed: frozenset[str], tolerance: Tolerance
) -> bool:
    unread = {name: check.unread_off for name, check in checks.items()} | {THIRD: abs(count_.booked_off)}
    if any(_above(unread, tenths) == failed for tenths in _TOLERANCES):
        return False
    undated = {name: check.undated_off for name, check in checks.items()}
    return all(one.item.applies for one in checks.values()) or (
        _above(undated, tolerance.in_force) != failed - {THIRD}
    )


def _turns(check: Check, tolerance: Tolerance) -> bool:
    """Return whether the verdict on a feed depends on whether its notice applies today."""
    other = check.unread_off if check.item.applies else check.undated_off
    limit = tolerance.in_force / 1000
    return (other > limit) is not (abs(check.truly_off) > limit)


def _above(differences: Mapping[str, float], tenths: int) -> frozenset[str]:
    return frozenset(name for name, size in differences.items() if size > tenths / 1000)


def _off(control: float) -> float:
    """Return the size of a feed's difference from its control total, a share of its own total."""
    return abs(1 - control) / abs(control)
