"""What the rules of joint purchases prescribe if a budget is short, at the boundaries of each remedy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.joint_purchase.terms import (
    AGREED,
    DECLINED,
    NEXT_QUARTER,
    PLAIN,
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
)

FIRST_DAY = "2031-07-01"
OFFER = Offer((Lot(40, 4000.0), Lot(30, 3100.0), Lot(20, 2200.0)), "2031-07-20")
NEEDS = Needs(40, 20, "2031-07-15")


def rules(*ways: str, reserve_most: float = 1000.0) -> Rules:
    return Rules({"equipment": AGREED}, (5000.0, 9000.0), ways, reserve_most)


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


def settled(way: str, *purses: Purse, needs: Needs = NEEDS, offer: Offer = OFFER) -> Ending:
    """Return the ending if a short budget has this one remedy."""
    return settle(rules(way), offer, needs, purses)


def test_a_share_that_takes_all_that_is_left_is_covered() -> None:
    ending = settle(rules(), OFFER, NEEDS, [purse(0, 2000.0), purse(1, 2000.0)])

    assert ending == Ending(PLAIN, OFFER.lots[0], {"C0": 2000.0, "C1": 2000.0}, ())


@pytest.mark.parametrize(
    ("left", "short"),
    [
        ((1999.99, 2000.0), ("C0",)),
        ((2000.0, 1999.99), ("C1",)),
        ((0.0, 0.0), ("C0", "C1")),
    ],
    ids=["first", "second", "both"],
)
def test_a_cent_too_little_makes_a_budget_short(left: tuple[float, float], short: tuple[str, ...]) -> None:
    ending = settle(rules(), OFFER, NEEDS, [purse(0, left[0]), purse(1, left[1])])

    assert ending == Ending(DECLINED, None, {}, short)


def test_wanted_quantity_is_ordered_if_the_offer_lists_it() -> None:
    ending = settle(rules(), OFFER, Needs(30, 20, FIRST_DAY), [purse(0, 9000.0), purse(1, 9000.0)])

    assert ending.lot == Lot(30, 3100.0)
    assert ending.shares == {"C0": 1550.0, "C1": 1550.0}


def test_budgets_that_are_not_short_have_no_use_for_remedies() -> None:
    rich = [purse(number, 5000.0, following=9000.0, reserve=9000.0) for number in (0, 1)]

    ending = settle(rules(RESERVE, SMALLER, NEXT_QUARTER), OFFER, NEEDS, rich)

    assert ending.kind == PLAIN


@pytest.mark.parametrize(
    ("left", "part"),
    [(1999.99, 100.0), (1900.0, 100.0), (1899.99, 200.0), (1800.0, 200.0), (1000.0, 1000.0)],
)
def test_a_reserve_pays_what_is_missing_in_full_hundreds(left: float, part: float) -> None:
    ending = settled(RESERVE, purse(0, left, reserve=5000.0), purse(1, 2000.0))

    assert ending.kind == RESERVE
    assert ending.lot == OFFER.lots[0]
    assert ending.shares == {"C0": round(2000.0 - part, 2), "R0": part, "C1": 2000.0}


@pytest.mark.parametrize(("most", "kind"), [(299.99, DECLINED), (300.0, RESERVE)])
def test_a_reserve_pays_no_more_than_the_rules_allow(most: float, kind: str) -> None:
    purses = [purse(0, 1750.0, reserve=5000.0), purse(1, 2000.0)]

    assert settle(rules(RESERVE, reserve_most=most), OFFER, NEEDS, purses).kind == kind


@pytest.mark.parametrize(("left", "kind"), [(299.99, DECLINED), (300.0, RESERVE)])
def test_a_reserve_pays_no_more_than_it_has(left: float, kind: str) -> None:
    assert settled(RESERVE, purse(0, 1750.0, reserve=left), purse(1, 2000.0)).kind == kind


def test_a_reserve_must_cover_the_part_that_is_rounded_up_and_not_just_what_is_missing() -> None:
    assert settled(RESERVE, purse(0, 1850.0, reserve=150.0), purse(1, 2000.0)).kind == DECLINED


@pytest.mark.parametrize(("left", "kind"), [(99.99, DECLINED), (100.0, RESERVE)])
def test_a_reserve_never_pays_a_whole_share(left: float, kind: str) -> None:
    offer = Offer((Lot(40, 1000.0),), FIRST_DAY)

    ending = settled(RESERVE, purse(0, left, reserve=5000.0), purse(1, 500.0), offer=offer)

    assert ending.kind == kind


def test_a_department_without_a_reserve_is_not_helped_by_the_others() -> None:
    assert settled(RESERVE, purse(0, 1900.0), purse(1, 5000.0, reserve=5000.0)).kind == DECLINED


def test_each_of_two_short_departments_needs_a_reserve_of_its_own() -> None:
    both = settled(RESERVE, purse(0, 1900.0, reserve=500.0), purse(1, 1700.0, reserve=500.0))
    one = settled(RESERVE, purse(0, 1900.0, reserve=500.0), purse(1, 1700.0))

    assert both.shares == {"C0": 1900.0, "R0": 100.0, "C1": 1700.0, "R1": 300.0}
    assert one.kind == DECLINED


def test_the_reserve_of_a_department_that_is_not_short_pays_nothing() -> None:
    ending = settled(RESERVE, purse(0, 1900.0, reserve=500.0), purse(1, 2000.0, reserve=500.0))

    assert "R1" not in ending.shares


@pytest.mark.parametrize(
    ("left", "quantity"),
    [(1999.99, 30), (1550.0, 30), (1549.99, 20), (1100.0, 20)],
)
def test_the_largest_smaller_lot_that_is_covered_is_taken(left: float, quantity: int) -> None:
    ending = settled(SMALLER, purse(0, left), purse(1, 2000.0))

    assert ending.kind == SMALLER
    assert ending.lot is not None
    assert ending.lot.quantity == quantity
    assert ending.shares == {"C0": ending.lot.price / 2, "C1": ending.lot.price / 2}


def test_purchase_is_declined_if_no_lot_is_covered() -> None:
    assert settled(SMALLER, purse(0, 1099.99), purse(1, 2000.0)).kind == DECLINED


def test_both_budgets_must_cover_a_smaller_lot() -> None:
    assert settled(SMALLER, purse(0, 1999.0), purse(1, 1549.0)).lot == OFFER.lots[2]


@pytest.mark.parametrize(("least", "kind"), [(30, SMALLER), (31, DECLINED), (40, DECLINED)])
def test_a_smaller_lot_must_be_enough_for_both(least: int, kind: str) -> None:
    ending = settled(SMALLER, purse(0, 1600.0), purse(1, 2000.0), needs=Needs(40, least, FIRST_DAY))

    assert ending.kind == kind


def test_a_lot_larger_than_what_is_wanted_is_no_remedy() -> None:
    offer = Offer((Lot(60, 100.0), Lot(40, 4000.0)), FIRST_DAY)

    assert settled(SMALLER, purse(0, 1600.0), purse(1, 2000.0), offer=offer).kind == DECLINED


def test_a_smaller_lot_that_costs_more_than_is_left_is_passed_over_for_one_that_does_not() -> None:
    offer = Offer((Lot(40, 4000.0), Lot(35, 3900.0), Lot(30, 3100.0)), FIRST_DAY)

    assert settled(SMALLER, purse(0, 1600.0), purse(1, 2000.0), offer=offer).lot == Lot(30, 3100.0)


def later(
    needs: Needs = NEEDS, offer: Offer = OFFER, following: tuple[float, float] = (2000.0, 2000.0)
) -> str:
    """Return the kind of ending if one budget is short and only the next quarter's may pay."""
    purses = [purse(0, 10.0, following=following[0]), purse(1, 9000.0, following=following[1])]
    return settled(NEXT_QUARTER, *purses, needs=needs, offer=offer).kind


def test_all_of_it_is_charged_to_the_next_quarter_even_where_this_quarters_budget_is_ample() -> None:
    ending = settled(NEXT_QUARTER, purse(0, 10.0, following=2000.0), purse(1, 9000.0, following=2000.0))

    assert ending == Ending(NEXT_QUARTER, OFFER.lots[0], {"F0": 2000.0, "F1": 2000.0}, ("C0",))


@pytest.mark.parametrize(
    ("latest", "kind"), [("2031-06-30", DECLINED), (FIRST_DAY, NEXT_QUARTER), ("2031-07-02", NEXT_QUARTER)]
)
def test_both_must_be_able_to_wait_until_the_first_day(latest: str, kind: str) -> None:
    assert later(needs=Needs(40, 20, latest)) == kind


@pytest.mark.parametrize(
    ("until", "kind"), [("2031-06-30", DECLINED), (FIRST_DAY, NEXT_QUARTER), ("2031-07-02", NEXT_QUARTER)]
)
def test_the_offer_must_hold_on_the_first_day(until: str, kind: str) -> None:
    assert later(offer=Offer(OFFER.lots, until)) == kind


@pytest.mark.parametrize(
    ("following", "kind"),
    [((2000.0, 2000.0), NEXT_QUARTER), ((1999.99, 2000.0), DECLINED), ((2000.0, 1999.99), DECLINED)],
    ids=["both", "not the first", "not the second"],
)
def test_both_budgets_of_the_next_quarter_must_cover_their_share(
    following: tuple[float, float], kind: str
) -> None:
    assert later(following=following) == kind


def test_the_later_of_two_first_days_counts() -> None:
    purses = [
        purse(0, 10.0, following=2000.0, next_starts="2031-07-16"),
        purse(1, 9000.0, following=2000.0),
    ]

    assert settled(NEXT_QUARTER, *purses).kind == DECLINED
    assert settled(NEXT_QUARTER, *purses, needs=Needs(40, 20, "2031-07-16")).kind == NEXT_QUARTER


@pytest.mark.parametrize(
    "ways", [(RESERVE, SMALLER, NEXT_QUARTER), (SMALLER, NEXT_QUARTER, RESERVE), (NEXT_QUARTER, RESERVE)]
)
def test_the_first_possible_remedy_of_the_handbook_is_taken(ways: tuple[str, ...]) -> None:
    purses = [purse(0, 1900.0, following=2000.0, reserve=500.0), purse(1, 2000.0, following=2000.0)]

    assert settle(rules(*ways), OFFER, NEEDS, purses).kind == ways[0]
    assert settle(rules(*ways[1:]), OFFER, NEEDS, purses).kind == ways[1]


def test_a_purchase_without_any_possible_remedy_names_the_short_budget_and_orders_nothing() -> None:
    ending = settle(
        rules(RESERVE, SMALLER, NEXT_QUARTER), OFFER, NEEDS, [purse(0, 2000.0), purse(1, 10.0, reserve=50.0)]
    )

    assert ending == Ending(DECLINED, None, {}, ("C1",))


EUROS = st.integers(0, 400_000).map(lambda cents: cents / 100)
PURSES = st.tuples(
    *(
        st.builds(
            lambda left, following, reserve, number=number: purse(
                number, left, following=following, reserve=reserve
            ),
            EUROS,
            EUROS,
            st.none() | EUROS,
        )
        for number in (0, 1)
    )
)
WAYS = st.permutations([RESERVE, SMALLER, NEXT_QUARTER])


@given(PURSES, WAYS, EUROS)
def test_more_money_in_a_budget_never_rules_a_purchase_out(
    purses: tuple[Purse, Purse], ways: list[str], more: float
) -> None:
    poor, other = purses
    rich = purse(
        0,
        round(poor.current.remaining + more, 2),
        following=poor.following.remaining,
        reserve=None if poor.reserve is None else poor.reserve.remaining,
    )

    before = settle(rules(*ways), OFFER, NEEDS, [poor, other])
    after = settle(rules(*ways), OFFER, NEEDS, [rich, other])

    assert after.kind != DECLINED or before.kind == DECLINED
    assert set(after.short) <= set(before.short)


@given(PURSES, WAYS)
def test_it_does_not_matter_which_department_is_named_first(
    purses: tuple[Purse, Purse], ways: list[str]
) -> None:
    one = settle(rules(*ways), OFFER, NEEDS, purses)
    other = settle(rules(*ways), OFFER, NEEDS, purses[::-1])

    assert (one.kind, one.lot, one.shares) == (other.kind, other.lot, other.shares)
    assert set(one.short) == set(other.short)
