"""The transfer in every pile: some invoices make it to the cent, no others come near, and no habit finds them."""

import re
from collections.abc import Callable
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.company import Row
from companyos.scenario import Instance
from companyos.sdk.simtime import DAY, from_iso
from scenarios.invoice_match.pile import HOLD_PAID
from scenarios.invoice_match.scenario import Facts
from scenarios.invoice_match.transfer_case import add_transfer
from scenarios.invoice_match.transfer_sums import (
    after_discount,
    first_fit,
    has_half_cent,
    isolated_subsets,
    subsets_making,
)

from ..conftest import instance_of
from .drawn_piles import SCENARIO, handbook, pile, table
from .piles import ends_of, pile_of

AMOUNTS = st.lists(st.integers(1, 3000), min_size=1, max_size=8)
#: An invoice with its outcome, and what it counts as, in cents.
Candidate = tuple[Row, str, int]
HABITS: dict[str, Callable[[Candidate], float]] = {
    "oldest": lambda one: float(one[0]["invoiced_at"]),
    "newest": lambda one: -float(one[0]["invoiced_at"]),
    "largest": lambda one: -one[2],
    "smallest": lambda one: one[2],
}


@cache
def drawn_instances() -> list[Instance[Facts]]:
    return [instance_of(SCENARIO, seed) for seed in range(0, 60, 2)]


def takes_discount(instance: Instance[Facts]) -> bool:
    return "take no cash discount" not in handbook(instance, "in_force")


def candidates(instance: Instance[Facts]) -> tuple[list[Candidate], int]:
    """Return the supplier's invoices by date, and the transfer's sum, as mail, record and handbook have them."""
    [message] = [
        one for one in table(instance, "messages").values() if one["subject"].startswith("Transfer to ")
    ]
    [amount] = re.findall(r"([\d.]+) EUR", message["body"])
    [on] = re.findall(r"on (\d{4}-\d\d-\d\d)", message["body"])
    day, fields = from_iso(f"{on}T00:00:00Z") // DAY, table(instance, "records")[message["about"]]["fields"]
    found = []
    for invoice, end in pile(instance):
        if invoice["supplier_id"] == message["about"]:
            is_recent = day - invoice["invoiced_at"] // DAY <= fields["discount_days"]
            percent = fields["discount_percent"] if takes_discount(instance) and is_recent else 0
            found.append((invoice, end, round(invoice["total"] * (100 - percent))))
        assert invoice["number"] not in message["body"]
    return sorted(found, key=lambda one: int(one[0]["invoiced_at"])), round(float(amount) * 100)


def test_the_invoices_on_hold_make_the_transfer_and_no_others_come_within_a_euro() -> None:
    sizes = set()
    for instance in drawn_instances()[:16]:
        found, cents = candidates(instance)
        numbers = range(len(found))
        every = (one for size in range(1, len(found) + 1) for one in combinations(numbers, size))
        near = [one for one in every if abs(sum(found[at][2] for at in one) - cents) < 100]
        assert near == [tuple(at for at in numbers if found[at][1] == HOLD_PAID)], instance.seed
        assert sum(found[at][2] for at in near[0]) == cents
        assert 11 <= len(found) <= 13
        sizes.add(len(near[0]))
    assert sizes <= {4, 5, 6, 7}


@pytest.mark.parametrize("habit", HABITS)
def test_first_fit_in_any_order_misses_the_paid_invoices(habit: str) -> None:
    for instance in drawn_instances():
        found, cents = candidates(instance)
        found = sorted(found, key=HABITS[habit])
        taken = first_fit([counts for _, _, counts in found], cents)
        assert {at for at, one in enumerate(found) if one[1] == HOLD_PAID} != {*taken}


def test_the_discount_counts_as_the_handbook_in_force_says_and_other_editions_do_not() -> None:
    words = {"in_force": "to the cent.", "superseded": "the oldest ones", "draft": "the largest ones"}
    for instance in drawn_instances():
        found, _ = candidates(instance)
        assert any(counts != round(one["total"] * 100) for one, _, counts in found) == takes_discount(
            instance
        )
        for status, text in words.items():
            assert [other for other in words if text in handbook(instance, other)] == [status]
        discounts = ["no cash discount" in handbook(instance, one) for one in words]
        assert discounts == [discounts[0], not discounts[0], not discounts[0]]
    assert {takes_discount(instance) for instance in drawn_instances()} == {True, False}


def test_invoices_are_drawn_again_while_none_of_their_sums_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def clear_at_last(*given: object) -> list[tuple[int, ...]]:
        calls.append(given)
        return isolated_subsets(*given) if len(calls) > 2 else []  # type: ignore[arg-type]

    monkeypatch.setattr("scenarios.invoice_match.transfer_case.isolated_subsets", clear_at_last)
    built = pile_of([])

    add_transfer(built)

    assert len(calls) == 3
    assert {*ends_of(built)} == {"pay", HOLD_PAID}


@given(st.integers(1, 10**6), st.integers(0, 5))
def test_a_discount_is_rounded_to_the_cent(cents: int, percent: int) -> None:
    error = abs(100 * (cents - after_discount(cents, percent)) - cents * percent)

    assert error <= 50
    assert (error == 50) == has_half_cent(cents, percent)


@given(AMOUNTS, st.integers(1, 100), st.data())
def test_subsets_are_those_that_a_comparison_of_all_finds(
    amounts: list[int], margin: int, data: st.DataObject
) -> None:
    every = [one for size in range(len(amounts) + 1) for one in combinations(range(len(amounts)), size)]
    sums = {one: sum(amounts[at] for at in one) for one in every}
    target = data.draw(st.sampled_from([one for one in sums.values() if one]))
    clear = {
        one
        for one in every
        if len(one) in (2, 3)
        and all(other == one or abs(sums[other] - sums[one]) >= margin for other in every)
    }

    assert subsets_making(amounts, target) == [one for one, total in sums.items() if total == target]
    assert sorted(isolated_subsets(amounts, (2, 3), margin)) == sorted(clear)
