"""Drawn cases: the numbers lead both instances of a pair to their endings, and stay within what a story allows."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso, to_iso
from scenarios.joint_purchase.case import (
    IDS,
    LATER,
    NEITHER,
    PLANS,
    SECOND,
    Deal,
    Side,
    draw_case,
)
from scenarios.joint_purchase.terms import (
    AGREED,
    DECLINED,
    HEAD_COUNT,
    NEXT_QUARTER,
    PLAIN,
    RESERVE,
    SMALLER,
    Lot,
    Offer,
    Rules,
    co_signers,
    split,
)
from scenarios.joint_purchase.words import CATEGORIES

TODAY = from_iso("2031-05-05T08:30:00Z")
QUARTER_ENDS = from_iso("2031-07-01T00:00:00Z")
PAIRS = range(20)
WAYS = {RESERVE, SMALLER, NEXT_QUARTER}


@cache
def case(pair: int, parity: int = 0) -> Deal:
    return draw_case(Draws("cases", pair), parity, TODAY, QUARTER_ENDS)


def both(pair: int) -> tuple[Deal, Deal]:
    return case(pair, 0), case(pair, 1)


@cache
def by_hand(cause: str = NEITHER, *, reserve: float | None = 900.0) -> Deal:
    """Return a case in which either budget covers its share unless it is the short one."""
    side = Side(1.0, 700.0, 450.0, 2000.0, reserve, 12, "2031-07-09")
    return Deal(
        category="equipment",
        basis=AGREED,
        rules=Rules({"equipment": AGREED}, (5000.0, 9000.0), (RESERVE,), 1000.0),
        units=((40, 24.0), (32, 25.0)),
        delivery=40.0,
        offer=Offer((Lot(40, 1000.0), Lot(32, 840.0)), "2031-07-20"),
        wanted=40,
        sides=(side, replace(side, least=15, by="2031-07-04")),
        causes=(NEITHER, SECOND),
        shows=LATER,
        first_day="2031-07-01",
        cause=cause,
    )


@pytest.mark.parametrize(
    ("cause", "left"),
    [("neither", (700.0, 700.0)), ("first", (450.0, 700.0)), ("second", (700.0, 450.0))],
)
def test_only_the_budget_of_the_short_department_falls_short(cause: str, left: tuple[float, float]) -> None:
    assert tuple(by_hand(cause).remaining(number) for number in (0, 1)) == left


def test_the_departments_need_both_least_quantities_by_the_earlier_day() -> None:
    needs = by_hand().needs

    assert (needs.wanted, needs.least, needs.latest) == (40, 27, "2031-07-04")


def test_an_ending_names_the_budgets_by_the_ids_of_the_company() -> None:
    ids = {name: f"BUD-{number}" for number, name in enumerate(sorted(IDS))}

    ending = by_hand("second").ending(ids)

    assert ending.kind == RESERVE
    assert ending.shares == {ids["current0"]: 500.0, ids["current1"]: 400.0, ids["reserve1"]: 100.0}
    assert ending.short == (ids["current1"],)


def test_a_department_without_a_reserve_needs_no_id_for_one() -> None:
    ids = {name: name for name in IDS if not name.startswith("reserve")}

    assert by_hand("first", reserve=None).ending(ids).kind == DECLINED


def test_the_two_instances_of_a_plan_have_different_causes_and_endings() -> None:
    for (one, ending), (other, other_ending) in PLANS:
        assert one != other
        assert ending != other_ending


def test_half_of_a_plan_is_plain_exactly_if_no_budget_is_short() -> None:
    for cause, ending in (half for plan in PLANS for half in plan):
        assert (ending == PLAIN) == (cause == NEITHER)


def test_every_remedy_is_planned_for_either_instance_of_some_pair() -> None:
    planned = Counter(ending for plan in PLANS for _, ending in plan)

    assert planned == {RESERVE: 5, SMALLER: 4, NEXT_QUARTER: 3, PLAIN: 2, DECLINED: 2}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_instances_of_a_pair_end_as_one_plan_says(pair: int) -> None:
    ends = {one.cause: one.ending(IDS).kind for one in both(pair)}

    assert ends in [dict(plan) for plan in PLANS]
    assert {*both(pair)[0].causes} == set(ends)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_instances_of_a_pair_differ_only_in_which_budget_is_short(pair: int) -> None:
    one, other = both(pair)

    assert one.cause != other.cause
    assert replace(one, cause=other.cause) == other


def test_every_plan_is_drawn_and_each_cause_falls_on_either_seed_of_a_pair() -> None:
    drawn = Counter((case(pair).causes, case(pair).cause == case(pair).causes[0]) for pair in range(96))

    assert {causes for causes, _ in drawn} == {(plan[0][0], plan[1][0]) for plan in PLANS}
    assert all(min(drawn[causes, True], drawn[causes, False]) > 0 for causes, _ in drawn)


def test_a_case_is_drawn_again_from_the_same_draws() -> None:
    assert draw_case(Draws("cases", 3), 1, TODAY, QUARTER_ENDS) == case(3, 1)


@pytest.mark.parametrize("pair", PAIRS)
def test_one_of_a_smaller_lot_costs_more_and_the_whole_lot_less(pair: int) -> None:
    one = case(pair)
    quantities, units = zip(*one.units, strict=True)

    assert list(quantities) == sorted({*quantities}, reverse=True)
    assert list(units) == sorted({*units})
    assert [lot.quantity for lot in one.offer.lots] == list(quantities)
    assert [lot.price for lot in one.offer.lots] == sorted(
        (lot.price for lot in one.offer.lots), reverse=True
    )


@pytest.mark.parametrize("pair", PAIRS)
def test_wanted_quantity_is_the_largest_lot_and_above_the_minimum_needs(pair: int) -> None:
    one = case(pair)

    assert one.lot == one.offer.lots[0]
    assert one.wanted == one.lot.quantity
    assert one.needs.least < one.wanted


@pytest.mark.parametrize("pair", PAIRS)
def test_a_price_is_that_of_its_units_and_one_delivery(pair: int) -> None:
    one = case(pair)

    for (quantity, unit), lot in zip(one.units, one.offer.lots, strict=True):
        assert lot.price == pytest.approx(quantity * unit + one.delivery, abs=0.005)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_budget_covers_its_share_with_a_quarter_to_spare_or_lacks_some_percent_of_it(pair: int) -> None:
    one = case(pair)
    shares = split(one.lot.price, [side.weight for side in one.sides])

    for side, share in zip(one.sides, shares, strict=True):
        assert 1.25 * share - 0.01 <= side.ample <= 1.8 * share + 0.01
        assert 0.55 * share - 0.01 <= side.short <= 0.94 * share + 0.01


@pytest.mark.parametrize("pair", PAIRS)
def test_shares_are_far_enough_from_half_and_half_to_tell(pair: int) -> None:
    first, second = (side.weight for side in case(pair).sides)

    assert abs(first - second) / (first + second) > 0.03


@pytest.mark.parametrize("pair", PAIRS)
def test_agreed_weights_are_percentages_and_others_are_counts(pair: int) -> None:
    one = case(pair)
    weights = [side.weight for side in one.sides]

    assert one.basis == one.rules.bases[one.category]
    assert all(weight == int(weight) > 0 for weight in weights)
    assert (sum(weights) == 100) or one.basis != AGREED
    assert max(weights) <= {AGREED: 65, HEAD_COUNT: 60}.get(one.basis, 480)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_rules_of_a_company_name_every_category_basis_and_remedy_once(pair: int) -> None:
    rules = case(pair).rules

    assert tuple(rules.bases) == CATEGORIES
    assert len({*rules.bases.values()}) == len(CATEGORIES)
    assert {*rules.ways} == WAYS
    assert len(rules.ways) == len(WAYS)
    assert rules.reserve_most in {100.0 * hundreds for hundreds in range(8, 17)}


@pytest.mark.parametrize("pair", PAIRS)
def test_amounts_for_signatures_are_round_and_the_second_is_clearly_higher(pair: int) -> None:
    first, second = case(pair).rules.signing

    assert first > 0
    assert first % 250 == second % 250 == 0
    assert second - first >= 500


def test_a_purchase_is_signed_by_neither_one_or_both_of_the_offices() -> None:
    cases = [case(pair) for pair in range(60)]

    assert {co_signers(one.rules, one.lot.price) for one in cases} == {0, 1, 2}


def test_most_purchases_would_need_fewer_signatures_if_they_were_divided() -> None:
    tempting = 0

    for one in map(case, range(60)):
        larger = max(split(one.lot.price, [side.weight for side in one.sides]))
        tempting += co_signers(one.rules, larger) < co_signers(one.rules, one.lot.price)

    assert tempting > 30


@pytest.mark.parametrize("pair", PAIRS)
def test_the_offer_holds_for_days_only_or_into_the_next_quarter(pair: int) -> None:
    until = from_iso(f"{case(pair).offer.valid_until}T00:00:00Z")

    soon = TODAY // DAY * DAY + 2 * DAY <= until <= TODAY + 8 * DAY
    assert soon or QUARTER_ENDS + 3 * DAY <= until <= QUARTER_ENDS + 30 * DAY


@pytest.mark.parametrize("pair", PAIRS)
def test_a_department_can_clearly_wait_for_the_next_quarter_or_clearly_not(pair: int) -> None:
    for side in case(pair).sides:
        days = (from_iso(f"{side.by}T00:00:00Z") - QUARTER_ENDS) // DAY

        assert 8 <= days <= 40 or -9 <= days <= -3


def test_the_next_quarter_begins_on_the_day_after_this_one() -> None:
    assert case(0).first_day == to_iso(QUARTER_ENDS)[:10] == "2031-07-01"


def test_shortages_show_at_once_or_later_and_remedies_come_in_every_place() -> None:
    cases = [case(pair) for pair in range(60)]

    assert min(Counter(one.shows for one in cases).values()) > 15
    assert {one.rules.ways[0] for one in cases} == WAYS
    assert {one.basis for one in cases} == {AGREED, HEAD_COUNT, "usage"}
    assert {side.reserve is None for one in cases for side in one.sides} == {True, False}
