"""The case of a pair: the endings of its two instances, and the numbers that lead to them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from companyos.sdk.draws import Draws
from companyos.sdk.family import choose_cause
from companyos.sdk.simtime import DAY, to_date

from .terms import (
    AGREED,
    DECLINED,
    HEAD_COUNT,
    NEXT_QUARTER,
    PLAIN,
    RESERVE,
    SMALLER,
    USAGE,
    Account,
    Ending,
    Lot,
    Needs,
    Offer,
    Purse,
    Rules,
    settle,
    split,
)
from .words import CATEGORIES

#: The department whose budget is short: the first, the second, or neither.
FIRST, SECOND, NEITHER = "first", "second", "neither"
#: When the shortage shows: in the refreshed ledger, or after a colleague's later order.
AT_REFRESH, LATER = "at_refresh", "later"
BASES: Final = (HEAD_COUNT, USAGE, AGREED)
WAYS: Final = (RESERVE, SMALLER, NEXT_QUARTER)

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
#: The most attempts at drawing numbers; enough for every plan.
_ATTEMPTS: Final = 4000


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
        basis: The basis for splitting the price.
        units: The quantities on offer, each with its unit price.
        sides: The two departments.
        causes: The short department of each instance.
        cause: The short department of this instance.
        shows: When the shortage becomes visible.
        first_day: The first day of the next quarter, as a date.
    """

    category: str
    basis: str
    rules: Rules
    units: tuple[tuple[int, float], ...]
    delivery: float
    offer: Offer
    wanted: int
    sides: tuple[Side, Side]
    causes: tuple[str, str]
    shows: str
    first_day: str
    cause: str = NEITHER

    @property
    def needs(self) -> Needs:
        """The needs of both departments together."""
        least = sum(side.least for side in self.sides)
        return Needs(self.wanted, least, min(side.by for side in self.sides))

    @property
    def lot(self) -> Lot:
        """The lot that is wanted."""
        return next(lot for lot in self.offer.lots if lot.quantity == self.wanted)

    @property
    def shares(self) -> list[float]:
        """The shares of its price."""
        return split(self.lot.price, [side.weight for side in self.sides])

    def remaining(self, number: int) -> float:
        """Return what is left of a department's budget of this quarter when the order is placed."""
        side = self.sides[number]
        return side.short if self.cause == (FIRST, SECOND)[number] else side.ample

    def ending(self, ids: Mapping[str, str], uncharged: tuple[int, float] = (0, 0.0)) -> Ending:
        """Return the right ending.

        Args:
            ids: The ids of the budgets, such as `current0` or `reserve1`.
            uncharged: A department, and the amount that a colleague has not yet ordered on its budget.
        """
        purses = [
            Purse(
                side.weight,
                Account(
                    ids[f"current{number}"],
                    round(self.remaining(number) + (uncharged[1] if uncharged[0] == number else 0.0), 2),
                ),
                Account(ids[f"following{number}"], side.following),
                self.first_day,
                None if side.reserve is None else Account(ids[f"reserve{number}"], side.reserve),
            )
            for number, side in enumerate(self.sides)
        ]
        return settle(self.rules, self.offer, self.needs, purses)


IDS: Final = {
    f"{side}{number}": f"{side}{number}" for side in ("current", "following", "reserve") for number in (0, 1)
}


def draw_case(draws: Draws, seed: int, today: int, quarter_ends: int) -> Deal:
    """Draw the case of a seed's pair, and return the seed's own instance of it."""
    plan = draws.choice("plan", PLANS)
    for attempt in range(_ATTEMPTS):
        case = _draw_deal(draws, today, quarter_ends, attempt)
        of_each = [replace(case, cause=cause) for cause, _ in plan]
        endings = [one.ending(IDS) for one in of_each]
        if [one.kind for one in endings] == [kind for _, kind in plan]:
            return replace(choose_cause(draws, of_each, seed), causes=(plan[0][0], plan[1][0]))
    raise RuntimeError("no case of this plan was drawn")  # pragma: no cover


def _draw_deal(draws: Draws, today: int, quarter_ends: int, attempt: int) -> Deal:
    """Draw the numbers of a case, of which nobody knows yet to what they lead."""
    tried = draws.about(attempt)
    category, wanted = tried.choice("category", CATEGORIES), tried.choice("wanted", (30, 40, 50, 60))
    units, delivery = _draw_units(tried, wanted), float(tried.integer("delivery", 90, 240))
    lots = tuple(Lot(quantity, round(quantity * price + delivery, 2)) for quantity, price in units)
    rules = Rules(
        bases=dict(zip(CATEGORIES, draws.shuffled("bases", BASES), strict=True)),
        signing=_draw_signing(tried, lots[0].price),
        ways=tuple(tried.shuffled("ways", WAYS)),
        reserve_most=100.0 * tried.integer("reserve.most", 8, 16),
    )
    basis = rules.bases[category]
    weights = _draw_weights(draws, basis, attempt)
    first, second = (
        _draw_side(draws.about(number, attempt), weight, share, wanted, quarter_ends)
        for number, (weight, share) in enumerate(zip(weights, split(lots[0].price, weights), strict=True))
    )
    return Deal(
        category=category,
        basis=basis,
        rules=rules,
        units=units,
        delivery=delivery,
        offer=Offer(lots, to_date(_draw_last_day(tried, today, quarter_ends))),
        wanted=wanted,
        sides=(first, second),
        causes=(NEITHER, NEITHER),
        shows=draws.choice("shows", (AT_REFRESH, LATER)),
        first_day=to_date(quarter_ends),
    )


def _draw_units(draws: Draws, wanted: int) -> tuple[tuple[int, float], ...]:
    """Return the quantities on offer, each with its unit price, which is higher for smaller quantities."""
    unit, dearer = float(draws.integer("unit", 90, 260)), 1 + draws.integer("dearer", 2, 6) / 100
    parts = (1.0, 0.8, 0.6, 0.5)
    return tuple((round(wanted * part), round(unit * dearer**number, 2)) for number, part in enumerate(parts))


def _draw_signing(draws: Draws, price: float) -> tuple[float, float]:
    """Return the totals from which others also sign; most purchases reach the first, their shares do not."""
    low, high = draws.choice("signing", ((0.62, 1.25), (0.72, 1.4), (0.9, 1.3), (0.6, 0.93), (1.15, 1.5)))
    first = round(price * low / 250) * 250.0
    return first, max(first + 500.0, round(price * high / 250) * 250.0)


def _draw_last_day(draws: Draws, today: int, quarter_ends: int) -> int:
    """Return the last day of the offer: in the next quarter, or soon after the start."""
    if draws.chance("holds", 0.5):
        return quarter_ends + draws.integer("until", 3, 30) * DAY
    return today + draws.integer("until.soon", 2, 8) * DAY


def _draw_weights(draws: Draws, basis: str, attempt: int) -> tuple[float, float]:
    if basis == AGREED:
        percent = draws.choice("percent", (35, 40, 42, 45, 54, 56, 58, 62, 65), attempt)
        return float(percent), float(100 - percent)
    most = 60 if basis == HEAD_COUNT else 480
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
