"""Drawn cases: the numbers lead both instances of a pair to their endings, and stay within what a story allows."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso, to_iso
from scenarios.joint_purchase.case import IDS, LATER, NEITHER, PLANS, SECOND, Deal, Side, draw_case
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
WAYS = {RESERVE, SMALLER, NEXT_QUARTER}
PAIRS = range(96)


@cache
def case(pair: int, parity: int = 0) -> Deal:
    return draw_case(Draws("cases", pair), parity, TODAY, QUARTER_ENDS)


@pytest.fixture
def cases() -> list[Deal]:
    """One case of each pair."""
    return [case(pair) for pair in PAIRS]


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


def test_an_ending_names_the_budgets_and_adds_up_what_both_departments_need() -> None:
    needs, ids = by_hand().needs, {name: f"BUD-{name}" for name in IDS}

    ending = by_hand("second").ending(ids)

    assert (needs.wanted, needs.least, needs.latest) == (40, 27, "2031-07-04")
    assert ending.shares == {"BUD-current0": 500.0, "BUD-current1": 400.0, "BUD-reserve1": 100.0}
    assert ending.short == ("BUD-current1",)
    ids = {name: name for name in IDS if not name.startswith("reserve")}
    assert by_hand("first", reserve=None).ending(ids).kind == DECLINED


def test_plans_give_a_pair_different_causes_and_endings_and_every_remedy_to_several() -> None:
    assert all(one != other and end != other_end for (one, end), (other, other_end) in PLANS)
    assert all((end == PLAIN) == (cause == NEITHER) for plan in PLANS for cause, end in plan)
    planned = Counter(ending for plan in PLANS for _, ending in plan)
    assert planned == {RESERVE: 5, SMALLER: 4, NEXT_QUARTER: 3, PLAIN: 2, DECLINED: 2}


def test_the_instances_of_a_pair_end_as_one_plan_says_and_differ_only_in_which_budget_is_short() -> None:
    for one, other in ((case(pair), case(pair, 1)) for pair in PAIRS[:20]):
        ends = {each.cause: each.ending(IDS).kind for each in (one, other)}
        assert ends in [dict(plan) for plan in PLANS]
        assert {*one.causes} == set(ends)
        assert replace(one, cause=other.cause) == other


def test_every_plan_is_drawn_and_each_cause_falls_on_either_seed_of_a_pair(cases: list[Deal]) -> None:
    drawn = Counter((one.causes, one.cause == one.causes[0]) for one in cases)

    assert {causes for causes, _ in drawn} == {(plan[0][0], plan[1][0]) for plan in PLANS}
    assert all(min(drawn[causes, True], drawn[causes, False]) > 0 for causes, _ in drawn)


def test_larger_lots_cost_less_a_piece_and_the_largest_is_wanted(cases: list[Deal]) -> None:
    for one in cases:
        quantities, units = zip(*one.units, strict=True)
        assert list(quantities) == sorted({*quantities}, reverse=True)
        assert list(units) == sorted({*units})
        assert [lot.quantity for lot in one.offer.lots] == list(quantities)
        for (quantity, unit), lot in zip(one.units, one.offer.lots, strict=True):
            assert lot.price == pytest.approx(quantity * unit + one.delivery, abs=0.005)
        assert one.lot == one.offer.lots[0]
        assert one.wanted == one.lot.quantity > one.needs.least


def test_a_budget_covers_its_share_with_a_quarter_to_spare_or_lacks_some_percent_of_it(
    cases: list[Deal],
) -> None:
    for one in cases:
        shares = split(one.lot.price, [side.weight for side in one.sides])
        for side, share in zip(one.sides, shares, strict=True):
            assert 1.25 * share - 0.01 <= side.ample <= 1.8 * share + 0.01
            assert 0.55 * share - 0.01 <= side.short <= 0.94 * share + 0.01


def test_weights_are_agreed_percentages_or_counts_and_clearly_unequal(cases: list[Deal]) -> None:
    for one in cases:
        weights = [side.weight for side in one.sides]
        assert one.basis == one.rules.bases[one.category]
        assert all(weight == int(weight) > 0 for weight in weights)
        assert (sum(weights) == 100) or one.basis != AGREED
        assert max(weights) <= {AGREED: 65, HEAD_COUNT: 60}.get(one.basis, 480)
        assert abs(weights[0] - weights[1]) / sum(weights) > 0.03


def test_the_rules_of_a_company_name_every_category_basis_and_remedy_once(cases: list[Deal]) -> None:
    for rules in (one.rules for one in cases):
        assert tuple(rules.bases) == CATEGORIES
        assert len({*rules.bases.values()}) == len(CATEGORIES)
        assert sorted(rules.ways) == sorted(WAYS)
        assert rules.reserve_most in {100.0 * hundreds for hundreds in range(8, 17)}
        first, second = rules.signing
        assert first % 250 == second % 250 == 0
        assert 0 < first <= second - 500


def test_most_purchases_would_need_fewer_signatures_if_they_were_divided(cases: list[Deal]) -> None:
    larger = [max(split(one.lot.price, [side.weight for side in one.sides])) for one in cases]
    signers = [co_signers(one.rules, one.lot.price) for one in cases]
    apart = [co_signers(one.rules, share) for one, share in zip(cases, larger, strict=True)]

    assert {*signers} == {0, 1, 2}
    assert sum(one < another for one, another in zip(apart, signers, strict=True)) > len(cases) / 2


def test_offers_and_needs_clearly_reach_into_the_next_quarter_or_clearly_not(cases: list[Deal]) -> None:
    for one in cases:
        until = from_iso(f"{one.offer.valid_until}T00:00:00Z")
        soon = TODAY // DAY * DAY + 2 * DAY <= until <= TODAY + 8 * DAY
        assert soon or QUARTER_ENDS + 3 * DAY <= until <= QUARTER_ENDS + 30 * DAY
        assert one.first_day == to_iso(QUARTER_ENDS)[:10]
        for side in one.sides:
            days = (from_iso(f"{side.by}T00:00:00Z") - QUARTER_ENDS) // DAY
            assert 8 <= days <= 40 or -9 <= days <= -3


def test_shortages_show_at_once_or_later_and_remedies_come_in_every_place(cases: list[Deal]) -> None:
    assert min(Counter(one.shows for one in cases).values()) > 15
    assert {one.rules.ways[0] for one in cases} == WAYS
    assert {one.basis for one in cases} == {AGREED, HEAD_COUNT, "usage"}
    assert {side.reserve is None for one in cases for side in one.sides} == {True, False}
