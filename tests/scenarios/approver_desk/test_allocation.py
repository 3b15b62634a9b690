"""The settlement of a short budget: the best set, within both limits."""

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

PLENTY = 1000

items = st.lists(
    st.tuples(st.integers(1, 30), st.integers(0, 9), st.integers(0, 5)), min_size=0, max_size=7
).map(lambda drawn: [Item(f"{number}", *values) for number, values in enumerate(drawn)])
limits = st.builds(Limits, cost=st.integers(0, 90), hours=st.integers(0, 15))


def every_set(of: list[Item], within: Limits) -> list[tuple[Item, ...]]:
    """Return all sets within the limits, one by one."""
    sets = [chosen for size in range(len(of) + 1) for chosen in combinations(of, size)]
    return [
        chosen
        for chosen in sets
        if sum(item.cost for item in chosen) <= within.cost
        and sum(item.hours for item in chosen) <= within.hours
    ]


@given(of=items, within=limits)
def test_best_selection_has_most_points_and_then_least_cost(of: list[Item], within: Limits) -> None:
    best = best_selection(of, within)

    ranks = [
        (sum(item.points for item in chosen), -sum(item.cost for item in chosen))
        for chosen in every_set(of, within)
    ]
    assert (best.points, -best.cost) == max(ranks)


@given(of=items, within=limits)
def test_the_sums_of_a_selection_are_those_of_its_members(of: list[Item], within: Limits) -> None:
    best = best_selection(of, within)

    chosen = [item for item in of if item.key in best.keys]
    assert best.points == sum(item.points for item in chosen)
    assert best.cost == sum(item.cost for item in chosen) <= within.cost
    assert best.hours == sum(item.hours for item in chosen) <= within.hours


@given(of=items, within=limits, count=st.integers(1, 200))
def test_the_best_selections_are_different_sets_in_order(of: list[Item], within: Limits, count: int) -> None:
    found = best_selections(of, within, count)

    assert len(found) == min(count, len(every_set(of, within)))
    assert len({selection.keys for selection in found}) == len(found)
    ranks = [(selection.points, -selection.cost) for selection in found]
    assert ranks == sorted(ranks, reverse=True)


def test_whole_sets_are_weighed_where_a_greedy_rule_takes_the_most_points_first() -> None:
    of = [Item("dear", 6, 10, 1), Item("one", 5, 8, 1), Item("other", 5, 7, 1)]

    assert best_selection(of, Limits(10, PLENTY)).keys == {"one", "other"}
    assert greedy_selection(of, Limits(10, PLENTY)) == {"dear"}


def test_hours_limit_a_set_as_its_cost_does() -> None:
    of = [Item("slow", 1, 9, 5), Item("quick", 1, 5, 2), Item("quicker", 1, 5, 1)]

    assert best_selection(of, Limits(PLENTY, 5)).keys == {"quick", "quicker"}
    assert best_selection(of, Limits(PLENTY, 6)).keys == {"slow", "quicker"}


def test_a_greedy_rule_passes_over_what_does_not_fit_and_goes_on() -> None:
    of = [Item("first", 6, 1, 1), Item("dear", 5, 9, 1), Item("slow", 1, 9, 9), Item("last", 4, 1, 1)]

    assert greedy_selection(of, Limits(10, 2)) == {"first", "last"}


def test_best_selection_is_empty_if_nothing_fits() -> None:
    assert best_selection([Item("one", 5, 1, 1)], Limits(4, PLENTY)).keys == frozenset()
    assert best_selection([], Limits(4, PLENTY)).points == 0


def test_too_many_items_are_refused() -> None:
    of = [Item(f"{number}", 1, 1, 1) for number in range(MAX_ITEMS + 1)]

    assert best_selection(of[1:], Limits(1, 1)).points == 1
    with pytest.raises(ValueError, match="17 items"):
        best_selection(of, Limits(1, 1))


@pytest.mark.parametrize(("amount", "expected"), [(0.29, 29), (1.1, 110), (1234.56, 123456), (500.0, 50000)])
def test_amounts_are_compared_in_whole_cents(amount: float, expected: int) -> None:
    assert cents(amount) == expected
