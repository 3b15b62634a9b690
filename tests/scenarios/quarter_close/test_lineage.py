"""The drawn lineage of a close: what is computed from what, what has to be refreshed, and in which order."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from scenarios.quarter_close.plan import Graph, draw_feeds, draw_graph, in_order
from scenarios.quarter_close.words import FEEDS

SEEDS = range(60)
NAMES = ("ada", "bea", "cox", "dee", "eve", "fay")


def draws(seed: int) -> Draws:
    return Draws("companyos-public", "lineage", seed)


@cache
def graph(seed: int, *, reversed_edge: bool = False) -> Graph:
    return draw_graph(draws(seed), reversed_edge=reversed_edge)


@st.composite
def lineages(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Draw a lineage without circles: each name may be computed from names before it."""
    return {
        name: tuple(draw(st.lists(st.sampled_from(NAMES[:at]), unique=True, max_size=3))) if at else ()
        for at, name in enumerate(NAMES)
    }


def ancestors(name: str, parents: dict[str, tuple[str, ...]]) -> set[str]:
    return set(parents[name]).union(*(ancestors(one, parents) for one in parents[name]))


def test_every_lineage_has_five_to_nine_lines_of_which_three_to_five_are_refreshed() -> None:
    assert {len(graph(seed).names) for seed in SEEDS} == {5, 6, 7, 8, 9}
    assert {len(graph(seed).needed) for seed in SEEDS} == {3, 4, 5}


@pytest.mark.parametrize("reversed_edge", [False, True])
def test_a_lineage_has_an_order_in_which_dependents_of_a_refreshed_line_are_refreshed(
    reversed_edge: bool,
) -> None:
    for seed in SEEDS:
        drawn = graph(seed, reversed_edge=reversed_edge)
        first, second = drawn.swapped
        order = in_order(drawn.needed, drawn.parents)
        assert order.index(first) < order.index(second)
        assert first in drawn.parents[second]
        assert all(name in drawn.needed for name in drawn.names if {*drawn.parents[name]} & drawn.needed)


def test_reversing_the_edge_changes_nothing_but_that_edge() -> None:
    for seed in SEEDS:
        one, other = graph(seed), graph(seed, reversed_edge=True)
        assert (one.names, one.needed, one.swapped) == (other.names, other.needed, other.swapped[::-1])
        assert {name for name in one.names if one.parents[name] != other.parents[name]} == {*one.swapped}


def test_most_lineages_do_not_run_in_the_order_of_names() -> None:
    orders = [
        (in_order(graph(seed).needed, graph(seed).parents), sorted(graph(seed).needed)) for seed in SEEDS
    ]

    assert sum(order != by_name for order, by_name in orders) > len(SEEDS) // 2


@given(lineages(), st.sets(st.sampled_from(NAMES)))
def test_each_needed_name_comes_after_all_needed_ones_that_it_is_computed_from_however_indirectly(
    parents: dict[str, tuple[str, ...]], needed: set[str]
) -> None:
    order = in_order(needed, parents)

    assert sorted(order) == sorted(needed)
    for at, name in enumerate(order):
        assert ancestors(name, parents) & needed <= {*order[:at]}


def test_half_of_the_closes_have_a_feed_of_one_refreshed_line_which_is_mostly_stale() -> None:
    feeds = []
    for seed in range(200):
        parents, drawn = draw_feeds(draws(seed), graph(seed))
        changed = {name for name in parents if parents[name] != graph(seed).parents[name]}
        assert len(changed) == len(drawn) <= 1
        assert changed <= graph(seed).needed
        feeds += drawn

    assert 70 <= len(feeds) <= 130
    assert 0.55 <= sum(one.shown != one.final for one in feeds) / len(feeds) <= 0.85
    assert {(one.name, one.unit) for one in feeds} == {*FEEDS}
