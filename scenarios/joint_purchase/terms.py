"""The rules of joint purchases: shares, signatures, and remedies for a short budget.

Pure functions: the generator and an agent that has read the documents get the same ending from the same
facts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum
from typing import Final

HEAD_COUNT, USAGE, AGREED = "head_count", "usage", "agreed"
RESERVE, SMALLER, NEXT_QUARTER = "reserve", "smaller_lot", "next_quarter"
PLAIN, DECLINED = "plain", "declined"
#: The officers who also sign large purchases, the one of the lower amount first.
CO_SIGNERS: Final = ("finance_director", "cfo")
#: A reserve pays a multiple of this amount, in EUR.
STEP: Final = 100


@dataclass(frozen=True)
class Rules:
    """One edition of the chapter on joint purchases.

    Attributes:
        bases: The basis for splitting the cost, by category of item.
        signing: The totals from which the finance director and the CFO also sign.
        ways: The remedies for a short budget, in order.
        reserve_most: The most that a reserve pays for one purchase.
    """

    bases: Mapping[str, str]
    signing: tuple[float, float]
    ways: tuple[str, ...]
    reserve_most: float


@dataclass(frozen=True)
class Lot:
    """A quantity that a supplier offers, and its price with delivery."""

    quantity: int
    price: float


@dataclass(frozen=True)
class Offer:
    """A supplier's offer, largest lot first; `valid_until` is the last date for an order."""

    lots: tuple[Lot, ...]
    valid_until: str


@dataclass(frozen=True)
class Needs:
    """The needs of both departments: the full and the least quantity, and the date until both can wait."""

    wanted: int
    least: int
    latest: str


@dataclass(frozen=True)
class Account:
    """A budget and what is left of it."""

    budget_id: str
    remaining: float


@dataclass(frozen=True)
class Purse:
    """The budgets of a department; `next_starts` is the first day of the next one, as a date."""

    weight: float
    current: Account
    following: Account
    next_starts: str
    reserve: Account | None = None


@dataclass(frozen=True)
class Ending:
    """The order, and how much each budget pays; empty if the purchase is declined.

    Attributes:
        short: The budgets that do not cover their share.
    """

    kind: str
    lot: Lot | None
    shares: Mapping[str, float]
    short: tuple[str, ...]


def split(price: float, weights: Sequence[float]) -> list[float]:
    """Return the shares of a price, to the cent; the last share absorbs the rounding."""
    whole = fsum(weights)
    shares = [round(price * weight / whole, 2) for weight in weights[:-1]]
    return [*shares, round(price - fsum(shares), 2)]


def co_signers(rules: Rules, total: float) -> int:
    """Return how many of the finance director and the CFO, in this order, sign a purchase of this total."""
    return sum(total >= least for least in rules.signing)


def settle(rules: Rules, offer: Offer, needs: Needs, purses: Sequence[Purse]) -> Ending:
    """Return the ending that the rules prescribe, given what is left of the budgets."""
    lot = next(one for one in offer.lots if one.quantity == needs.wanted)
    short = tuple(
        purse.current.budget_id for purse, share in _shares(lot, purses) if share > purse.current.remaining
    )
    if (paid := _pay_from(_this_quarter, lot, purses)) is not None:
        return Ending(PLAIN, lot, paid, short)
    for way in rules.ways:
        if way == SMALLER:
            enough = [one for one in offer.lots if needs.least <= one.quantity < needs.wanted]
            found = [(one, _pay_from(_this_quarter, one, purses)) for one in enough]
        elif way == RESERVE:
            found = [(lot, _pay_with_reserves(rules, lot, purses))]
        else:
            first_day = max(purse.next_starts for purse in purses)
            can_wait = first_day <= min(needs.latest, offer.valid_until)
            found = [(lot, _pay_from(_next_quarter, lot, purses) if can_wait else None)]
        for one, paid in found:
            if paid is not None:
                return Ending(way, one, paid, short)
    return Ending(DECLINED, None, {}, short)


def _shares(lot: Lot, purses: Sequence[Purse]) -> list[tuple[Purse, float]]:
    return list(zip(purses, split(lot.price, [purse.weight for purse in purses]), strict=True))


def _this_quarter(purse: Purse) -> Account:
    return purse.current


def _next_quarter(purse: Purse) -> Account:
    return purse.following


def _pay_from(
    account_of: Callable[[Purse], Account], lot: Lot, purses: Sequence[Purse]
) -> dict[str, float] | None:
    """Return the payments for a lot from one budget of each department, or None if one of these is short."""
    paid = [(account_of(purse), share) for purse, share in _shares(lot, purses)]
    if any(share > account.remaining for account, share in paid):
        return None
    return {account.budget_id: share for account, share in paid}


def _pay_with_reserves(rules: Rules, lot: Lot, purses: Sequence[Purse]) -> dict[str, float] | None:
    """Return payments in which the reserve of each short department pays what is missing, rounded up."""
    paid: dict[str, float] = {}
    for purse, share in _shares(lot, purses):
        missing = round(share - purse.current.remaining, 2)
        if missing <= 0:
            paid[purse.current.budget_id] = share
            continue
        part = float(ceil(missing / STEP) * STEP)
        if purse.reserve is None or part > min(rules.reserve_most, purse.reserve.remaining) or part >= share:
            return None
        paid |= {purse.current.budget_id: round(share - part, 2), purse.reserve.budget_id: part}
    return paid
