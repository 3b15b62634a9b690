"""The rules of purchases: who signs next, and what a total is."""

from hypothesis import given
from hypothesis import strategies as st

from services.approvalflow.chains import Colleague
from services.approvalflow.purchases.domain import (
    SignOffStatus,
    is_complete,
    may_sign,
    next_stage,
    repeated,
    total,
)
from services.approvalflow.purchases.models import SignOff

CENTS = st.integers(1, 10**7).map(lambda cents: cents / 100)


def sign_offs(*states: tuple[int, str]) -> list[SignOff]:
    return [
        SignOff(f"S{n}", "PUR-1", stage, "p", SignOffStatus(state)) for n, (stage, state) in enumerate(states)
    ]


STATES = st.lists(st.tuples(st.integers(1, 3), st.sampled_from(list(SignOffStatus))), max_size=6)


@given(STATES)
def test_the_next_stage_is_the_lowest_that_waits_while_nobody_is_asked(states: list[tuple[int, str]]) -> None:
    waiting = [stage for stage, state in states if state == SignOffStatus.WAITING]
    is_asked = any(state == SignOffStatus.PENDING for _, state in states)

    assert next_stage(sign_offs(*states)) == (None if is_asked or not waiting else min(waiting))
    assert is_complete(sign_offs(*states)) == all(state == SignOffStatus.SIGNED for _, state in states)


@given(CENTS, CENTS, st.booleans(), st.booleans())
def test_the_owner_signs_or_while_they_are_away_a_delegate_whom_the_amount_is_not_too_much_for(
    amount: float, limit: float, is_away: bool, is_barred: bool
) -> None:
    chief = Colleague(
        "o", "head", away=is_away, delegate="d", delegate_types=("purchase",), delegate_limit=limit
    )
    known = {"o": chief, "d": Colleague("d", "deputy")}

    signer = may_sign("o", known, amount=amount, now=0, barred=["o"] if is_barred else [])

    assert signer == ("o" if not (is_away or is_barred) else "d" if amount <= limit else None)


def test_unknown_or_departed_owner_has_no_signer() -> None:
    left = {"o": Colleague("o", "head", active=False)}

    assert may_sign("o", {}, amount=1.0, now=0) is None
    assert may_sign("o", left, amount=1.0, now=0) is None


@given(st.lists(CENTS, max_size=8))
def test_a_total_does_not_depend_on_the_order_of_shares(amounts: list[float]) -> None:
    assert total(amounts) == total(amounts[::-1])


def test_the_first_of_several_repeated_names_is_named() -> None:
    assert repeated(["b", "c", "c", "b"]) == "b"
    assert repeated(["b", "c"]) is None
