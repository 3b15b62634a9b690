"""The rules of joint purchases: shares, signatures, and remedies for a short budget.

Pure functions: the generator and an agent that has read the documents get the same ending from the same
facts.
"""

from collections.abc import Mapping, Sequence
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

    def co_signers(self, total: float) -> tuple[str, ...]:
        """Return the officers who also sign a purchase of this total."""
        return CO_SIGNERS[: sum(total >= least for least in self.signing)]


@dataclass(frozen=True)
class Demand:
    """What two departments want to buy.

    Attributes:
        prices: The price, with delivery, of each quantity on offer, the largest quantity first.
        wanted: The full quantity.
        least: The least quantity that is enough for both.
        latest: The last date on which the offer holds and both can wait.
    """

    prices: Mapping[int, float]
    wanted: int
    least: int
    latest: str


@dataclass(frozen=True)
class Account:
    """A budget and what is left of it."""

    budget_id: str
    remaining: float

    def pay(self, amount: float) -> dict[str, float]:
        """Return its payment of an amount; nothing if it does not cover it."""
        return {self.budget_id: amount} if amount <= self.remaining else {}


@dataclass(frozen=True)
class Purse:
    """The budgets of a department, and the weight of its share."""

    weight: float
    current: Account
    following: Account
    reserve: Account | None = None

    def pay(self, share: float, way: str, reserve_most: float) -> dict[str, float]:
        """Return how much each budget pays of a share in this way; nothing if they do not cover it."""
        if way == NEXT_QUARTER:
            return self.following.pay(share)
        paid = self.current.pay(share)
        if paid or way != RESERVE or self.reserve is None:
            return paid
        part = float(ceil(round(share - self.current.remaining, 2) / STEP) * STEP)
        if part > min(reserve_most, self.reserve.remaining) or part >= share:
            return {}
        return {self.current.budget_id: round(share - part, 2), self.reserve.budget_id: part}


@dataclass(frozen=True)
class Ending:
    """The order, and how much each budget pays; a purchase that is declined buys nothing.

    Attributes:
        short: The budgets that do not cover their share of the full quantity.
    """

    kind: str
    quantity: int
    price: float
    shares: Mapping[str, float]
    short: tuple[str, ...]


def split(price: float, weights: Sequence[float]) -> list[float]:
    """Return the shares of a price, to the cent; the last share absorbs the rounding."""
    whole = fsum(weights)
    shares = [round(price * weight / whole, 2) for weight in weights[:-1]]
    return [*shares, round(price - fsum(shares), 2)]


def settle(rules: Rules, demand: Demand, purses: Sequence[Purse], first_day: str) -> Ending:
    """Return the ending that the rules prescribe; the next quarter begins on `first_day`, a date."""
    wanted, weights = demand.wanted, [purse.weight for purse in purses]
    quantities = {
        PLAIN: [wanted],
        RESERVE: [wanted],
        SMALLER: [one for one in demand.prices if demand.least <= one < wanted],
        NEXT_QUARTER: [wanted] if first_day <= demand.latest else [],
    }
    owed = zip(purses, split(demand.prices[wanted], weights), strict=True)
    short = tuple(purse.current.budget_id for purse, share in owed if not purse.current.pay(share))
    for way in (PLAIN, *rules.ways):
        for quantity in quantities[way]:
            price = demand.prices[quantity]
            owed = zip(purses, split(price, weights), strict=True)
            paid = [purse.pay(share, way, rules.reserve_most) for purse, share in owed]
            if all(paid):
                shares = {budget_id: amount for one in paid for budget_id, amount in one.items()}
                return Ending(way, quantity, price, shares, short)
    return Ending(DECLINED, 0, 0.0, {}, short)
