"""Ids: unique whatever is asked for in which order, drawn or in sequence, and telling their object's age."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.company.numbers import Numbers
from companyos.sdk.draws import Draws

PREFIXES = ("TD", "MET", "APR", "V")
ASKED = st.lists(
    st.tuples(st.sampled_from(["reserve", "next", "following"]), st.sampled_from(PREFIXES)), max_size=60
)


def numbers(spread: int = 40, seed: int = 0) -> Numbers:
    return Numbers(Draws("salt", "numbers", seed), spread)


def number_of(identifier: str) -> int:
    return int(identifier.partition("-")[2])


@settings(max_examples=40)
@given(ASKED, st.integers(1, 30))
def test_ids_are_unique_whatever_the_order_of_requests(asked: list[tuple[str, str]], spread: int) -> None:
    series = numbers(spread)

    given_out = [getattr(series, how)(prefix) for how, prefix in asked]

    assert len(set(given_out)) == len(given_out)


@settings(max_examples=40)
@given(ASKED)
def test_the_following_id_is_above_every_one_of_its_series(asked: list[tuple[str, str]]) -> None:
    series = numbers()
    given_out = [getattr(series, how)(prefix) for how, prefix in asked]

    for prefix in PREFIXES:
        own = [number_of(one) for one in given_out if one.partition("-")[0] == prefix]
        following = number_of(series.following(prefix))
        assert all(following > one for one in own)
        assert not own or following == max(own) + 1


@pytest.mark.parametrize(
    ("prefix", "first"),
    [("TD", "TD-1001"), ("APR", "APR-0001"), ("MET", "MET-0101"), ("DOC", "DOC-0001"), ("A", "A-0001")],
)
def test_series_that_services_continue_begin_where_the_services_do(prefix: str, first: str) -> None:
    series = numbers()

    assert series.next(prefix) == first
    assert number_of(series.next(prefix)) == number_of(first) + 1


def test_a_sequence_steps_over_what_is_reserved() -> None:
    series = numbers()
    series.reserve("APR", 2)

    assert [series.next("APR") for _ in range(3)] == ["APR-0001", "APR-0003", "APR-0004"]


@given(st.integers(1001, 1200), st.integers(1001, 1200))
def test_the_older_of_two_objects_has_the_smaller_number(one: int, other: int) -> None:
    series = numbers()
    smaller, larger = sorted((one, other))

    assert 1 >= series.age(f"TD-{smaller}") >= series.age(f"TD-{larger}") >= 0


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(["Ahrens", "Borgen"]), st.integers(0, 3)), max_size=60))
def test_a_number_is_drawn_once_for_an_owner_even_if_their_range_is_full(
    asked: list[tuple[str, int]],
) -> None:
    series = numbers()

    drawn = [(owner, series.draw_unused("number", 10, 12, key, owner=owner)) for owner, key in asked]

    assert len(set(drawn)) == len(drawn)
    assert all(number >= 10 for _, number in drawn)
