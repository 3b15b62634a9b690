"""Which budget pays, and what is left of it."""

from hypothesis import given
from hypothesis import strategies as st

from services.datahub.budgets.domain import remaining, total

CENTS = st.integers(-(10**9), 10**9).map(lambda cents: cents / 100)


def test_remaining_budget_is_the_limit_less_ledger_and_approvals() -> None:
    assert remaining(10_000.0, 7000.0, [1250.5, 0.5]) == 1749.0
    assert remaining(100.0, 120.0, []) == -20.0
    assert remaining(0.3, 0.1, [0.2]) == 0.0


@given(st.lists(CENTS, max_size=30))
def test_a_sum_is_exact_to_the_cent_in_any_order(amounts: list[float]) -> None:
    cents = sum(round(amount * 100) for amount in amounts)

    assert total(amounts) == total(amounts[::-1]) == round(cents / 100, 2)


@given(CENTS, CENTS, st.lists(CENTS, max_size=10), CENTS)
def test_one_more_approval_takes_its_amount(
    limit: float, committed: float, amounts: list[float], more: float
) -> None:
    before, after = remaining(limit, committed, amounts), remaining(limit, committed, [*amounts, more])

    assert round(before - after, 2) == round(more, 2)
