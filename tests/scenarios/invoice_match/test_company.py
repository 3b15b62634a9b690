"""The company around a pile: suppliers, past purchases, and orders with more on them."""

from functools import cache

import pytest

from companyos.chaos import parse_chaos
from companyos.company import Company, fill, hire_cast
from companyos.company.areas.payables import Article
from companyos.scenario import Instance
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR
from scenarios.invoice_match import words
from scenarios.invoice_match.pack import CLERK, TEAM, add_supplier, article, articles, note_of, number_of
from scenarios.invoice_match.pile import Pile, claim, one_line, pay
from scenarios.invoice_match.scenario import SCENARIO
from scenarios.invoice_match.words import Ware

from ..conftest import SALT
from .piles import EXCESS, SEEDS, SPARING, empty_pile, row, rows

LINE = Article(1, "Hex bolts M8 x 40", 400, "piece", 18.0, 100)


@cache
def background(seed: int) -> tuple[Company, str]:
    """Return a company whose background is written around no pile, and the agent's id."""
    company = Company(Draws(SALT, "background", seed), SCENARIO.start, SCENARIO.packs, 300)
    cast = hire_cast(company, persona_role=CLERK, team=TEAM, original=False)
    company.hire("Rob Gate", "storekeeper", "Goods In")
    company.hire("Ada Other", CLERK, TEAM)
    for name in words.SUPPLIERS[:8]:
        add_supplier(company, name)
    fill(company, cast)
    return company, cast.persona.id


@cache
def drawn(seed: int, size: str | int = "small") -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, size)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_invoice_of_the_past_is_paid_or_waits_for_another_clerk(seed: int) -> None:
    company, me = background(seed)
    invoices = company.rows["datahub"]["invoices"]

    assert {one["status"] for one in invoices} == {"open", "paid"}
    for one in invoices:
        age_s = company.start - one["invoiced_at"]
        if one["status"] == "open":
            assert one["clerk"] != me
            assert DAY <= age_s <= 6 * DAY
        else:
            assert one["settled_by"] == one["clerk"]
            assert (
                one["paid_to"] == company.row("datahub", "records", one["supplier_id"])["fields"]["account"]
            )
            assert one["invoiced_at"] < one["settled_at"] < company.start


@pytest.mark.parametrize("seed", SEEDS)
def test_a_purchase_of_the_past_was_ordered_then_delivered_in_full_then_billed(seed: int) -> None:
    company, _ = background(seed)
    receipts = {one["delivery_note"]: one for one in company.rows["datahub"]["goods_receipts"]}

    for one in company.rows["datahub"]["invoices"]:
        order, receipt = (
            company.row("datahub", "purchase_orders", one["order_id"]),
            receipts[one["delivery_note"]],
        )
        assert order["ordered_at"] < receipt["at"] < one["invoiced_at"]
        assert order["status"] == "open" or receipt["at"] < order["closed_at"]
        assert [(line["line"], line["quantity"]) for line in one["lines"]] == [
            (line["line"], line["quantity"]) for line in receipt["lines"]
        ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_supplier_was_called_back_once_at_most_and_then_about_the_account_on_record(seed: int) -> None:
    company, _ = background(seed)
    tickets = [one for one in company.rows["ticketdesk"]["tickets"] if one["kind"] == "call_back"]

    assert len({one["subject"] for one in tickets}) == len(tickets) > 0
    for one in tickets:
        fields = company.row("datahub", "records", one["subject"])["fields"]
        told = fields["account"] in str(one["resolution"]) and fields["phone"] in str(one["resolution"])
        assert told == (one["status"] == "closed")


def test_delivery_notes_differ_even_if_the_same_number_is_drawn() -> None:
    company = empty_pile().company

    notes = [note_of(company, "same key") for _ in range(20)]

    assert len(set(notes)) == 20
    assert {len(note) for note in notes} == {len("DN-12345")}


def test_the_numbers_of_a_supplier_share_a_style() -> None:
    company = empty_pile().company
    supplier = {"id": "SUP-1"}

    shapes = {
        "".join("9" if one.isdigit() else one for one in number_of(company, supplier, str(key)))
        for key in range(9)
    }

    assert len(shapes) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_every_supplier_has_an_account_and_a_phone_number_of_its_own(seed: int) -> None:
    records = rows(empty_pile(seed), "records")

    assert len({one["fields"]["account"] for one in records}) == len(words.SUPPLIERS)
    assert len({one["fields"]["phone"] for one in records}) == len(words.SUPPLIERS)
    assert {len(one["fields"]["account"]) for one in records} == {22}


@pytest.mark.parametrize("ware", words.WARES, ids=lambda one: one.text)
def test_an_ordered_line_costs_about_as_much_as_asked_and_in_whole_packs(ware: Ware) -> None:
    company = empty_pile().company

    for key in range(12):
        one = article(company, 1, ware, 300, 1600, str(key))
        step = 100 if ware.per > 1 else 10
        assert one.quantity % step == 0
        assert one.quantity >= step
        assert one.amount <= max(1600.0, step * one.unit_price / one.price_per)
        assert 0.79 * ware.price <= one.unit_price <= 1.26 * ware.price


def test_a_line_is_at_least_one_pack_however_little_it_may_cost() -> None:
    dear = Ware("Turbine", "piece", 1, 9000.0)

    assert article(empty_pile().company, 1, dear, 300, 400, "key").quantity == 10


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_has_one_to_three_lines_with_different_goods(seed: int) -> None:
    lines = articles(empty_pile(seed).company, "key")

    assert 1 <= len(lines) <= 3
    assert [one.line for one in lines] == [*range(1, len(lines) + 1)]
    assert len({one.text for one in lines}) == len(lines)


def ordered(seed: int, **given: int) -> tuple[Pile, int]:
    """Return a pile with an order of 400 pieces, and how many pieces of the first line were ordered."""
    pile = empty_pile(seed)
    order = pile.order(pile.supplier(), [LINE], "key", **given)
    return pile, int(order["lines"][0]["quantity"])


def test_an_order_may_be_for_more_than_is_billed_now() -> None:
    quantities = [ordered(seed)[1] for seed in range(40)]

    assert min(quantities) == LINE.quantity
    assert max(quantities) > LINE.quantity
    assert {quantity % 100 for quantity in quantities} == {0}


def test_earlier_deliveries_of_an_order_were_billed_and_paid() -> None:
    seen = 0
    for seed in range(40):
        pile, quantity = ordered(seed)
        for one in rows(pile, "invoices"):
            [receipt] = rows(pile, "goods_receipts")
            [line] = one["lines"]
            assert (one["status"], one["delivery_note"]) == ("paid", receipt["delivery_note"])
            assert receipt["lines"] == [{"line": 1, "quantity": line["quantity"]}]
            assert LINE.quantity + line["quantity"] <= quantity
            assert one["clerk"] in {other.id for other in pile.people.others}
            seen += 1

    assert 8 <= seen <= 24


def test_more_units_are_ordered_in_addition_to_what_is_drawn() -> None:
    assert all(ordered(seed, more=400)[1] == ordered(seed)[1] + 400 for seed in SEEDS)


@pytest.mark.parametrize(("lacking", "amount"), [(100, 18.0), (1, 0.18), (250, 45.0)])
def test_missing_units_are_claimed_at_their_price_if_the_handbook_claims_them(
    lacking: int, amount: float
) -> None:
    supplier = {"fields": {"account": "DE1"}}

    assert empty_pile(now=SPARING).missing(supplier, LINE, lacking) == claim("short_delivery", amount, "DE1")
    assert empty_pile(now=EXCESS).missing(supplier, LINE, lacking) == "hold:goods_missing"


def test_suppliers_belong_to_one_case() -> None:
    pile = empty_pile()

    taken = [pile.supplier()["id"] for _ in range(len(words.SUPPLIERS))]

    assert len(set(taken)) == len(words.SUPPLIERS)


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("awaits", [True, False])
def test_an_item_names_a_receiver_only_if_asked_and_a_note_only_if_awaited(asks: bool, awaits: bool) -> None:
    pile = empty_pile()
    supplier = pile.supplier()
    order = pile.order(supplier, [LINE], "key")

    pile.bill(supplier, [LINE], pay("DE1"), "key", order=order, note="DN-1", asks=asks, awaits=awaits)

    [item] = pile.items
    assert (item.receiver, item.awaits) == (order["receiver"] if asks else None, "DN-1" if awaits else None)
    assert row(pile, "invoices", item.invoice_id)["clerk"] == pile.people.me.id


def test_an_invoice_of_the_pile_is_dated_within_the_week() -> None:
    for seed in SEEDS:
        pile = empty_pile(seed)
        supplier = pile.supplier()
        invoice = pile.whole(supplier, one_line(pile, "key"), pay("DE1"), "key")
        assert 20 * HOUR <= pile.company.start - invoice["invoiced_at"] <= 6 * DAY


@pytest.mark.parametrize("seed", range(0, 20, 2))
def test_one_of_a_pair_lacks_something_or_is_stopped_and_the_other_is_not(seed: int) -> None:
    causes = {drawn(seed).cause, drawn(seed + 1).cause}

    assert causes in ({"covers", "lacks"}, {"over", "lasts"})


def test_guidance_gives_the_chapter_in_force_and_no_other_edition() -> None:
    for seed in range(6):
        [now] = [
            one
            for one in drawn(seed).rows["datahub"]["documents"]
            if (one["title"], one["status"]) == ("Matching supplier invoices", "in_force")
        ]
        assert drawn(seed).guidance.rules == now["body"]
        assert now["title"] in drawn(seed).guidance.pointers
