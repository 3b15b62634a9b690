"""Drawn piles: what pairs differ in, what tells the rules of the instance, and which invoices a transfer has paid."""

import re
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.scenario import Instance
from companyos.sdk.simtime import DAY, from_iso
from scenarios.invoice_match.pile import HOLD_PAID, Pile
from scenarios.invoice_match.reading import booked_by
from scenarios.invoice_match.terms import draw_terms
from scenarios.invoice_match.transfer_sums import (
    after_discount,
    first_fit,
    has_half_cent,
    isolated_subsets,
    subsets_making,
)

from .piles import Row, drawn_instances, drawn_pile, handbook, kind_of, pile_of, table

AMOUNTS = st.lists(st.integers(1, 3000), min_size=1, max_size=8)
#: An invoice with its outcome, and what it counts as, in cents.
Candidate = tuple[Row, str, int]


def test_piles_hold_twenty_to_twenty_four_invoices_of_every_end() -> None:
    ends = set()
    for instance in drawn_instances():
        pile = drawn_pile(instance)
        ends |= {kind_of(end) for _, end in pile}
        assert 20 <= len(pile) <= 24
        assert {invoice["kind"] for invoice, _ in pile} == {"invoice", "credit_note"}

    assert {end.partition(":")[2] for end in ends} == {
        "",
        *("goods_missing", "bank_unconfirmed", "already_paid"),
        *("duplicate", "no_order", "order_closed", "wrong_currency"),
        *("price_difference", "short_delivery"),
    }


def test_the_count_comes_after_the_answer_and_on_the_same_day() -> None:
    for instance in drawn_instances():
        [expected] = table(instance, "expected_receipts").values()
        known = instance.rows["datahub"]["knowledge"]
        [told] = [row for row in known if row["about"] == expected["order_id"]]
        promised = booked_by(told["body"], instance.start)
        assert promised is not None
        assert instance.start + told["delay_s"] < expected["at"] <= promised < instance.start + DAY / 2


def test_other_editions_of_the_handbook_claim_and_hold_otherwise() -> None:
    for seed in range(20):
        terms = draw_terms(pile_of([], seed).company, stopped=False)
        billed = 1000.0 + terms.before.tolerated(1000.0) + 5
        assert len({each.claim(1000.0, billed) for each in (terms.now, terms.before, terms.draft)}) == 3
        assert terms.draft.tolerated(1000.0) < terms.now.tolerated(1000.0) < terms.before.tolerated(1000.0)
        assert terms.before.claims_missing == terms.draft.claims_missing == (not terms.now.claims_missing)


def takes_discount(instance: Instance[Pile]) -> bool:
    return "take no cash discount" not in handbook(instance, "in_force")


def candidates(instance: Instance[Pile]) -> tuple[list[Candidate], int]:
    """Return the supplier's invoices by date, and the transfer's sum, as mail, record and handbook have them."""
    messages = table(instance, "messages").values()
    [message] = [one for one in messages if one["subject"].startswith("Transfer to ")]
    [amount] = re.findall(r"([\d.]+) EUR", message["body"])
    [on] = re.findall(r"on (\d{4}-\d\d-\d\d)", message["body"])
    day, fields = from_iso(f"{on}T00:00:00Z") // DAY, table(instance, "records")[message["about"]]["fields"]
    found = []
    for invoice, end in drawn_pile(instance):
        if invoice["supplier_id"] == message["about"]:
            is_recent = day - invoice["invoiced_at"] // DAY <= fields["discount_days"]
            percent = fields["discount_percent"] if takes_discount(instance) and is_recent else 0
            found.append((invoice, end, round(invoice["total"] * (100 - percent))))
        assert invoice["number"] not in message["body"]
    return sorted(found, key=lambda one: int(one[0]["invoiced_at"])), round(float(amount) * 100)


def test_the_invoices_on_hold_make_the_transfer_and_no_others_come_within_a_euro() -> None:
    for instance in drawn_instances()[::4]:
        found, cents = candidates(instance)
        numbers = range(len(found))
        every = (one for size in range(1, len(found) + 1) for one in combinations(numbers, size))
        near = [one for one in every if abs(sum(found[at][2] for at in one) - cents) < 100]
        assert near == [tuple(at for at in numbers if found[at][1] == HOLD_PAID)], instance.seed
        assert sum(found[at][2] for at in near[0]) == cents
        assert 11 <= len(found) <= 13
        assert 4 <= len(near[0]) <= 7


@pytest.mark.parametrize(
    "rank",
    [lambda one: one[0]["invoiced_at"], lambda one: one[2]],
    ids=["date", "amount"],
)
def test_first_fit_in_any_order_misses_the_paid_invoices(rank: Callable[[Candidate], float]) -> None:
    for instance in drawn_instances()[::2]:
        found, cents = candidates(instance)
        for order in (sorted(found, key=rank), sorted(found, key=rank, reverse=True)):
            taken = first_fit([counts for _, _, counts in order], cents)
            assert {at for at, one in enumerate(order) if one[1] == HOLD_PAID} != {*taken}


def test_the_discount_counts_as_the_handbook_in_force_says_and_other_editions_do_not() -> None:
    for instance in drawn_instances()[::2]:
        found, _ = candidates(instance)
        has_discount = any(counts != round(one["total"] * 100) for one, _, counts in found)
        editions = [handbook(instance, status) for status in ("superseded", "draft")]
        assert has_discount == takes_discount(instance)
        assert all(("no cash discount" in body) == has_discount for body in editions)
        assert instance.guidance.rules == handbook(instance, "in_force")
    assert {takes_discount(instance) for instance in drawn_instances()} == {True, False}


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
