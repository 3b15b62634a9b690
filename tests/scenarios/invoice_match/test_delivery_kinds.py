"""The kinds of cases about quantities, identity and bank accounts, and the delivery that is still being counted."""

import pytest

from companyos.company import Row
from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.invoice_match import reading
from scenarios.invoice_match.cases import rest
from scenarios.invoice_match.pile import Pile

from .piles import (
    EXCESS,
    SEEDS,
    SPARING,
    account_on_record,
    amount_claimed,
    billed,
    booked,
    empty_pile,
    item_of,
    only,
    order_lines,
    piles_of,
    row,
    rows,
    worth,
)

RULES = (SPARING, EXCESS)


def counted(*, covers: bool) -> list[Pile]:
    """Return piles with a delivery that is still being counted."""
    piles = [empty_pile(seed, now) for now in RULES for seed in SEEDS]
    for pile in piles:
        rest(pile, covers=covers)
    return piles


def answer_about(pile: Pile, invoice: Row) -> Row:
    """Return what the receiver says about the order of an invoice."""
    [told] = [one for one in rows(pile, "knowledge") if one["about"] == invoice["order_id"]]
    return told


def lacking(pile: Pile, invoice: Row) -> int:
    """Return how many units of the only line of an invoice are not booked."""
    [line] = invoice["lines"]
    return int(line["quantity"] - booked(pile, invoice)[line["line"]])


def mails_about(pile: Pile, invoice: Row) -> list[str]:
    return [one["body"] for one in rows(pile, "messages") if one["about"] == invoice["supplier_id"]]


def call_backs(pile: Pile, invoice: Row) -> list[Row]:
    tickets = pile.company.rows["ticketdesk"]["tickets"]
    return [one for one in tickets if one["subject"] == invoice["supplier_id"]]


def test_units_that_never_come_are_claimed_or_held_as_the_handbook_says() -> None:
    for pile in piles_of("short"):
        invoice, end = only(pile)
        price = order_lines(pile, invoice)[1]
        if pile.terms.now.claims_missing:
            assert end.startswith("claim:short_delivery:")
            assert amount_claimed(end) == pytest.approx(worth(price, lacking(pile, invoice)), abs=0.006)
        else:
            assert end == "hold:goods_missing"


def test_a_rest_that_comes_another_day_is_held_under_either_rule() -> None:
    for pile in piles_of("back_order"):
        assert only(pile)[1] == "hold:goods_missing"


@pytest.mark.parametrize(("kind", "later"), [("short", False), ("back_order", True)])
def test_the_receiver_says_whether_the_rest_comes_another_day(kind: str, later: bool) -> None:
    for pile in piles_of(kind):
        invoice, _ = only(pile)
        told = answer_about(pile, invoice)
        assert reading.comes_later(told["body"]) == later
        assert reading.booked_by(told["body"], pile.company.start) is None


@pytest.mark.parametrize("kind", ["short", "back_order"])
def test_some_but_not_all_units_of_an_incomplete_delivery_are_booked(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, _ = only(pile)
        assert 0 < lacking(pile, invoice) < invoice["lines"][0]["quantity"]
        assert rows(pile, "expected_receipts") == []


@pytest.mark.parametrize("kind", ["short", "back_order"])
def test_the_receiver_of_an_incomplete_delivery_has_to_be_asked_and_knows(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, _ = only(pile)
        item = item_of(pile, invoice)
        assert item.receiver == row(pile, "purchase_orders", invoice["order_id"])["receiver"]
        assert answer_about(pile, invoice)["person"] == item.receiver
        assert item.awaits is None


@pytest.mark.parametrize("covers", [True, False])
def test_the_count_of_today_brings_the_rest_or_less(covers: bool) -> None:
    for pile in counted(covers=covers):
        invoice, _ = only(pile)
        [line] = invoice["lines"]
        come = booked(pile, invoice, "expected_receipts")[1]
        assert 0 < come <= lacking(pile, invoice) < line["quantity"]
        assert (come == lacking(pile, invoice)) == covers


def test_a_rest_that_the_count_covers_is_paid() -> None:
    for pile in counted(covers=True):
        invoice, end = only(pile)
        assert end == f"pay:{account_on_record(pile, invoice)}"


def test_a_rest_that_the_count_does_not_cover_is_claimed_or_held() -> None:
    for pile in counted(covers=False):
        invoice, end = only(pile)
        still = lacking(pile, invoice) - booked(pile, invoice, "expected_receipts")[1]
        if pile.terms.now.claims_missing:
            price = order_lines(pile, invoice)[1]
            assert amount_claimed(end) == pytest.approx(worth(price, still), abs=0.006)
        else:
            assert end == "hold:goods_missing"


def test_whether_the_count_covers_the_rest_shows_in_nothing_but_the_count() -> None:
    for one, other in zip(counted(covers=True), counted(covers=False), strict=True):
        differing = {
            name for name, table in one.company.rows["datahub"].items() if table != rows(other, name)
        }
        assert differing == {"expected_receipts"}


def test_the_receiver_promises_a_time_by_which_the_count_is_booked() -> None:
    for pile in counted(covers=True):
        invoice, _ = only(pile)
        [expected], told = rows(pile, "expected_receipts"), answer_about(pile, invoice)
        promised = reading.booked_by(told["body"], pile.company.start)
        assert promised is not None
        assert expected["at"] <= promised <= expected["at"] + 5 * 60
        assert pile.company.start + told["delay_s"] < expected["at"]
        assert item_of(pile, invoice).awaits == expected["delivery_note"] == invoice["delivery_note"]


def test_an_invoice_for_what_was_paid_before_under_another_number_is_a_duplicate() -> None:
    for pile in piles_of("duplicate"):
        invoice, end = only(pile)
        same = [one for one in rows(pile, "invoices") if one["delivery_note"] == invoice["delivery_note"]]
        [earlier] = [one for one in same if one["id"] != invoice["id"]]
        assert end == "return:duplicate"
        assert (earlier["status"], earlier["number"] == invoice["number"]) == ("paid", False)
        assert earlier["clerk"] != invoice["clerk"]
        assert earlier["total"] == invoice["total"]


def test_of_one_delivery_billed_twice_in_the_pile_the_later_invoice_goes_back() -> None:
    first_listed = set()
    for pile in piles_of("twice"):
        (one, end), (other, its_end) = sorted(billed(pile), key=lambda row: int(row[0]["invoiced_at"]))
        assert (end, its_end) == (f"pay:{account_on_record(pile, one)}", "return:duplicate")
        assert one["delivery_note"] == other["delivery_note"]
        assert one["number"] != other["number"]
        first_listed.add(pile.items[0].disposition == "return:duplicate")

    assert first_listed == {True, False}


def test_two_equal_deliveries_are_both_paid() -> None:
    for pile in piles_of("alike"):
        (one, end), (other, its_end) = billed(pile)
        assert end == its_end == f"pay:{account_on_record(pile, one)}"
        assert one["total"] == other["total"]
        assert one["order_id"] == other["order_id"]
        assert one["delivery_note"] != other["delivery_note"]


def test_an_order_of_two_equal_deliveries_is_for_both_of_them() -> None:
    for pile in piles_of("alike"):
        invoice = billed(pile)[0][0]
        [line] = row(pile, "purchase_orders", invoice["order_id"])["lines"]
        assert line["quantity"] >= 2 * invoice["lines"][0]["quantity"]


def test_an_order_that_was_closed_without_the_delivery_owes_nothing() -> None:
    for pile in piles_of("closed"):
        invoice, end = only(pile)
        order = row(pile, "purchase_orders", invoice["order_id"])
        earlier = [one for one in rows(pile, "invoices") if one["order_id"] == order["id"]]
        assert end == "return:order_closed"
        assert order["status"] == "closed"
        assert order["closed_at"] < invoice["invoiced_at"]
        assert booked(pile, invoice) == {}
        assert len(earlier) == 2


def test_an_order_that_was_closed_after_the_delivery_owes_it() -> None:
    for pile in piles_of("closed_since"):
        invoice, end = only(pile)
        order = row(pile, "purchase_orders", invoice["order_id"])
        [receipt] = [
            one for one in rows(pile, "goods_receipts") if one["delivery_note"] == invoice["delivery_note"]
        ]
        assert end.startswith("pay:")
        assert receipt["at"] < order["closed_at"]


def test_a_bill_in_another_currency_than_its_order_goes_back() -> None:
    seen = set()
    for pile in piles_of("currency"):
        invoice, end = only(pile)
        seen.add(invoice["currency"])
        assert end == "return:wrong_currency"
        assert row(pile, "purchase_orders", invoice["order_id"])["currency"] == "EUR"

    assert seen == {"USD", "CHF"}


def test_a_bill_without_an_order_names_none_or_one_that_nobody_placed() -> None:
    seen = set()
    for pile in piles_of("no_order"):
        invoice, end = only(pile)
        seen.add(invoice["order_id"] is None)
        assert end == "return:no_order"
        assert rows(pile, "purchase_orders") == []

    assert seen == {True, False}


def test_a_bill_on_the_order_of_another_supplier_goes_back_although_the_goods_came() -> None:
    for pile in piles_of("others_order"):
        invoice, end = only(pile)
        order = row(pile, "purchase_orders", invoice["order_id"])
        assert end == "return:no_order"
        assert order["supplier_id"] != invoice["supplier_id"]
        assert booked(pile, invoice) == {one["line"]: one["quantity"] for one in invoice["lines"]}


@pytest.mark.parametrize(
    ("kind", "is_held"),
    [
        ("bank_confirmed", False),
        ("bank_unasked", True),
        ("bank_by_mail", True),
        ("bank_open", True),
        ("bank_another", True),
    ],
)
def test_another_account_is_paid_to_only_if_a_call_back_confirmed_it(kind: str, is_held: bool) -> None:
    for pile in piles_of(kind):
        invoice, end = only(pile)
        assert invoice["account"] != account_on_record(pile, invoice)
        assert end == ("hold:bank_unconfirmed" if is_held else f"pay:{invoice['account']}")


def test_a_mail_about_another_account_changes_nothing_for_an_invoice_with_the_one_on_record() -> None:
    for pile in piles_of("bank_as_before"):
        invoice, end = only(pile)
        [mail] = mails_about(pile, invoice)
        assert invoice["account"] not in mail
        assert end == f"pay:{invoice['account']}" == f"pay:{account_on_record(pile, invoice)}"


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("bank_confirmed", ("closed", True, True)),
        ("bank_by_mail", ("closed", False, True)),
        ("bank_another", ("closed", True, False)),
        ("bank_open", ("new", False, False)),
    ],
)
def test_call_backs_differ_in_status_number_and_account(kind: str, facts: tuple[str, bool, bool]) -> None:
    for pile in piles_of(kind):
        invoice, _ = only(pile)
        [ticket] = call_backs(pile, invoice)
        told = str(ticket["resolution"])
        phone = row(pile, "records", invoice["supplier_id"])["fields"]["phone"]
        assert (ticket["status"], phone in told, invoice["account"] in told) == facts


@pytest.mark.parametrize("kind", ["bank_unasked", "bank_as_before"])
def test_some_bank_accounts_have_no_call_back(kind: str) -> None:
    for pile in piles_of(kind):
        assert call_backs(pile, only(pile)[0]) == []


@pytest.mark.parametrize(
    "kind", ["bank_confirmed", "bank_unasked", "bank_by_mail", "bank_open", "bank_another"]
)
def test_every_other_account_was_announced_by_a_mail_with_a_number_of_its_own(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, _ = only(pile)
        [mail] = mails_about(pile, invoice)
        assert invoice["account"] in mail
        assert row(pile, "records", invoice["supplier_id"])["fields"]["phone"] not in mail


@pytest.mark.parametrize(
    "kind", ["plain", "closed_since", "duplicate", "twice", "alike", "currency", "others_order", "bank_open"]
)
def test_complete_cases_have_no_colleague_to_ask(kind: str) -> None:
    for pile in piles_of(kind):
        assert [one.receiver for one in pile.items if one.receiver] == []


def test_a_back_order_is_due_in_two_to_nine_days() -> None:
    for pile in piles_of("back_order"):
        told = answer_about(pile, only(pile)[0])["body"]
        days = [to_iso(pile.company.start + number * DAY)[:10] for number in range(2, 10)]
        assert sum(f"due on {day}" in told for day in days) == 1


def test_a_count_is_announced_by_an_invoice_of_yesterday_for_a_delivery_of_these_days() -> None:
    for pile in counted(covers=True):
        invoice, _ = only(pile)
        assert pile.company.start - invoice["invoiced_at"] == 20 * HOUR
        [receipt] = [
            one for one in rows(pile, "goods_receipts") if one["delivery_note"] == invoice["delivery_note"]
        ]
        assert 20 * HOUR <= pile.company.start - receipt["at"] <= 60 * HOUR
