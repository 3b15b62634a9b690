"""What the rules of joint purchases prescribe: shares, signatures, and each remedy at its boundaries."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.joint_purchase.terms import (
    AGREED,
    DECLINED,
    NEXT_QUARTER,
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

FIRST_DAY = "2031-07-01"
DEMAND = Demand({40: 4000.0, 30: 3100.0, 20: 2200.0}, 40, 20, "2031-07-15")
CENTS = st.integers(100, 10**7).map(lambda cents: cents / 100)
WEIGHTS = st.lists(st.integers(1, 500).map(float), min_size=2, max_size=4)


def rules(*ways: str) -> Rules:
    return Rules({"equipment": AGREED}, (5000.0, 9000.0), ways, 1000.0)


def purse(
    number: int, left: float, *, following: float = 0.0, reserve: float | None = None, weight: float = 1.0
) -> Purse:
    kept = None if reserve is None else Account(f"R{number}", reserve)
    return Purse(weight, Account(f"C{number}", left), Account(f"F{number}", following), kept)


@given(CENTS, WEIGHTS)
def test_shares_are_whole_cents_near_their_exact_parts_that_add_up_to_the_price(
    price: float, weights: Sequence[float]
) -> None:
    shares = split(price, weights)

    assert round(fsum(shares) * 100) == round(price * 100)
    for share, weight in zip(shares, weights, strict=True):
        assert share == round(share, 2)
        assert abs(share - price * weight / sum(weights)) <= 0.005 * len(weights) + 1e-6


@pytest.mark.parametrize(
    ("first", "second", "shares"),
    [
        (purse(0, 1999.99, reserve=5000.0), purse(1, 2000.0), {"C0": 1900.0, "R0": 100.0, "C1": 2000.0}),
        # No more than the rules allow.
        (purse(0, 1000.0, reserve=5000.0), purse(1, 2000.0), {"C0": 1000.0, "R0": 1000.0, "C1": 2000.0}),
        (purse(0, 999.99, reserve=5000.0), purse(1, 2000.0), {}),
        # No more than it has, of the part that is rounded up.
        (purse(0, 1750.0, reserve=299.99), purse(1, 2000.0), {}),
        # Never a whole share.
        (purse(0, 99.99, reserve=5000.0), purse(1, 3500.0, weight=7), {}),
        # Each short department's own reserve, and nobody else's.
        (purse(0, 1900.0), purse(1, 5000.0, reserve=5000.0), {}),
        (
            purse(0, 1900.0, reserve=500.0),
            purse(1, 1700.0, reserve=500.0),
            {"C0": 1900.0, "R0": 100.0, "C1": 1700.0, "R1": 300.0},
        ),
    ],
)
def test_a_reserve_pays_what_is_missing_in_full_hundreds(
    first: Purse, second: Purse, shares: Mapping[str, float]
) -> None:
    ending = settle(rules(RESERVE), DEMAND, [first, second], FIRST_DAY)

    assert ending.shares == shares
    assert (ending.kind, ending.quantity) == ((RESERVE, 40) if shares else (DECLINED, 0))


@pytest.mark.parametrize(
    ("left", "least", "prices", "quantity"),
    [
        ((1999.99, 2000.0), 20, DEMAND.prices, 30),
        ((1549.99, 2000.0), 20, DEMAND.prices, 20),
        ((1099.99, 2000.0), 20, DEMAND.prices, 0),
        ((1600.0, 2000.0), 31, DEMAND.prices, 0),
        ((1600.0, 2000.0), 20, {40: 4000.0, 35: 3900.0, 30: 3100.0}, 30),
    ],
)
def test_the_largest_smaller_lot_that_both_budgets_cover_and_that_is_enough_is_taken(
    left: tuple[float, float], least: int, prices: Mapping[int, float], quantity: int
) -> None:
    demand = Demand(prices, 40, least, FIRST_DAY)

    ending = settle(rules(SMALLER), demand, [purse(0, left[0]), purse(1, left[1])], FIRST_DAY)

    assert ending.quantity == quantity
    assert ending.price == prices.get(quantity, 0.0)
    assert ending.shares == (dict.fromkeys(("C0", "C1"), prices[quantity] / 2) if quantity else {})


@pytest.mark.parametrize(
    ("latest", "following", "kind"),
    [
        (FIRST_DAY, (2000.0, 2000.0), NEXT_QUARTER),
        ("2031-06-30", (2000.0, 2000.0), DECLINED),
        (FIRST_DAY, (2000.0, 1999.99), DECLINED),
    ],
)
def test_the_next_quarter_pays_everything_if_it_is_in_time_and_both_budgets_cover_it(
    latest: str, following: tuple[float, float], kind: str
) -> None:
    """This quarter's second budget is ample."""
    purses = [purse(0, 10.0, following=following[0]), purse(1, 9000.0, following=following[1])]

    ending = settle(rules(NEXT_QUARTER), Demand(DEMAND.prices, 40, 20, latest), purses, FIRST_DAY)

    paid = Ending(NEXT_QUARTER, 40, 4000.0, {"F0": 2000.0, "F1": 2000.0}, ("C0",))
    assert ending == (paid if kind == NEXT_QUARTER else Ending(DECLINED, 0, 0.0, {}, ("C0",)))


@pytest.mark.parametrize(
    "ways", [(RESERVE, SMALLER, NEXT_QUARTER), (SMALLER, NEXT_QUARTER, RESERVE), (NEXT_QUARTER, RESERVE)]
)
def test_the_first_possible_remedy_of_the_handbook_is_taken(ways: tuple[str, ...]) -> None:
    purses = [purse(0, 1900.0, following=2000.0, reserve=500.0), purse(1, 2000.0, following=2000.0)]

    assert settle(rules(*ways), DEMAND, purses, FIRST_DAY).kind == ways[0]
    assert settle(rules(*ways[1:]), DEMAND, purses, FIRST_DAY).kind == ways[1]


EUROS = st.integers(0, 400_000).map(lambda cents: cents / 100)
MONEY = st.fixed_dictionaries({"left": EUROS, "following": EUROS, "reserve": st.none() | EUROS})
WAYS = st.permutations([RESERVE, SMALLER, NEXT_QUARTER])


@given(MONEY, MONEY, WAYS, EUROS)
def test_more_money_rules_nothing_out_and_the_order_of_departments_does_not_matter(
    first: dict[str, Any], second: dict[str, Any], ways: list[str], more: float
) -> None:
    poor, other = purse(0, **first), purse(1, **second)
    rich = purse(0, **{**first, "left": round(first["left"] + more, 2)})

    before, after, swapped = (
        settle(rules(*ways), DEMAND, purses, FIRST_DAY)
        for purses in ([poor, other], [rich, other], [other, poor])
    )

    assert after.kind != DECLINED or before.kind == DECLINED
    assert set(after.short) <= set(before.short) == set(swapped.short)
    assert (before.kind, before.price, before.shares) == (swapped.kind, swapped.price, swapped.shares)
