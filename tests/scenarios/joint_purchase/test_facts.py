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


def shares(facts: Facts) -> list[float]:
    return split(facts.case.lot.price, [side.weight for side in facts.case.sides])


def spent(purchase: Drawing, budget_id: str) -> float:
    return sum(float(row["amount"]) for row in purchase.rows("commitments", budget_id=budget_id))


def planned(purchase: Drawing, budget_id: str) -> float:
    rows = purchase.rows("planned_orders", "approvalflow", budget_id=budget_id)
    return sum(float(row["amount"]) for row in rows)


def refreshed(purchase: Drawing, department: Department) -> float:
    """Return what is left of a department's budget once its ledger is refreshed, before a colleague orders."""
    current = department.current
    return (
        float(current["limit_amount"])
        - purchase.fresh(department.ledger["id"])
        - spent(purchase, current["id"])
    )


def absent(purchase: Drawing) -> list[dict[str, Any]]:
    """Return who is away when the episode starts."""
    return purchase.rows("people", "approvalflow", away=True)


def test_budgets_have_left_as_much_as_the_case_says_at_each_time_of_the_day() -> None:
    """More than enough seems to be left before a refresh; then, or after the colleague's order, it may be short."""
    for purchase in map(drawing, SEEDS):
        facts, case = purchase.facts, purchase.facts.case
        is_extra = case.shows == LATER and case.cause == NEITHER
        for number, (one, share) in enumerate(zip(facts.departments, shares(facts), strict=True)):
            current, ordered = one.current, planned(purchase, one.current["id"])
            shown = current["limit_amount"] - one.ledger["value"] - spent(purchase, current["id"])
            left = refreshed(purchase, one) - (0 if is_extra else ordered)
            assert shown > case.sides[number].ample > share
            assert left == pytest.approx(case.remaining(number), abs=0.015)
            assert left - ordered >= share or not is_extra
            is_short = share > refreshed(purchase, one)
            assert is_short == (current["id"] in facts.first_ending.short)
            assert case.shows == AT_REFRESH or not is_short


def test_one_colleague_orders_on_one_budget_a_small_part_or_what_makes_it_short() -> None:
    for purchase in map(drawing, SEEDS):
        facts, case = purchase.facts, purchase.facts.case
        [order] = purchase.rows("planned_orders", "approvalflow")
        [(number, one)] = [
            (number, one)
            for number, one in enumerate(facts.departments)
            if one.current["id"] == order["budget_id"]
        ]

        assert 45 * MINUTE <= order["at"] - purchase.company.start <= 80 * MINUTE
        assert purchase.row("people", order["buyer"])["team"] == one.name
        if case.shows == LATER and case.cause != NEITHER:
            assert case.cause == (FIRST, SECOND)[number]
            short = case.sides[number].ample - case.sides[number].short
            assert order["amount"] == pytest.approx(short, abs=0.01)
        else:
            assert order["amount"] <= 0.09 * shares(facts)[number] + 0.01


def test_metrics_split_the_price_only_by_the_basis_and_only_once_they_are_refreshed() -> None:
    for purchase in map(drawing, SEEDS):
        facts, case = purchase.facts, purchase.facts.case
        fresh = [purchase.fresh(metric["id"]) for metric in facts.bases]
        assert fresh == ([] if case.basis == AGREED else [side.weight for side in case.sides])
        for basis in METRICS:
            metrics = [one.metrics[basis] for one in facts.departments]
            weights = [purchase.fresh(one["id"]) for one in metrics]
            for one, weight in zip(metrics, weights, strict=True):
                assert 0.1 <= abs(one["value"] - weight) / weight <= 0.3
                assert weight <= (60 if basis == HEAD_COUNT else 480)
            assert basis == case.basis or split(case.lot.price, weights) != shares(facts)


def test_the_owner_of_each_paying_budget_signs_or_the_delegate_while_the_owner_stays_away() -> None:
    for purchase in map(drawing, SEEDS):
        facts, start = purchase.facts, purchase.company.start
        away_for_days = {row["id"] for row in absent(purchase) if row["away_until"] == start + 4 * DAY}

        assert set(facts.signers) == {*facts.first_ending.shares, *facts.ending.shares}
        for budget_id, signer in facts.signers.items():
            owner = purchase.row("people", facts.budgets[budget_id]["owner"])
            assert signer == owner["delegate" if owner["id"] in away_for_days else "id"]


def test_a_deputy_of_the_department_may_sign_every_lot_or_none_for_a_head_who_is_back_today() -> None:
    for purchase in map(drawing, SEEDS):
        facts, away = purchase.facts, {row["id"]: row["away_until"] for row in absent(purchase)}
        weights = [side.weight for side in facts.case.sides]

        for number, department in enumerate(facts.departments):
            head = purchase.row("people", department.head.id)
            deputy = purchase.row("people", head["delegate"])
            assert PURCHASE in head["delegate_types"]
            assert deputy["team"] == department.name
            assert deputy["id"] not in away
            of_lots = [split(lot.price, weights)[number] for lot in facts.case.offer.lots]
            if away.get(head["id"], purchase.company.start + DAY) < purchase.company.start + DAY:
                assert head["delegate_limit"] < min(of_lots)
            else:
                assert head["delegate_limit"] >= max(of_lots)


def test_at_most_one_head_is_away_and_never_the_keeper_of_the_reserves() -> None:
    for purchase in map(drawing, SEEDS):
        heads = {one.head.id for one in purchase.facts.departments}
        keepers = {one.reserve["owner"] for one in purchase.facts.departments if one.reserve is not None}

        assert len(absent(purchase)) <= 1
        assert {row["id"] for row in absent(purchase)} <= heads
        assert len(keepers) <= 1
        assert not keepers & heads


def test_heads_are_present_away_for_days_or_back_within_hours_and_then_all_is_ready() -> None:
    kinds = Counter[str]()

    for purchase in map(drawing, SEEDS):
        ends = [row["away_until"] - purchase.company.start for row in absent(purchase)]
        today = [end for end in ends if end != 4 * DAY]
        kinds["today" if today else "days" if ends else "present"] += 1
        assert all(3 * HOUR <= end <= 5 * HOUR for end in today)
        [order] = purchase.rows("planned_orders", "approvalflow")
        assert purchase.facts.ready_at == max([order["at"], *(purchase.company.start + end for end in today)])

    assert set(kinds) == {"present", "days", "today"}


def test_those_who_sign_besides_are_the_holders_of_the_offices_that_the_total_asks_for() -> None:
    for purchase in map(drawing, SEEDS):
        facts = purchase.facts
        count = co_signers(facts.case.rules, facts.ending.lot.price) if facts.ending.lot else 0

        assert list(facts.also) == [purchase.cast.offices[role].id for role in CO_SIGNERS[:count]]


def test_owners_sign_first_then_those_named_and_purchasing_last() -> None:
    stages = drawing(0).rows("purchase_stages", "approvalflow")

    told = [(row["number"], row["signers"], row["decision_s"], row["role"]) for row in stages]
    assert told == [
        (1, "owners", 2 * HOUR, None),
        (2, "named", HOUR, None),
        (3, "role", HOUR, "purchasing_lead"),
    ]


def test_departments_have_distinct_names_an_order_this_quarter_and_a_limit_above_what_is_in_play() -> None:
    for purchase in map(drawing, SEEDS):
        first, second = (one.name for one in purchase.facts.departments)
        assert first.split()[-1] != second.split()[-1]
        for number, one in enumerate(purchase.facts.departments):
            [past] = purchase.rows("commitments", budget_id=one.current["id"])
            assert one.current["starts_at"] <= past["at"] < purchase.company.start
            limit = one.current["limit_amount"]
            assert limit % 100 == 0
            assert limit > purchase.facts.case.sides[number].ample + past["amount"]
            assert one.ledger["value"] > 0
