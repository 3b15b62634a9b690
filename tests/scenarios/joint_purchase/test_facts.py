"""The facts of drawn instances: what is left of budgets after the day's orders, and who can sign for them."""

from collections import Counter
from typing import Any

import pytest

from companyos.company.areas.purchasing import PURCHASE
from companyos.sdk.simtime import DAY, HOUR, MINUTE
from scenarios.joint_purchase.case import AT_REFRESH, FIRST, LATER, NEITHER, SECOND
from scenarios.joint_purchase.facts import CO_SIGNERS, Facts
from scenarios.joint_purchase.pack import METRICS, Department
from scenarios.joint_purchase.terms import AGREED, HEAD_COUNT, co_signers, split

from .drawings import SEEDS, Drawing, drawing

SOME = SEEDS[:12]


def shares(facts: Facts) -> list[float]:
    return split(facts.case.lot.price, [side.weight for side in facts.case.sides])


def spent(drawn: Drawing, budget_id: str) -> float:
    return sum(float(row["amount"]) for row in drawn.rows("commitments", budget_id=budget_id))


def planned(drawn: Drawing, budget_id: str) -> float:
    rows = drawn.rows("planned_orders", "approvalflow", budget_id=budget_id)
    return sum(float(row["amount"]) for row in rows)


def refreshed(drawn: Drawing, department: Department) -> float:
    """Return what is left of a department's budget once its ledger is refreshed, before a colleague orders."""
    current = department.current
    return float(current["limit_amount"]) - drawn.fresh(department.ledger["id"]) - spent(drawn, current["id"])


def absent(drawn: Drawing) -> list[dict[str, Any]]:
    """Return who is away when the episode starts."""
    return drawn.rows("people", "approvalflow", away=True)


@pytest.mark.parametrize("seed", SOME)
def test_after_the_colleagues_order_exactly_what_the_case_says_is_left(seed: int) -> None:
    drawn = drawing(seed)

    for number, department in enumerate(drawn.facts.departments):
        ordered = planned(drawn, department.current["id"])
        is_extra = drawn.facts.case.shows == LATER and drawn.facts.case.cause == NEITHER

        left = refreshed(drawn, department) - (0 if is_extra else ordered)

        assert left == pytest.approx(drawn.facts.case.remaining(number), abs=0.015)
        assert left - ordered >= shares(drawn.facts)[number] or not is_extra


@pytest.mark.parametrize("seed", SOME)
def test_a_shortage_shows_in_the_refreshed_ledger_or_only_after_the_order(seed: int) -> None:
    drawn = drawing(seed)
    case = drawn.facts.case

    short = [
        share > refreshed(drawn, department)
        for department, share in zip(drawn.facts.departments, shares(drawn.facts), strict=True)
    ]

    facts = drawn.facts
    assert short == [one.current["id"] in facts.first_ending.short for one in facts.departments]
    assert case.shows == AT_REFRESH or not any(short)


@pytest.mark.parametrize("seed", SOME)
def test_before_a_refresh_both_budgets_seem_to_have_more_left_than_they_will_have(seed: int) -> None:
    drawn = drawing(seed)

    for number, department in enumerate(drawn.facts.departments):
        current = department.current
        shown = current["limit_amount"] - department.ledger["value"] - spent(drawn, current["id"])
        assert shown > drawn.facts.case.sides[number].ample > shares(drawn.facts)[number]


@pytest.mark.parametrize("seed", SOME)
def test_one_colleague_orders_on_one_budget_within_the_first_hour_and_a_half(seed: int) -> None:
    drawn = drawing(seed)

    [order] = drawn.rows("planned_orders", "approvalflow")

    assert order["budget_id"] in {one.current["id"] for one in drawn.facts.departments}
    assert 45 * MINUTE <= order["at"] - drawn.company.start <= 80 * MINUTE
    buyer = drawn.row("people", order["buyer"])
    [department] = [one for one in drawn.facts.departments if one.current["id"] == order["budget_id"]]
    assert buyer["team"] == department.name


@pytest.mark.parametrize("seed", SOME)
def test_an_order_that_makes_no_budget_short_is_a_small_part_of_a_share(seed: int) -> None:
    drawn = drawing(seed)
    case = drawn.facts.case
    amounts = [planned(drawn, one.current["id"]) for one in drawn.facts.departments]

    for number, (amount, share) in enumerate(zip(amounts, shares(drawn.facts), strict=True)):
        if case.shows == LATER and case.cause == (FIRST, SECOND)[number]:
            assert amount == pytest.approx(case.sides[number].ample - case.sides[number].short, abs=0.01)
        else:
            assert amount <= 0.09 * share + 0.01


@pytest.mark.parametrize("seed", SOME)
def test_the_metrics_of_the_basis_come_to_the_weights_of_the_case(seed: int) -> None:
    drawn = drawing(seed)
    facts = drawn.facts

    fresh = [drawn.fresh(metric["id"]) for metric in facts.bases]

    assert fresh == ([] if facts.case.basis == AGREED else [side.weight for side in facts.case.sides])


@pytest.mark.parametrize("seed", SOME)
def test_every_metric_changes_by_enough_to_be_told_apart(seed: int) -> None:
    drawn = drawing(seed)

    for metric in (one for department in drawn.facts.departments for one in department.metrics.values()):
        fresh = drawn.fresh(metric["id"])
        assert 0.1 <= abs(metric["value"] - fresh) / fresh <= 0.3


@pytest.mark.parametrize("seed", SOME)
def test_a_metric_that_is_not_the_basis_would_split_the_price_otherwise(seed: int) -> None:
    drawn = drawing(seed)
    facts = drawn.facts

    for basis in METRICS:
        if basis != facts.case.basis:
            weights = [drawn.fresh(one.metrics[basis]["id"]) for one in facts.departments]
            assert split(facts.case.lot.price, weights) != shares(facts)
            assert all(weight <= (60 if basis == HEAD_COUNT else 480) for weight in weights)


@pytest.mark.parametrize("seed", SOME)
def test_only_budgets_that_pay_have_a_signer_who_is_the_owner_or_the_delegate(seed: int) -> None:
    drawn = drawing(seed)
    facts = drawn.facts

    assert set(facts.signers) == {*facts.first_ending.shares, *facts.ending.shares}
    for budget_id, signer in facts.signers.items():
        owner = drawn.row("people", facts.budgets[budget_id]["owner"])
        assert signer in (owner["id"], owner["delegate"])


@pytest.mark.parametrize("seed", SOME)
def test_a_delegate_signs_for_an_owner_who_stays_away_and_for_no_other(seed: int) -> None:
    drawn = drawing(seed)
    away_for_days = {row["id"] for row in absent(drawn) if row["away_until"] == drawn.company.start + 4 * DAY}

    for budget_id, signer in drawn.facts.signers.items():
        owner = drawn.facts.budgets[budget_id]["owner"]
        assert (signer != owner) == (owner in away_for_days)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_delegates_limit_covers_every_lot_or_none(seed: int) -> None:
    drawn = drawing(seed)
    facts = drawn.facts
    weights = [side.weight for side in facts.case.sides]
    back_later = {row["id"] for row in absent(drawn) if row["away_until"] < drawn.company.start + DAY}

    for number, department in enumerate(facts.departments):
        head = drawn.row("people", department.head.id)
        of_lots = [split(lot.price, weights)[number] for lot in facts.case.offer.lots]
        if head["id"] in back_later:
            assert head["delegate_limit"] < min(of_lots)
        else:
            assert head["delegate_limit"] >= max(of_lots)


@pytest.mark.parametrize("seed", SOME)
def test_heads_delegate_purchases_to_a_deputy_of_their_own_department(seed: int) -> None:
    drawn = drawing(seed)

    for department in drawn.facts.departments:
        head = drawn.row("people", department.head.id)
        assert PURCHASE in head["delegate_types"]
        assert drawn.row("people", head["delegate"])["team"] == department.name
        assert drawn.row("people", head["delegate"])["id"] not in {row["id"] for row in absent(drawn)}


@pytest.mark.parametrize("seed", SEEDS)
def test_at_most_one_head_is_away_and_never_the_keeper_of_the_reserves(seed: int) -> None:
    drawn = drawing(seed)
    heads = {department.head.id for department in drawn.facts.departments}

    assert len(absent(drawn)) <= 1
    assert {row["id"] for row in absent(drawn)} <= heads


def test_heads_are_present_away_for_days_or_back_within_hours() -> None:
    kinds = Counter[str]()

    for seed in SEEDS:
        ends = [row["away_until"] - drawing(seed).company.start for row in absent(drawing(seed))]
        kinds[str([end if end > DAY else "today" for end in ends])] += 1
        assert all(end == 4 * DAY or 3 * HOUR <= end <= 5 * HOUR for end in ends)

    assert set(kinds) == {"[]", f"[{4 * DAY}]", "['today']"}


@pytest.mark.parametrize("seed", SEEDS)
def test_all_is_ready_once_the_colleague_has_ordered_and_who_is_back_today_is_back(seed: int) -> None:
    drawn = drawing(seed)
    [order] = drawn.rows("planned_orders", "approvalflow")
    today = [row["away_until"] for row in absent(drawn) if row["away_until"] < drawn.company.start + DAY]

    assert drawn.facts.ready_at == max([order["at"], *today])


@pytest.mark.parametrize("seed", SOME)
def test_reserves_belong_to_one_keeper_who_heads_neither_department(seed: int) -> None:
    facts = drawing(seed).facts
    keepers = {one.reserve["owner"] for one in facts.departments if one.reserve is not None}

    assert len(keepers) <= 1
    assert not keepers & {one.head.id for one in facts.departments}


@pytest.mark.parametrize("seed", SOME)
def test_those_who_sign_besides_are_the_holders_of_the_offices_that_the_total_asks_for(seed: int) -> None:
    drawn = drawing(seed)
    facts = drawn.facts
    count = co_signers(facts.case.rules, facts.ending.lot.price) if facts.ending.lot else 0

    assert list(facts.also) == [drawn.cast.offices[role].id for role in CO_SIGNERS[:count]]


def test_owners_sign_first_then_those_named_and_purchasing_last() -> None:
    stages = drawing(0).rows("purchase_stages", "approvalflow")

    told = [(row["number"], row["signers"], row["decision_s"], row["role"]) for row in stages]
    assert told == [
        (1, "owners", 2 * HOUR, None),
        (2, "named", HOUR, None),
        (3, "role", HOUR, "purchasing_lead"),
    ]


@pytest.mark.parametrize("seed", SOME)
def test_both_departments_have_ordered_something_this_quarter(seed: int) -> None:
    drawn = drawing(seed)

    for department in drawn.facts.departments:
        [past] = drawn.rows("commitments", budget_id=department.current["id"])
        assert department.current["starts_at"] <= past["at"] < drawn.company.start
        assert 400 <= past["amount"] <= 1600


@pytest.mark.parametrize("seed", SOME)
def test_departments_have_names_of_their_own_down_to_kind_and_site(seed: int) -> None:
    first, second = (one.name for one in drawing(seed).facts.departments)

    assert first not in second
    assert second not in first
    assert first.split()[-1] != second.split()[-1]


@pytest.mark.parametrize("seed", SOME)
def test_limits_are_full_hundreds_and_cover_more_than_what_is_in_play(seed: int) -> None:
    drawn = drawing(seed)

    for number, department in enumerate(drawn.facts.departments):
        limit = department.current["limit_amount"]
        assert limit % 100 == 0
        assert limit > drawn.facts.case.sides[number].ample + spent(drawn, department.current["id"])
        assert department.ledger["value"] > 0
