"""Drawn desks: what pairs differ in, and a short budget that no simple rule settles rightly."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.scenario import Instance
from companyos.sdk.simtime import DAY
from scenarios.approver_desk.pile import APPROVED
from scenarios.approver_desk.scenario import LESS, MORE, SCENARIO
from scenarios.approver_desk.settlement import Contention, Item, Limits, best_sets, cents, greedy_set, item_of
from scenarios.approver_desk.short_budget import LIMIT, draw_contention

from ..conftest import instance_of
from .piles import SEEDS, new_pile

Row = dict[str, Any]
RANKS = {
    "points": lambda row: -row["fields"]["benefit_points"],
    "points per euro": lambda row: -row["fields"]["benefit_points"] / row["fields"]["amount"],
    "points per hour": lambda row: -row["fields"]["benefit_points"] / row["fields"]["setup_hours"],
    "cheapest": lambda row: row["fields"]["amount"],
    "dearest": lambda row: -row["fields"]["amount"],
    "priority": lambda row: (row["fields"]["priority"], row["submitted_at"]),
    "date": lambda row: row["submitted_at"],
}
ITEMS = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 9), st.integers(0, 5)), max_size=7).map(
    lambda drawn: [Item(f"{number}", *values) for number, values in enumerate(drawn)]
)
LIMITS = st.builds(Limits, cost=st.integers(0, 90), hours=st.integers(0, 15))


@cache
def drawn_instances() -> list[Instance]:
    return [instance_of(SCENARIO, seed, size="small") for seed in range(40)]


@cache
def short_of_money() -> list[Instance]:
    """Return the instances with a short budget, both of each pair."""
    return [instance for instance in drawn_instances() if instance.cause in (MORE, LESS)]


def only(instance: Instance, service: str, table: str, row_id: str) -> Row:
    return next(dict(row) for row in instance.rows[service][table] if row["id"] == row_id)


def ledger_of(instance: Instance) -> Row:
    return only(instance, "datahub", "metrics", instance.facts.ledgers[0]["id"])


def contending(instance: Instance) -> list[Row]:
    """Return the requests for the short budget that are approved or rejected for want of money."""
    return [only(instance, "approvalflow", "requests", key) for key in instance.facts.contending]


def budget_of(instance: Instance) -> Row:
    return only(instance, "datahub", "budgets", ledger_of(instance)["subject"])


def items_of(rows: list[Row]) -> list[Item]:
    return [item_of(row["id"], row["fields"]) for row in rows]


def limits_of(instance: Instance) -> Limits:
    """Return what a refresh leaves of the short budget, and the setup hours in the rules in force."""
    left = LIMIT - only(instance, "datahub", "sources", ledger_of(instance)["id"])["values"][0]
    rules = instance.facts.rules["body"]
    return Limits(cents(left), int(rules.partition("no more than the ")[2].partition(" hours")[0]))


def keys_of(items: Iterable[Item]) -> set[str]:
    return {item.key for item in items}


def points_of(items: Iterable[Item]) -> int:
    return sum(item.points for item in items)


def approved_of(instance: Instance) -> set[str]:
    return {key for key in instance.facts.contending if instance.facts.right[key] == APPROVED}


def test_desks_hold_fourteen_to_eighteen_requests_of_every_end() -> None:
    every = [instance.facts.right for instance in drawn_instances()]

    assert all(14 <= len(ends) <= 18 for ends in every)
    assert len({end.partition(":")[2] for ends in every for end in ends.values() if "rejected" in end}) == 6


def test_the_one_best_set_is_approved_and_the_runner_up_is_another_set() -> None:
    for instance in short_of_money():
        best, second = best_sets(items_of(contending(instance)), limits_of(instance), 2)
        assert approved_of(instance) == keys_of(best)
        assert points_of(best) > points_of(second)
        assert len(best ^ second) >= 2


@pytest.mark.parametrize("rank", RANKS)
def test_greedy_selection_never_approves_the_right_set(rank: str) -> None:
    for instance in short_of_money():
        order = items_of(sorted(contending(instance), key=RANKS[rank]))
        assert keys_of(greedy_set(order, limits_of(instance))) != approved_of(instance)


def test_the_ledger_is_stale_by_days_and_believed_to_pay_for_everything() -> None:
    for instance in short_of_money():
        ledger, short = ledger_of(instance), budget_of(instance)
        same_centre = [
            row
            for row in instance.rows["datahub"]["budgets"]
            if row["cost_centre"] == short["cost_centre"] and row["id"] != short["id"]
        ]
        [last_year] = same_centre
        assert instance.start - ledger["as_of"] == 3 * DAY
        assert LIMIT - ledger["value"] > fsum(row["fields"]["amount"] for row in contending(instance))
        assert last_year["name"] == short["name"]
        assert last_year["ends_at"] <= instance.start < short["ends_at"]


def test_a_drawn_competition_is_hard_and_each_case_that_does_not_compete_would_change_the_set() -> None:
    for seed in SEEDS:
        drawn = draw_contention(new_pile(seed))
        less, more = (drawn.approved(within) for within in (drawn.less, drawn.more))
        assert drawn.is_hard
        assert less - more
        assert more - less
        for within in (drawn.less, drawn.more):
            for group in drawn.ineligible:
                [chosen] = best_sets([*drawn.contenders, *group], within)
                assert chosen - {*group} != drawn.approved(within)


def preferred(contention: Contention, change: Callable[[Item, bool], Item]) -> Contention:
    """Return the same competition with each contender changed by whether the smaller budget pays for it."""
    best = contention.approved(contention.less)
    contenders = [change(one, one in best) for one in contention.contenders]
    return replace(contention, contenders=contenders)


@pytest.mark.parametrize(
    "ease",
    [
        lambda drawn: replace(drawn, more=drawn.less),
        lambda drawn: replace(drawn, less=drawn.less._replace(hours=10**6)),
        lambda drawn: replace(drawn, less=drawn.less._replace(cost=10**8)),
        lambda drawn: preferred(drawn, lambda one, is_best: one._replace(priority=1 if is_best else 2)),
        lambda drawn: preferred(drawn, lambda one, is_best: one._replace(priority=1, age_s=1 + is_best)),
        lambda drawn: preferred(drawn, lambda one, is_best: one._replace(points=one.points + 999 * is_best)),
        lambda drawn: replace(drawn, ineligible=[*drawn.ineligible, [Item("useless", 1, 0, 1)]]),
    ],
    ids=["one budget", "hours", "money", "priority", "date", "points", "useless"],
)
def test_one_fact_makes_a_competition_easy(ease: Callable[[Contention], Contention]) -> None:
    assert not ease(draw_contention(new_pile())).is_hard


@given(of=ITEMS, within=LIMITS, count=st.integers(1, 200))
def test_the_best_selections_are_the_sets_within_both_limits_in_order(
    of: list[Item], within: Limits, count: int
) -> None:
    sets = [chosen for size in range(len(of) + 1) for chosen in combinations(of, size)]
    ranks = sorted(
        (-sum(item.points for item in chosen), sum(item.cost for item in chosen))
        for chosen in sets
        if sum(item.cost for item in chosen) <= within.cost
        and sum(item.hours for item in chosen) <= within.hours
    )

    found = best_sets(of, within, count)

    assert [(-points_of(one), sum(item.cost for item in one)) for one in found] == ranks[:count]
    assert len({*found}) == len(found)
