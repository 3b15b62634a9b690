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
    Ending,
    Lot,
    Needs,
    Offer,
    Purse,
    Rules,
    settle,
    split,
)

FIRST_DAY = "2031-07-01"
OFFER = Offer((Lot(40, 4000.0), Lot(30, 3100.0), Lot(20, 2200.0)), "2031-07-20")
NEEDS = Needs(40, 20, "2031-07-15")
CENTS = st.integers(100, 10**7).map(lambda cents: cents / 100)
WEIGHTS = st.lists(st.integers(1, 500).map(float), min_size=2, max_size=4)


def rules(*ways: str) -> Rules:
    return Rules({"equipment": AGREED}, (5000.0, 9000.0), ways, 1000.0)


def purse(
    number: int,
    left: float,
    *,
    following: float = 0.0,
    reserve: float | None = None,
    weight: float = 1.0,
    next_starts: str = FIRST_DAY,
) -> Purse:
    kept = None if reserve is None else Account(f"R{number}", reserve)
    return Purse(weight, Account(f"C{number}", left), Account(f"F{number}", following), next_starts, kept)


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
    ending = settle(rules(RESERVE), OFFER, NEEDS, [first, second])

    assert ending.shares == shares
    assert (ending.kind, ending.lot) == ((RESERVE, OFFER.lots[0]) if shares else (DECLINED, None))


@pytest.mark.parametrize(
    ("left", "needs", "lots", "quantity"),
    [
        ((1999.99, 2000.0), NEEDS, OFFER.lots, 30),
        ((1549.99, 2000.0), NEEDS, OFFER.lots, 20),
        ((1099.99, 2000.0), NEEDS, OFFER.lots, None),
        ((1600.0, 2000.0), Needs(40, 31, FIRST_DAY), OFFER.lots, None),
        ((1600.0, 2000.0), NEEDS, (Lot(40, 4000.0), Lot(35, 3900.0), Lot(30, 3100.0)), 30),
    ],
)
def test_the_largest_smaller_lot_that_both_budgets_cover_and_that_is_enough_is_taken(
    left: tuple[float, float], needs: Needs, lots: tuple[Lot, ...], quantity: int | None
) -> None:
    ending = settle(rules(SMALLER), Offer(lots, FIRST_DAY), needs, [purse(0, left[0]), purse(1, left[1])])

    lot = next((one for one in lots if one.quantity == quantity), None)
    assert ending.lot == lot
    assert ending.shares == ({"C0": lot.price / 2, "C1": lot.price / 2} if lot else {})


@pytest.mark.parametrize(
    ("latest", "until", "following", "starts", "kind"),
    [
        (FIRST_DAY, FIRST_DAY, (2000.0, 2000.0), FIRST_DAY, NEXT_QUARTER),
        ("2031-06-30", FIRST_DAY, (2000.0, 2000.0), FIRST_DAY, DECLINED),
        (FIRST_DAY, "2031-06-30", (2000.0, 2000.0), FIRST_DAY, DECLINED),
        (FIRST_DAY, FIRST_DAY, (2000.0, 1999.99), FIRST_DAY, DECLINED),
        ("2031-07-15", "2031-07-20", (2000.0, 2000.0), "2031-07-16", DECLINED),
    ],
)
def test_the_next_quarter_pays_everything_if_both_can_wait_the_offer_holds_and_both_budgets_cover_it(
    latest: str, until: str, following: tuple[float, float], starts: str, kind: str
) -> None:
    """The later of two first days counts; this quarter's second budget is ample."""
    purses = [
        purse(0, 10.0, following=following[0], next_starts=starts),
        purse(1, 9000.0, following=following[1]),
    ]

    ending = settle(rules(NEXT_QUARTER), Offer(OFFER.lots, until), Needs(40, 20, latest), purses)

    paid = Ending(NEXT_QUARTER, OFFER.lots[0], {"F0": 2000.0, "F1": 2000.0}, ("C0",))
    assert ending == (paid if kind == NEXT_QUARTER else Ending(DECLINED, None, {}, ("C0",)))


@pytest.mark.parametrize(
    "ways", [(RESERVE, SMALLER, NEXT_QUARTER), (SMALLER, NEXT_QUARTER, RESERVE), (NEXT_QUARTER, RESERVE)]
)
def test_the_first_possible_remedy_of_the_handbook_is_taken(ways: tuple[str, ...]) -> None:
    purses = [purse(0, 1900.0, following=2000.0, reserve=500.0), purse(1, 2000.0, following=2000.0)]

    assert settle(rules(*ways), OFFER, NEEDS, purses).kind == ways[0]
    assert settle(rules(*ways[1:]), OFFER, NEEDS, purses).kind == ways[1]


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
        settle(rules(*ways), OFFER, NEEDS, purses) for purses in ([poor, other], [rich, other], [other, poor])
    )

    assert after.kind != DECLINED or before.kind == DECLINED
    assert set(after.short) <= set(before.short) == set(swapped.short)
    assert (before.kind, before.lot, before.shares) == (swapped.kind, swapped.lot, swapped.shares)
