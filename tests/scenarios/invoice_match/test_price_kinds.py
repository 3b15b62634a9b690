"""The kinds of cases about prices: what is billed, what is agreed, and why the outcome is right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.company.areas.payables import Article
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.price_cases import add_unrelated_amendments, claim_or_pay, dearer, price_claim

from .piles import (
    EXCESS,
    SEEDS,
    SPARING,
    account_on_record,
    amount_claimed,
    billed,
    booked,
    credit_note,
    dearer_by,
    empty_pile,
    item_of,
    only,
    order_lines,
    ordered_cost,
    piles_of,
    row,
    rows,
)

LINE = Article(1, "Gear oil", 120, "liter", 8.25, 1)


def is_paid(pile: Pile) -> bool:
    """Return whether the only invoice is paid in full to the account on record."""
    invoice, end = only(pile)
    return end == f"pay:{account_on_record(pile, invoice)}"


def test_a_price_for_another_number_of_units_costs_the_same() -> None:
    for pile in piles_of("per_hundred"):
        [line] = only(pile)[0]["lines"]
        ordered = order_lines(pile, only(pile)[0])[line["line"]]
        assert {line["price_per"], ordered["price_per"]} == {1, 100}
        assert dearer_by(pile, only(pile)[0]) == 0
        assert is_paid(pile)


def test_prices_are_stated_per_unit_and_per_hundred() -> None:
    stated = {only(pile)[0]["lines"][0]["price_per"] for pile in piles_of("per_hundred")}

    assert stated == {1, 100}


def test_invoice_below_the_ordered_price_is_paid() -> None:
    for pile in piles_of("cheaper"):
        assert dearer_by(pile, only(pile)[0]) < 0
        assert is_paid(pile)


def test_a_tolerated_price_is_higher_than_ordered_and_within_the_tolerance() -> None:
    for pile in piles_of("tolerated"):
        now, invoice = pile.terms.now, only(pile)[0]
        assert 0 < dearer_by(pile, invoice) <= now.tolerated(ordered_cost(pile, invoice))
        assert is_paid(pile)


def test_an_overpriced_line_is_beyond_the_tolerance_in_force_and_within_the_one_before() -> None:
    for pile in piles_of("overpriced"):
        invoice, end = only(pile)
        cost, more = ordered_cost(pile, invoice), dearer_by(pile, invoice)
        assert pile.terms.now.tolerated(cost) < more <= pile.terms.before.tolerated(cost)
        assert amount_claimed(end) == pytest.approx(pile.terms.now.claim(cost, cost + more), abs=0.011)
        assert end.startswith("claim:price_difference:")


def test_a_capped_line_is_within_the_percentage_and_beyond_the_cap() -> None:
    for pile in piles_of("capped"):
        invoice, end = only(pile)
        now, more = pile.terms.now, dearer_by(pile, invoice)
        assert now.cap < more <= ordered_cost(pile, invoice) * now.percent / 100
        left = now.cap if now.spared is None else now.spared
        assert amount_claimed(end) == pytest.approx(more - left, abs=0.011)


def test_a_credit_note_for_the_whole_difference_leaves_nothing_to_claim() -> None:
    for pile in piles_of("credited"):
        invoice, _ = only(pile)
        note = credit_note(pile)
        assert note["total"] == dearer_by(pile, invoice)
        assert pile.terms.now.tolerated(ordered_cost(pile, invoice)) < note["total"]
        assert is_paid(pile)


def test_a_credit_note_for_a_part_of_the_claim_leaves_the_rest() -> None:
    for pile in piles_of("partly_credited"):
        invoice, end = only(pile)
        cost = ordered_cost(pile, invoice)
        wanted = pile.terms.now.claim(cost, cost + dearer_by(pile, invoice))
        assert 0 < credit_note(pile)["total"] < wanted
        assert amount_claimed(end) == pytest.approx(wanted - credit_note(pile)["total"], abs=0.011)


@pytest.mark.parametrize("kind", ["credited", "partly_credited"])
def test_a_credit_note_names_its_invoice_and_order_and_is_set_off(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, note = only(pile)[0], credit_note(pile)
        assert (note["credits"], note["order_id"]) == (invoice["number"], invoice["order_id"])
        assert note["delivery_note"] is None
        assert note["invoiced_at"] > invoice["invoiced_at"]
        assert item_of(pile, note).disposition == "pay"


@pytest.mark.parametrize(
    ("kind", "status", "applies"),
    [("amended", "in_force", True), ("amended_later", "in_force", False), ("announced", "draft", True)],
)
def test_a_new_price_is_paid_only_if_it_is_signed_and_applies_to_the_booking(
    kind: str, status: str, applies: bool
) -> None:
    for pile in piles_of(kind):
        invoice, end = only(pile)
        [amendment] = [one for one in rows(pile, "documents") if one["kind"] == "amendment"]
        [line] = invoice["lines"]
        assert amendment["status"] == status
        assert f"{line['unit_price']:.2f} EUR for {line['price_per']} " in amendment["body"]
        own = [one["at"] for one in rows(pile, "goods_receipts") if _is_for(one, invoice)]
        assert own
        assert all((amendment["effective_from"] <= at) == applies for at in own)
        assert end.startswith("pay:") == (kind == "amended")


def _is_for(receipt: dict[str, object], invoice: dict[str, object]) -> bool:
    return receipt["delivery_note"] == invoice["delivery_note"]


@pytest.mark.parametrize("kind", ["amended", "amended_later", "announced"])
def test_a_new_price_is_beyond_the_tolerance_so_that_the_amendment_decides(kind: str) -> None:
    for pile in piles_of(kind):
        invoice = only(pile)[0]
        assert dearer_by(pile, invoice) > pile.terms.now.tolerated(ordered_cost(pile, invoice))


@pytest.mark.parametrize("kind", ["overpriced", "capped", "amended_later", "announced", "partly_credited"])
def test_claims_go_to_the_account_on_record_with_the_reason_price_difference(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, end = only(pile)
        name, reason, amount, account = end.split(":")
        assert (name, reason, account) == ("claim", "price_difference", account_on_record(pile, invoice))
        assert 0 < float(amount) < invoice["total"]


@pytest.mark.parametrize(
    "kind",
    ["per_hundred", "cheaper", "tolerated", "overpriced", "capped", "credited", "amended", "announced"],
)
def test_a_case_about_prices_is_delivered_in_full_and_asks_nobody(kind: str) -> None:
    for pile in piles_of(kind):
        invoice, _ = only(pile)
        [line] = invoice["lines"]
        assert booked(pile, invoice) == {1: line["quantity"]}
        assert item_of(pile, invoice).receiver is None


@pytest.mark.parametrize("kind", ["tolerated", "overpriced", "capped"])
def test_a_doubtful_price_is_sometimes_stated_for_another_number_of_units(kind: str) -> None:
    seen = set()
    for pile in piles_of(kind):
        [line] = only(pile)[0]["lines"]
        seen.add(line["price_per"] == order_lines(pile, only(pile)[0])[1]["price_per"])

    assert seen == {True, False}


@given(
    st.sampled_from((LINE, LINE._replace(quantity=4000, unit_price=18.4, price_per=100))),
    st.floats(0.5, 90.0, allow_nan=False),
    st.booleans(),
)
def test_a_raised_price_costs_at_least_or_at_most_that_much_more(
    line: Article, by: float, at_least: bool
) -> None:
    more = round(dearer(line, by, at_least=at_least).amount - line.amount, 2)

    # One cent of the price is this many euros of the line.
    step = line.quantity / line.price_per / 100
    assert (by - 0.006 <= more < by + step + 0.006) if at_least else (by - step - 0.006 < more <= by + 0.006)


@pytest.mark.parametrize(
    ("amount", "end"),
    [
        (0.01, "claim:price_difference:0.01:DE1"),
        (0.006, "claim:price_difference:0.01:DE1"),
        (0.004, "pay:DE1"),
        (0.0, "pay:DE1"),
        (-4.0, "pay:DE1"),
    ],
)
def test_an_invoice_is_paid_if_not_a_cent_is_left_to_claim(amount: float, end: str) -> None:
    assert claim_or_pay({"fields": {"account": "DE1"}}, amount) == end


@pytest.mark.parametrize(
    ("credited", "end"),
    [
        (0.0, "claim:price_difference:29.80:DE1"),
        (29.8, "pay:DE1"),
        (29.79, "claim:price_difference:0.01:DE1"),
    ],
)
def test_a_claim_is_lowered_by_what_was_credited(credited: float, end: str) -> None:
    pile = empty_pile(now=EXCESS)
    ordered = LINE._replace(quantity=100, unit_price=10.0)

    made = price_claim(
        pile, {"fields": {"account": "DE1"}}, ordered, ordered._replace(unit_price=10.498), credited
    )

    assert made == end


@pytest.mark.parametrize("seed", SEEDS)
def test_unrelated_amendments_are_about_suppliers_that_bill_nothing(seed: int) -> None:
    pile = empty_pile(seed, SPARING)
    known = len(pile.unused)

    add_unrelated_amendments(pile)

    documents = [one for one in rows(pile, "documents") if one["kind"] == "amendment"]
    about = {link for one in documents for link in one["links"]}
    assert len(about) == 3 == known - len(pile.unused)
    assert sorted(one["status"] for one in documents) == ["draft", "in_force", "in_force", "in_force"]
    assert billed(pile) == []
    assert rows(pile, "invoices") == []


@pytest.mark.parametrize("seed", SEEDS)
def test_an_unrelated_withdrawal_comes_after_its_amendment_and_names_one_of_its_articles(seed: int) -> None:
    pile = empty_pile(seed)
    add_unrelated_amendments(pile)
    [withdrawal] = [one for one in rows(pile, "documents") if "withdrawn" in one["title"]]
    [supplier_id] = withdrawal["links"]

    [amendment] = [
        one
        for one in rows(pile, "documents")
        if supplier_id in one["links"] and one["id"] != withdrawal["id"]
    ]

    [article] = [
        one.partition(":")[0]
        for one in withdrawal["body"].splitlines()
        if "the price of the order again" in one
    ]
    assert f"{article}: " in amendment["body"]
    assert amendment["effective_from"] < withdrawal["effective_from"]
    assert row(pile, "records", supplier_id)["name"] in withdrawal["title"]
