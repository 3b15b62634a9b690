"""The drawn lineage of a close: what is computed from what, what has to be refreshed, and in which order."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR
from scenarios.quarter_close.books import Feed
from scenarios.quarter_close.plan import Graph, draw_feeds, draw_graph, in_order
from scenarios.quarter_close.words import FEEDS, LINES

SEEDS = range(60)
NAMES = ("ada", "bea", "cox", "dee", "eve", "fay")


def draws(seed: int) -> Draws:
    return Draws("companyos-public", "lineage", seed)


@cache
def graph(seed: int, *, reversed_edge: bool = False) -> Graph:
    return draw_graph(draws(seed), reversed_edge=reversed_edge)


def fed(seed: int) -> tuple[dict[str, tuple[str, ...]], list[Feed]]:
    return draw_feeds(draws(seed), graph(seed))


@st.composite
def lineages(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Draw a lineage without circles: each name may be computed from names before it."""
    return {
        name: tuple(draw(st.lists(st.sampled_from(NAMES[:at]), unique=True, max_size=3))) if at else ()
        for at, name in enumerate(NAMES)
    }


def ancestors(name: str, parents: dict[str, tuple[str, ...]]) -> set[str]:
    return set(parents.get(name, ())).union(*(ancestors(one, parents) for one in parents.get(name, ())))


def test_every_lineage_has_five_to_nine_lines_of_which_three_to_five_are_refreshed() -> None:
    assert {len(graph(seed).names) for seed in SEEDS} == {5, 6, 7, 8, 9}
    assert {len(graph(seed).needed) for seed in SEEDS} == {3, 4, 5}
    assert all(graph(seed).needed <= {*graph(seed).names} <= {name for name, _ in LINES} for seed in SEEDS)


@pytest.mark.parametrize("reversed_edge", [False, True])
def test_lineage_of_lines_has_no_cycle(reversed_edge: bool) -> None:
    for seed in SEEDS:
        parents = dict(graph(seed, reversed_edge=reversed_edge).parents)
        assert all(name not in _bounded(name, parents) for name in parents)


def _bounded(name: str, parents: dict[str, tuple[str, ...]]) -> set[str]:
    """Return what a line is computed from; a circle ends the search instead of repeating it."""
    seen: set[str] = set()
    left = [*parents[name]]
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += parents[one]
    return seen


@pytest.mark.parametrize("reversed_edge", [False, True])
def test_of_the_swapped_lines_the_second_is_computed_from_the_first(reversed_edge: bool) -> None:
    for seed in SEEDS:
        drawn = graph(seed, reversed_edge=reversed_edge)
        first, second = drawn.swapped
        assert first in drawn.parents[second]
        assert second not in drawn.parents[first]
        assert {first, second} <= drawn.needed


def test_reversing_the_edge_changes_nothing_but_that_edge() -> None:
    for seed in SEEDS:
        one, other = graph(seed), graph(seed, reversed_edge=True)
        assert (one.names, one.needed, one.swapped) == (other.names, other.needed, other.swapped[::-1])
        changed = {name for name in one.names if one.parents[name] != other.parents[name]}
        assert changed == {*one.swapped}


@pytest.mark.parametrize("reversed_edge", [False, True])
def test_dependents_of_a_refreshed_line_are_refreshed(reversed_edge: bool) -> None:
    for seed in SEEDS:
        drawn = graph(seed, reversed_edge=reversed_edge)
        assert all(name in drawn.needed for name in drawn.names if {*drawn.parents[name]} & drawn.needed)


def test_most_lineages_do_not_run_in_the_order_of_names() -> None:
    differing = [
        in_order(graph(seed).needed, graph(seed).parents) != sorted(graph(seed).needed) for seed in SEEDS
    ]

    assert differing.count(True) > len(SEEDS) // 2


@given(lineages())
def test_each_name_comes_after_everything_that_it_is_computed_from(
    parents: dict[str, tuple[str, ...]],
) -> None:
    order = in_order(NAMES, parents)

    assert sorted(order) == sorted(NAMES)
    for at, name in enumerate(order):
        assert ancestors(name, parents) <= {*order[:at]}


@given(lineages(), st.permutations(NAMES))
def test_the_order_does_not_depend_on_how_the_names_are_listed(
    parents: dict[str, tuple[str, ...]], listed: list[str]
) -> None:
    assert in_order(listed, parents) == in_order(NAMES, parents)


@given(lineages(), st.sets(st.sampled_from(NAMES)))
def test_only_the_needed_names_are_ordered_and_sources_in_between_count(
    parents: dict[str, tuple[str, ...]], needed: set[str]
) -> None:
    order = in_order(needed, parents)

    assert {*order} == needed
    for at, name in enumerate(order):
        assert ancestors(name, parents) & needed <= {*order[:at]}


def test_names_without_any_source_are_ordered_alphabetically() -> None:
    assert in_order(("cox", "ada", "bea"), {}) == ["ada", "bea", "cox"]


def test_a_name_that_depends_on_another_through_one_that_is_left_out_still_comes_later() -> None:
    assert in_order(("ada", "cox"), {"ada": ("bea",), "bea": ("cox",)}) == ["cox", "ada"]


def test_a_feed_is_added_to_the_sources_of_one_refreshed_line() -> None:
    for seed in SEEDS:
        parents, feeds = fed(seed)
        changed = {name for name in parents if parents[name] != graph(seed).parents[name]}
        assert len(changed) == len(feeds) <= 1
        for name, feed in zip(changed, feeds, strict=True):
            assert name in graph(seed).needed
            assert parents[name] == (*graph(seed).parents[name], feed.name)


def test_drawing_a_feed_leaves_the_graph_itself_as_it_was() -> None:
    for seed in SEEDS:
        before = dict(graph(seed).parents)
        fed(seed)
        assert graph(seed).parents == before


def test_half_of_the_closes_have_a_feed_and_most_of_these_feeds_are_stale() -> None:
    feeds = [feed for seed in range(200) for feed in fed(seed)[1]]
    stale = [one for one in feeds if one.shown != one.final]

    assert 70 <= len(feeds) <= 130
    assert 0.55 <= len(stale) / len(feeds) <= 0.85
    assert {(one.name, one.unit) for one in feeds} == {*FEEDS}


def test_a_stale_feed_is_old_and_shows_one_to_four_percent_too_much() -> None:
    for seed in range(200):
        for feed in fed(seed)[1]:
            if feed.shown == feed.final:
                assert feed.age_s == 30 * HOUR
            else:
                assert 6 * DAY <= feed.age_s <= 15 * DAY
                assert 1.0099 <= feed.shown / feed.final <= 1.0401


def test_a_rate_looks_like_a_rate_and_other_feeds_like_amounts() -> None:
    for feed in (one for seed in range(200) for one in fed(seed)[1]):
        low, high = (0.8, 1.6) if feed.unit == "USD" else (800, 1600)
        assert low <= feed.final <= high
