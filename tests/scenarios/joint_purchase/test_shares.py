"""How a price is split between departments, and who signs for which total."""

from collections.abc import Sequence
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.joint_purchase.terms import AGREED, Rules, co_signers, split

CENTS = st.integers(100, 10**7).map(lambda cents: cents / 100)
WEIGHTS = st.lists(st.integers(1, 500).map(float), min_size=2, max_size=4)


@given(CENTS, WEIGHTS)
def test_shares_are_whole_cents_that_add_up_to_the_price(price: float, weights: Sequence[float]) -> None:
    shares = split(price, weights)

    assert round(fsum(shares) * 100) == round(price * 100)
    assert all(share == round(share, 2) for share in shares)


@given(CENTS, WEIGHTS)
def test_a_share_is_off_its_exact_part_by_less_than_a_cent_for_each_department(
    price: float, weights: Sequence[float]
) -> None:
    exact = [price * weight / sum(weights) for weight in weights]

    for share, part in zip(split(price, weights), exact, strict=True):
        assert abs(share - part) <= 0.005 * len(weights) + 1e-6


@given(CENTS, st.tuples(st.integers(1, 100), st.integers(1, 100)), st.integers(2, 9))
def test_only_the_ratio_of_the_weights_counts(price: float, pair: tuple[int, int], factor: int) -> None:
    assert split(price, pair) == split(price, [factor * weight for weight in pair])


def test_the_last_department_absorbs_the_rounding() -> None:
    assert split(100.0, [1, 1, 1]) == [33.33, 33.33, 33.34]
    assert split(100.0, [2, 2, 2, 2, 1]) == [22.22, 22.22, 22.22, 22.22, 11.12]


@pytest.mark.parametrize(
    ("total", "signers"),
    [(4999.99, 0), (5000.0, 1), (8999.99, 1), (9000.0, 2), (50_000.0, 2)],
)
def test_an_office_signs_from_its_amount_on(total: float, signers: int) -> None:
    rules = Rules({"equipment": AGREED}, (5000.0, 9000.0), (), 1000.0)

    assert co_signers(rules, total) == signers
