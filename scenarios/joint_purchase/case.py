"""The case of a pair: the endings of its two instances, and the numbers that lead to them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.family import choose_cause
from companyos.sdk.simtime import DAY, to_date

from .pack import CURRENT, FOLLOWING, METRICS, RESERVED
from .terms import (
    AGREED,
    DECLINED,
    NEXT_QUARTER,
    PLAIN,
    RESERVE,
    SMALLER,
    Account,
    Demand,
    Ending,
    Purse,
    Rules,
    settle,
    split,
)
from .words import BASES, CATEGORIES, WAYS, prices_in

#: The department whose budget is short: the first, the second, or neither.
FIRST, SECOND, NEITHER = "first", "second", "neither"
#: When the shortage shows: in the refreshed ledger, or after a colleague's later order.
AT_REFRESH, LATER = "at_refresh", "later"

#: What both instances of a pair share: the causes, and the ending of each. One seed in eight is declined.
PLANS: Final = (
    ((FIRST, RESERVE), (SECOND, SMALLER)),
    ((FIRST, SMALLER), (SECOND, RESERVE)),
    ((FIRST, RESERVE), (SECOND, NEXT_QUARTER)),
    ((FIRST, NEXT_QUARTER), (SECOND, SMALLER)),
    ((NEITHER, PLAIN), (SECOND, NEXT_QUARTER)),
    ((FIRST, RESERVE), (NEITHER, PLAIN)),
    ((FIRST, DECLINED), (SECOND, RESERVE)),
    ((FIRST, SMALLER), (SECOND, DECLINED)),
)


@dataclass(frozen=True)
class Side:
    """The money of one department.

    Attributes:
        weight: The weight of its share.
        ample: What is left of its budget if it is not short.
        short: What is left of its budget if it is short.
        following: What is left of its budget of the next quarter.
        reserve: What is left of its reserve; None if it has none.
        least: The least quantity that it needs.
        by: When it needs them, as a date.
    """

    weight: float
    ample: float
    short: float
    following: float
    reserve: float | None
    least: int
    by: str


@dataclass(frozen=True)
class Deal:
    """The case of a pair, and one of its two instances.

    Attributes:
        offer: What the supplier's offer states.
        sides: The two departments.
        shows: When the shortage becomes visible.
        first_day: The first day of the next quarter, as a date.
        cause: The short department of this instance.
        planned: The department on whose budget a colleague orders something during the day, and the amount.
    """

    category: str
    rules: Rules
    offer: Fields
    demand: Demand
    sides: Sequence[Side]
    shows: str
    first_day: str
    cause: str = NEITHER
    planned: tuple[int, float] = (0, 0.0)

    @property
    def basis(self) -> str:
        """The basis for splitting the price."""
        return self.rules.bases[self.category]

    @property
    def shares(self) -> list[float]:
        """The shares of the price of the full quantity."""
        return split(self.demand.prices[self.demand.wanted], [side.weight for side in self.sides])

    def remaining(self, number: int, *, is_early: bool = False) -> float:
        """Return what is left of a department's budget of this quarter after, or before, the colleague's order."""
        side, (ordered_on, amount) = self.sides[number], self.planned
        left = side.short if self.cause == (FIRST, SECOND)[number] else side.ample
        return round(left + amount, 2) if is_early and ordered_on == number else left

    def ending(self, *, is_early: bool = False) -> Ending:
        """Return the right ending after, or before, the colleague's order, with budgets named as in `current0`."""
        purses = [
            Purse(
                side.weight,
                Account(f"{CURRENT}{number}", self.remaining(number, is_early=is_early)),
                Account(f"{FOLLOWING}{number}", side.following),
                None if side.reserve is None else Account(f"{RESERVED}{number}", side.reserve),
            )
            for number, side in enumerate(self.sides)
        ]
        return settle(self.rules, self.demand, purses, self.first_day)


def draw_case(draws: Draws, seed: int, today: int, quarter_ends: int) -> Deal:
    """Draw the case of a seed's pair until it leads to the planned endings; return the seed's own instance of it."""
    causes, endings = zip(*draws.choice("plan", PLANS), strict=True)
    deals = (_draw_deal(draws, today, quarter_ends, attempt) for attempt in count())
    pairs = ([replace(one, cause=cause) for cause in causes] for one in deals)
    pair = next(pair for pair in pairs if tuple(one.ending().kind for one in pair) == endings)
    deal = choose_cause(draws, pair, seed)
    return replace(deal, planned=_draw_order(draws, deal))


def _draw_deal(draws: Draws, today: int, quarter_ends: int, attempt: int) -> Deal:
    """Draw the numbers of a case, of which nobody knows yet to what they lead."""
    tried = draws.about(attempt)
    category, wanted = tried.choice("category", CATEGORIES), tried.choice("wanted", (30, 40, 50, 60))
    offer = _draw_offer(tried, wanted, today, quarter_ends)
    prices = prices_in(offer)
    rules = Rules(
        bases=dict(zip(CATEGORIES, draws.shuffled("bases", [*BASES]), strict=True)),
        signing=_draw_signing(tried, prices[wanted]),
        ways=tuple(tried.shuffled("ways", [*WAYS])),
        reserve_most=100.0 * tried.integer("reserve.most", 8, 16),
    )
    weights = _draw_weights(draws, rules.bases[category], attempt)
    sides = [
        _draw_side(draws.about(number, attempt), weight, share, wanted, quarter_ends)
        for number, (weight, share) in enumerate(zip(weights, split(prices[wanted], weights), strict=True))
    ]
    latest = min(offer["until"], *(side.by for side in sides))
    return Deal(
        category=category,
        rules=rules,
        offer=offer,
        demand=Demand(prices, wanted, sum(side.least for side in sides), latest),
        sides=sides,
        shows=draws.choice("shows", (AT_REFRESH, LATER)),
        first_day=to_date(quarter_ends),
    )


def _draw_offer(draws: Draws, wanted: int, today: int, quarter_ends: int) -> Fields:
    """Draw what an offer states: smaller quantities are dearer, and it ends in the next quarter, or soon."""
    unit, dearer = float(draws.integer("unit", 90, 260)), 1 + draws.integer("dearer", 2, 6) / 100
    lots = [
        {"quantity": round(wanted * part), "unit": round(unit * dearer**number, 2)}
        for number, part in enumerate((1.0, 0.8, 0.6, 0.5))
    ]
    until = today + draws.integer("until.soon", 2, 8) * DAY
    if draws.chance("holds", 0.5):
        until = quarter_ends + draws.integer("until", 3, 30) * DAY
    return {"lots": lots, "delivery": float(draws.integer("delivery", 90, 240)), "until": to_date(until)}


def _draw_signing(draws: Draws, price: float) -> tuple[float, float]:
    """Return the totals from which others also sign; most purchases reach the first, their shares do not."""
    low, high = draws.choice("signing", ((0.62, 1.25), (0.72, 1.4), (0.9, 1.3), (0.6, 0.93), (1.15, 1.5)))
    first = round(price * low / 250) * 250.0
    return first, max(first + 500.0, round(price * high / 250) * 250.0)


def _draw_weights(draws: Draws, basis: str, attempt: int) -> tuple[float, float]:
    if basis == AGREED:
        percent = draws.choice("percent", (35, 40, 42, 45, 54, 56, 58, 62, 65), attempt)
        return float(percent), float(100 - percent)
    most = METRICS[basis].most
    first = draws.integer("weight", most // 3, most, basis, attempt)
    second = round(first * draws.integer("weight.part", 62, 92, basis, attempt) / 100)
    pair = float(first), float(second)
    return pair if draws.chance("weight.swapped", 0.5, attempt) else pair[::-1]


def _draw_side(draws: Draws, weight: float, share: float, wanted: int, quarter_ends: int) -> Side:
    can_wait, has_reserve = draws.chance("can_wait", 0.6), draws.chance("reserve.kept", 0.6)
    days = draws.integer("by.late", 8, 40) if can_wait else -draws.integer("by.early", 3, 9)
    percent = draws.integer("next.ample", 120, 260) if draws.chance("next", 0.75) else 60
    return Side(
        weight=weight,
        ample=round(share * draws.integer("ample", 125, 180) / 100, 2),
        short=round(share * (1 - draws.integer("missing", 6, 45) / 100), 2),
        following=round(share * percent / 100, 2),
        reserve=100.0 * draws.integer("reserve", 12, 60) if has_reserve else None,
        least=round(wanted * draws.integer("least", 24, 47) / 100),
        by=to_date(quarter_ends + days * DAY),
    )


def _draw_order(draws: Draws, deal: Deal) -> tuple[int, float]:
    """Draw the colleague's order: it takes what a budget is short of, or it is small."""
    if deal.shows == LATER and deal.cause != NEITHER:
        number = (FIRST, SECOND).index(deal.cause)
        return number, round(deal.sides[number].ample - deal.sides[number].short, 2)
    number = draws.integer("planned.on", 0, 1)
    return number, round(deal.shares[number] * draws.integer("planned.part", 3, 9) / 100, 2)
