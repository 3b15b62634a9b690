"""The kinds of cases that need several invoices, bookings or documents together."""

import re
from math import fsum

import pytest

from companyos.company import Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.invoice_match.pile import Pile

from .piles import (
    account_on_record,
    amount_claimed,
    billed,
    booked,
    credit_note,
    dearer_by,
    only,
    order_lines,
    ordered_cost,
    piles_of,
    rows,
    worth,
)

SURPLUS = ("surplus_reduces", "surplus_covers", "surplus_too_late")
WITHDRAWN = ("withdrawn", "withdrawn_later", "withdrawal_unsigned")


def claim_alone(pile: Pile, invoice: Row) -> float:
    """Return what is to be claimed on an invoice by its prices alone."""
    cost = ordered_cost(pile, invoice)
    return pile.terms.now.claim(cost, cost + dearer_by(pile, invoice))


def credited_and_other(pile: Pile) -> tuple[tuple[Row, str], tuple[Row, str]]:
    """Return the invoice that the credit note is for, and the other one, each with its right outcome."""
    about = credit_note(pile)["credits"]
    [credited] = [one for one in billed(pile) if one[0]["number"] == about]
    [other] = [one for one in billed(pile) if one[0]["number"] != about]
    return credited, other


def purchasing(pile: Pile) -> tuple[Row, Row]:
    """Return the amendment of a pile and its withdrawal."""
    documents = [one for one in rows(pile, "documents") if one["kind"] == "amendment"]
    [withdrawal] = [one for one in documents if "withdrawn" in one["title"]]
    [amendment] = [one for one in documents if one is not withdrawal]
    return amendment, withdrawal


def bookings(pile: Pile, invoice: Row) -> list[Row]:
    every = rows(pile, "goods_receipts")
    return [one for one in every if one["delivery_note"] == invoice["delivery_note"]]


@pytest.mark.parametrize("kind", SURPLUS)
def test_both_invoices_of_a_surplus_are_of_one_supplier_and_beyond_the_tolerance(kind: str) -> None:
    for pile in piles_of(kind):
        (credited, _), (other, _) = credited_and_other(pile)
        assert credited["supplier_id"] == other["supplier_id"] == credit_note(pile)["supplier_id"]
        assert credited["order_id"] != other["order_id"]
        assert min(claim_alone(pile, credited), claim_alone(pile, other)) > 0


@pytest.mark.parametrize("kind", SURPLUS)
def test_the_credited_invoice_is_paid_because_more_is_given_back_than_is_to_be_claimed(kind: str) -> None:
    for pile in piles_of(kind):
        (credited, end), _ = credited_and_other(pile)
        assert credit_note(pile)["total"] > claim_alone(pile, credited)
        assert end == f"pay:{account_on_record(pile, credited)}"


@pytest.mark.parametrize(
    ("kind", "is_later"), [("surplus_reduces", True), ("surplus_covers", True), ("surplus_too_late", False)]
)
def test_the_other_invoice_is_dated_later_unless_the_surplus_comes_too_late(
    kind: str, is_later: bool
) -> None:
    for pile in piles_of(kind):
        (credited, _), (other, _) = credited_and_other(pile)
        assert (other["invoiced_at"] > credited["invoiced_at"]) == is_later
        assert abs(other["invoiced_at"] - credited["invoiced_at"]) >= 20 * HOUR


def test_a_surplus_lowers_the_claim_on_the_later_invoice_by_what_it_exceeds_its_own() -> None:
    for pile in piles_of("surplus_reduces"):
        (credited, _), (other, end) = credited_and_other(pile)
        surplus = credit_note(pile)["total"] - claim_alone(pile, credited)
        assert 0 < amount_claimed(end) < claim_alone(pile, other)
        assert amount_claimed(end) == pytest.approx(claim_alone(pile, other) - surplus, abs=0.011)


def test_a_surplus_that_covers_the_later_claim_leaves_both_to_be_paid() -> None:
    for pile in piles_of("surplus_covers"):
        (credited, _), (other, end) = credited_and_other(pile)
        assert credit_note(pile)["total"] - claim_alone(pile, credited) >= claim_alone(pile, other)
        assert end == f"pay:{account_on_record(pile, other)}"


def test_a_surplus_leaves_the_claim_on_an_earlier_invoice_as_it_is() -> None:
    for pile in piles_of("surplus_too_late"):
        _, (other, end) = credited_and_other(pile)
        assert amount_claimed(end) == pytest.approx(claim_alone(pile, other), abs=0.011)


@pytest.mark.parametrize("kind", SURPLUS)
def test_an_agent_that_settles_each_invoice_by_itself_errs_exactly_if_the_other_is_dated_later(
    kind: str,
) -> None:
    for pile in piles_of(kind):
        _, (other, end) = credited_and_other(pile)
        errs = abs(claim_alone(pile, other) - amount_claimed(end)) > 0.02
        assert errs == (kind != "surplus_too_late")


def test_a_delivery_that_was_booked_twice_lies_on_both_sides_of_the_new_price() -> None:
    for pile in piles_of("booked_twice"):
        invoice, _ = only(pile)
        [amendment] = [one for one in rows(pile, "documents") if one["kind"] == "amendment"]
        early, late = sorted(bookings(pile, invoice), key=lambda one: int(one["at"]))
        assert early["at"] < amendment["effective_from"] <= late["at"]
        assert booked(pile, invoice) == {1: invoice["lines"][0]["quantity"]}


def test_of_a_delivery_that_was_booked_twice_the_new_price_is_claimed_for_the_early_part_alone() -> None:
    for pile in piles_of("booked_twice"):
        invoice, end = only(pile)
        [line], ordered = invoice["lines"], order_lines(pile, invoice)[1]
        early, late = sorted(bookings(pile, invoice), key=lambda one: int(one["at"]))
        agreed = fsum(
            count["quantity"] * price["unit_price"] / price["price_per"]
            for receipt, price in ((early, ordered), (late, line))
            for count in receipt["lines"]
        )
        assert amount_claimed(end) == pile.terms.now.claim(round(agreed, 2), line["amount"])
        assert 0 < amount_claimed(end) < claim_alone(pile, invoice)


@pytest.mark.parametrize("kind", WITHDRAWN)
def test_a_withdrawn_price_was_agreed_together_with_one_that_is_billed_higher_still(kind: str) -> None:
    for pile in piles_of(kind):
        amendment, withdrawal = purchasing(pile)
        invoice, _ = only(pile)
        stated = {line["text"]: f"{line['unit_price']:.2f} EUR" for line in invoice["lines"]}
        [gone] = [one for one in stated if f"{one}: the price of the order again" in withdrawal["body"]]
        [kept] = {*stated} - {gone}
        assert f"{gone}: {stated[gone]}" in amendment["body"]
        assert f"{kept}: " in amendment["body"]
        assert f"{kept}: {stated[kept]}" not in amendment["body"]


@pytest.mark.parametrize(
    ("kind", "status", "is_before"),
    [
        ("withdrawn", "in_force", True),
        ("withdrawn_later", "in_force", False),
        ("withdrawal_unsigned", "draft", True),
    ],
)
def test_withdrawals_differ_in_their_signature_and_in_whether_they_came_before_the_booking(
    kind: str, status: str, is_before: bool
) -> None:
    for pile in piles_of(kind):
        amendment, withdrawal = purchasing(pile)
        assert withdrawal["status"] == status
        assert amendment["status"] == "in_force"
        for receipt in bookings(pile, only(pile)[0]):
            assert amendment["effective_from"] <= receipt["at"]
            assert (withdrawal["effective_from"] <= receipt["at"]) == is_before


def amended_cost(amendment: Row, line: Row) -> float:
    """Return what a line costs at the price of an amendment."""
    [(price, per)] = re.findall(rf"^{line['text']}: ([\d.]+) EUR for (\d+) ", amendment["body"], re.MULTILINE)
    return float(round(line["quantity"] * float(price) / int(per), 2))


@pytest.mark.parametrize("kind", WITHDRAWN)
def test_an_article_costs_its_new_price_unless_a_signed_withdrawal_came_before_its_booking(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, end = only(pile)
        amendment, withdrawal = purchasing(pile)
        claims = []
        for line in invoice["lines"]:
            is_gone = kind == "withdrawn" and f"{line['text']}: the price" in withdrawal["body"]
            ordered = worth(order_lines(pile, invoice)[line["line"]], line["quantity"])
            agreed = ordered if is_gone else amended_cost(amendment, line)
            claims.append(pile.terms.now.claim(agreed, line["amount"]))
        assert amount_claimed(end) == pytest.approx(fsum(claims), abs=0.011)
        assert [one > 0 for one in claims].count(True) == (2 if kind == "withdrawn" else 1)


def test_withdrawals_of_the_three_kinds_differ() -> None:
    outcomes = {kind: [only(pile)[1].split(":")[2] for pile in piles_of(kind)] for kind in WITHDRAWN}

    assert len({tuple(one) for one in outcomes.values()}) == 3


def test_either_of_the_two_articles_may_be_the_withdrawn_one() -> None:
    seen = set()
    for pile in piles_of("withdrawn"):
        body = purchasing(pile)[1]["body"]
        seen |= {one["line"] for one in only(pile)[0]["lines"] if f"{one['text']}: the price" in body}

    assert seen == {1, 2}


@pytest.mark.parametrize("kind", [*SURPLUS, *WITHDRAWN, "booked_twice"])
def test_goods_are_ordered_then_booked_then_billed(kind: str) -> None:
    for pile in piles_of(kind):
        for invoice, _ in billed(pile):
            [order] = [one for one in rows(pile, "purchase_orders") if one["id"] == invoice["order_id"]]
            for receipt in bookings(pile, invoice):
                assert order["ordered_at"] < receipt["at"] < invoice["invoiced_at"] < pile.company.start


def test_bookings_leave_room_for_the_days_from_which_prices_apply() -> None:
    for kind in WITHDRAWN:
        for pile in piles_of(kind):
            ages = [pile.company.start - one["at"] for one in bookings(pile, only(pile)[0])]
            assert all(7 * DAY <= age <= 12 * DAY for age in ages)
