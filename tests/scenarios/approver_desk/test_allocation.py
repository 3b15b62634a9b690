"""A short budget: the best set within both limits, and when a competition for it is hard."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.approver_desk.allocation import (
    MAX_ITEMS,
    Item,
    Limits,
    best_selection,
    best_selections,
    cents,
    greedy_selection,
)
from scenarios.approver_desk.contention import Contender, Contention
from scenarios.approver_desk.short_budget import draw_contention

from .piles import SEEDS, new_pile

items = st.lists(
    st.tuples(st.integers(1, 30), st.integers(0, 9), st.integers(0, 5)), min_size=0, max_size=7
).map(lambda drawn: [Item(f"{number}", *values) for number, values in enumerate(drawn)])
limits = st.builds(Limits, cost=st.integers(0, 90), hours=st.integers(0, 15))


@given(of=items, within=limits, count=st.integers(1, 200))
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

    found = best_selections(of, within, count)

    assert [(-one.points, one.cost) for one in found] == ranks[:count]
    assert len({one.keys for one in found}) == len(found)
    assert (best_selection(of, within).points, best_selection(of, within).cost) == (-ranks[0][0], ranks[0][1])


def test_whole_sets_are_weighed_where_a_greedy_rule_takes_one_after_the_other() -> None:
    of = [Item("dear", 6, 10, 1), Item("one", 5, 8, 1), Item("other", 5, 7, 1), Item("slow", 1, 1, 9)]

    assert best_selection(of, Limits(10, 5)).keys == {"one", "other"}
    assert greedy_selection(of, Limits(10, 5)) == {"dear"}
    assert greedy_selection(of[1:], Limits(6, 10)) == {"one", "slow"}


def test_too_many_items_are_refused() -> None:
    of = [Item(f"{number}", 1, 1, 1) for number in range(MAX_ITEMS + 1)]

    assert best_selection(of[1:], Limits(1, 1)).points == 1
    with pytest.raises(ValueError, match="17 items"):
        best_selection(of, Limits(1, 1))


@pytest.mark.parametrize(("amount", "expected"), [(0.29, 29), (1.1, 110), (1234.56, 123456)])
def test_amounts_are_compared_in_whole_cents(amount: float, expected: int) -> None:
    assert cents(amount) == expected


def test_a_drawn_competition_is_hard_and_each_case_that_does_not_compete_would_change_the_set() -> None:
    for seed in SEEDS:
        drawn = draw_contention(new_pile(seed))
        less, more = (drawn.approved(within) for within in (drawn.less, drawn.more))
        assert drawn.is_hard
        assert less - more
        assert more - less
        assert len(drawn.ineligible) == 2
        for within in (drawn.less, drawn.more):
            for group in drawn.ineligible:
                taking_part = [Contender(item, priority=1, age_s=1) for item in group]
                wrong = replace(drawn, contenders=[*drawn.contenders, *taking_part])
                assert wrong.approved(within) - {item.key for item in group} != drawn.approved(within)


def with_items(contention: Contention, change: Callable[[Item], Item]) -> Contention:
    contenders = [replace(one, item=change(one.item)) for one in contention.contenders]
    return replace(contention, contenders=contenders)


def preferred(contention: Contention, change: Callable[[Contender, bool], Contender]) -> Contention:
    """Return the same competition with each contender changed by whether the smaller budget pays for it."""
    best = contention.approved(contention.less)
    return replace(
        contention, contenders=[change(one, one.item.key in best) for one in contention.contenders]
    )


def more_points(one: Contender, is_best: bool) -> Contender:
    return replace(one, item=replace(one.item, points=one.item.points + 999 * is_best))


@pytest.mark.parametrize(
    "ease",
    [
        lambda drawn: with_items(drawn, lambda item: replace(item, points=0)),
        lambda drawn: replace(drawn, more=drawn.less),
        lambda drawn: replace(drawn, less=replace(drawn.less, hours=10**6)),
        lambda drawn: replace(drawn, less=replace(drawn.less, cost=10**8)),
        lambda drawn: preferred(drawn, lambda one, is_best: replace(one, priority=1 if is_best else 2)),
        lambda drawn: preferred(
            drawn, lambda one, is_best: replace(one, priority=1, age_s=2 if is_best else 1)
        ),
        lambda drawn: preferred(drawn, more_points),
        lambda drawn: replace(drawn, ineligible=[*drawn.ineligible, [Item("useless", 1, 0, 1)]]),
    ],
    ids=["no points", "one budget", "hours", "money", "priority", "date", "points", "useless"],
)
def test_one_fact_makes_a_competition_easy(ease: Callable[[Contention], Contention]) -> None:
    assert not ease(draw_contention(new_pile(0))).is_hard
