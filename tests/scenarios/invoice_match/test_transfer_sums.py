"""The arithmetic of a transfer: which amounts make it, which sums are clear of all others, and what is tried first."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.invoice_match.transfer_sums import (
    after_discount,
    first_fit,
    has_half_cent,
    isolated_subsets,
    subsets_making,
)

AMOUNTS = st.lists(st.integers(1, 3000), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("cents", "percent", "left"),
    [(10_000, 2, 9_800), (10_049, 2, 9_848), (10_020, 2, 9_820), (10_033, 3, 9_732), (99, 0, 99)],
)
def test_a_discount_is_rounded_to_the_cent(cents: int, percent: int, left: int) -> None:
    assert after_discount(cents, percent) == left


@given(st.integers(1, 10**6), st.integers(0, 5))
def test_a_discount_is_off_by_half_a_cent_at_most_and_by_that_only_if_it_ends_in_half_a_cent(
    cents: int, percent: int
) -> None:
    error = abs(100 * (cents - after_discount(cents, percent)) - cents * percent)

    assert error <= 50
    assert (error == 50) == has_half_cent(cents, percent)


def test_every_subset_that_makes_the_target_is_found_the_smallest_first() -> None:
    assert subsets_making([100, 250, 350, 150], 400) == [(1, 3)]
    assert subsets_making([100, 250, 350, 150], 500) == [(2, 3), (0, 1, 3)]
    assert subsets_making([100, 250, 350, 150], 510) == []


@given(AMOUNTS, st.data())
def test_subsets_of_a_sum_include_the_chosen_amounts(amounts: list[int], data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.sampled_from(range(len(amounts))), min_size=1))
    target = sum(amounts[one] for one in chosen)

    found = subsets_making(amounts, target)

    assert tuple(sorted(chosen)) in found
    assert {sum(amounts[one] for one in subset) for subset in found} == {target}


def test_a_subset_is_isolated_if_no_other_sum_is_within_the_margin() -> None:
    amounts = [1000, 2000, 3050]

    assert isolated_subsets(amounts, range(4), 50) == [
        (),
        (0,),
        (1,),
        (0, 1),
        (2,),
        (0, 2),
        (1, 2),
        (0, 1, 2),
    ]
    assert (0, 1) not in isolated_subsets(amounts, range(4), 51)
    assert (2,) not in isolated_subsets(amounts, range(4), 51)
    assert isolated_subsets(amounts, (2,), 51) == [(0, 2), (1, 2)]


@given(AMOUNTS, st.integers(1, 100))
def test_isolated_subsets_are_those_that_a_comparison_of_all_pairs_finds(
    amounts: list[int], margin: int
) -> None:
    every = [one for size in range(len(amounts) + 1) for one in combinations(range(len(amounts)), size)]
    sums = {one: sum(amounts[at] for at in one) for one in every}
    clear = {
        one
        for one in every
        if len(one) in (2, 3)
        and all(other == one or abs(sums[other] - sums[one]) >= margin for other in every)
    }

    found = isolated_subsets(amounts, (2, 3), margin)

    assert {*found} == clear
    assert len(found) == len(clear)


@pytest.mark.parametrize(
    ("target", "taken"), [(900, ()), (1000, (0,)), (3500, (0, 1)), (4000, (0, 2)), (6000, (0, 1, 2))]
)
def test_first_fit_takes_each_amount_that_still_fits(target: int, taken: tuple[int, ...]) -> None:
    amounts = [1000, 2000, 3000] if target != 4000 else [1000, 3500, 3000]

    assert first_fit(amounts, target) == taken
