"""The oracle on weeks made by hand: prices, amendments and credit notes, and what the other agents make of them."""

from typing import Any

import pytest

from companyos.scenario import Action
from companyos.sdk.simtime import DAY, to_iso
from scenarios.invoice_match import agents

from ..replies import NOON, replied
from .piles import EXCESS
from .weeks import (
    BOOKED_AT,
    Week,
    claimed,
    credit_note,
    invoice,
    line,
    observation,
    order,
    outcome,
    paid,
    played,
    receipt,
    settled,
    week,
)

DEAR = invoice("INV-1", line(100, 10.5))


def amendment(since: int, body: str) -> dict[str, Any]:
    """Return a document of Purchasing about the usual supplier, as it is shown."""
    return {
        "id": f"DOC-A{since}",
        "kind": "amendment",
        "status": "in_force",
        "title": "Price amendment: Supplier SUP-1",
        "written_at": to_iso(since - 5 * DAY),
        "effective_from": to_iso(since),
        "body": body,
    }


def new_price(since: int, price: float = 10.5, per: int = 1) -> dict[str, Any]:
    return amendment(since, f"Prices:\n\nGear oil: {price:.2f} EUR for {per} (unit: liter)\n")


def withdrawn(since: int) -> dict[str, Any]:
    return amendment(since, "Taken back.\n\nGear oil: the price of the order again\n")


def bill(number: int, price: float, days: int, **columns: Any) -> dict[str, Any]:
    """Return an invoice of 100 units, dated so many days ago."""
    return invoice(f"INV-{number}", line(100, price), invoiced_at=to_iso(NOON - days * DAY), **columns)


@pytest.mark.parametrize(
    ("price", "expected"),
    [(9.0, paid()), (10.0, paid()), (10.2, paid()), (10.21, claimed(1.0)), (10.5, claimed(30.0))],
    ids=["cheaper", "as ordered", "at the tolerance", "a cent beyond", "beyond"],
)
def test_what_is_beyond_the_tolerance_of_a_line_is_claimed(price: float, expected: dict[str, Any]) -> None:
    assert outcome(week(invoice("INV-1", line(100, price)), now=EXCESS)) == expected


def test_all_but_what_the_handbook_spares_is_claimed() -> None:
    assert outcome(week(DEAR)) == claimed(48.5)


def test_every_line_has_a_tolerance_of_its_own() -> None:
    ordered = line(100, 10.0), line(100, 10.0, number=2)
    facts = invoice("INV-1", line(100, 10.2), line(100, 10.4, number=2)), order("PO-1", *ordered)

    assert outcome(week(*facts, now=EXCESS)) == claimed(20.0)


def test_a_cheaper_line_does_not_make_up_for_a_dear_one() -> None:
    ordered = line(100, 10.0), line(100, 10.0, number=2)
    facts = invoice("INV-1", line(100, 5.0), line(100, 10.4, number=2)), order("PO-1", *ordered)

    assert outcome(week(*facts, now=EXCESS)) == claimed(20.0)


@pytest.mark.parametrize(
    ("ordered", "billed"),
    [(line(400, 12.5, 100), line(400, 0.125)), (line(400, 0.13), line(400, 13.0, 100))],
    ids=["per hundred", "per unit"],
)
def test_the_same_price_for_another_number_of_units_is_the_same_price(
    ordered: dict[str, Any], billed: dict[str, Any]
) -> None:
    assert outcome(week(invoice("INV-1", billed), order("PO-1", ordered))) == paid()


def test_a_number_that_looks_the_same_is_dear_if_it_is_for_fewer_units() -> None:
    facts = invoice("INV-1", line(100, 20.0, 10)), order("PO-1", line(100, 20.0, 100))

    assert outcome(week(*facts, now=EXCESS)) == claimed(179.6)


@pytest.mark.parametrize(
    ("since", "expected"),
    [(BOOKED_AT - 9 * DAY, paid()), (BOOKED_AT, paid()), (BOOKED_AT + 1, claimed(30.0))],
    ids=["before the booking", "as it was booked", "after the booking"],
)
def test_a_new_price_holds_for_what_was_booked_from_its_date(since: int, expected: dict[str, Any]) -> None:
    assert outcome(week(DEAR, now=EXCESS, amendments=(new_price(since),))) == expected


@pytest.mark.parametrize(
    "other",
    [{"status": "draft"}, {"title": "Price amendment: Supplier SUP-2"}],
    ids=["draft", "other supplier"],
)
def test_a_draft_and_the_amendment_of_another_supplier_change_nothing(other: dict[str, str]) -> None:
    amendments = ({**new_price(BOOKED_AT - DAY), **other},)

    assert outcome(week(DEAR, now=EXCESS, amendments=amendments)) == claimed(30.0)


def test_a_new_price_of_another_article_changes_nothing() -> None:
    other = amendment(BOOKED_AT - DAY, "Sanding belts: 10.50 EUR for 1 (unit: piece)")

    assert outcome(week(DEAR, now=EXCESS, amendments=(other,))) == claimed(30.0)


def test_a_price_beyond_the_new_one_is_claimed_from_the_new_one() -> None:
    dearer = invoice("INV-1", line(100, 11.0))

    assert outcome(week(dearer, now=EXCESS, amendments=(new_price(BOOKED_AT),))) == claimed(29.0)


def test_a_new_price_may_be_for_another_number_of_units() -> None:
    amendments = (new_price(BOOKED_AT, 1050.0, 100),)

    assert outcome(week(DEAR, now=EXCESS, amendments=amendments)) == paid()


def test_each_unit_has_the_price_of_the_day_of_its_booking() -> None:
    parts = [receipt("DN-1", 60, at=BOOKED_AT - DAY), receipt("DN-1", 40, at=BOOKED_AT)]
    amendments = (new_price(BOOKED_AT),)

    found = outcome(week(DEAR, order(receipts=parts), now=EXCESS, amendments=amendments))

    # 60 at 10.00 and 40 at 10.50 make 1020.00, of which 20.40 more are tolerated.
    assert found == claimed(9.6)


def test_the_cost_of_a_line_at_two_prices_is_rounded_once() -> None:
    parts = [receipt("DN-1", 60, at=BOOKED_AT - DAY), receipt("DN-1", 40, at=BOOKED_AT)]
    ordered = order("PO-1", line(100, 1000.04, 100), receipts=parts)
    dearer, amendments = invoice("INV-1", line(100, 12.0)), (new_price(BOOKED_AT, 1050.01, 100),)

    found = outcome(week(dearer, ordered, now=EXCESS, amendments=amendments))

    # 600.024 and 420.004 make 1020.03, not 1020.02; 20.40 more are tolerated.
    assert found == claimed(159.57)


def test_deliveries_with_another_note_do_not_count_among_the_bookings() -> None:
    parts = [receipt("DN-8", 100, at=BOOKED_AT), receipt("DN-1", 100, at=BOOKED_AT - DAY)]
    amendments = (new_price(BOOKED_AT),)

    assert outcome(week(DEAR, order(receipts=parts), now=EXCESS, amendments=amendments)) == claimed(30.0)


@pytest.mark.parametrize(
    ("since", "expected"),
    [(BOOKED_AT - 1, claimed(30.0)), (BOOKED_AT, claimed(30.0)), (BOOKED_AT + 1, paid())],
    ids=["before the booking", "as it was booked", "after the booking"],
)
def test_a_withdrawal_brings_back_the_ordered_price_from_its_date(
    since: int, expected: dict[str, Any]
) -> None:
    amendments = (new_price(BOOKED_AT - 9 * DAY), withdrawn(since))

    assert outcome(week(DEAR, now=EXCESS, amendments=amendments)) == expected


def test_amendments_are_looked_for_only_if_a_price_looks_wrong_and_once_for_each_supplier() -> None:
    def searches(of: Week) -> int:
        asked = [one for one in played(of) if one["arguments"].get("kind") == "amendment"]
        return len(asked)

    assert searches(week(invoice())) == 0
    assert searches(week(bill(1, 10.5, 3), bill(2, 10.5, 3))) == 1
    other = order("PO-2", supplier_id="SUP-2")
    assert searches(week(bill(1, 10.5, 3), bill(2, 10.5, 3, supplier_id="SUP-2"), other)) == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [(29.99, claimed(0.01)), (30.0, paid()), (30.01, paid()), (12.5, claimed(17.5)), (50.0, paid())],
    ids=["a cent too little", "all", "a cent more", "a part", "the whole difference"],
)
def test_what_a_credit_note_gives_back_is_not_claimed_once_more(
    given: float, expected: dict[str, Any]
) -> None:
    assert outcome(week(DEAR, credit_note(DEAR, given), now=EXCESS)) == expected


def test_a_credit_note_is_set_off_without_an_account() -> None:
    assert settled(week(DEAR, credit_note(DEAR, 12.5)))["INV-9"] == {"disposition": "pay"}


@pytest.mark.parametrize(
    "other",
    [{"credits": "RE-2"}, {"supplier_id": "SUP-2"}],
    ids=["another invoice", "the same number of another supplier"],
)
def test_only_the_credit_note_for_an_invoice_lowers_its_claim(other: dict[str, str]) -> None:
    assert outcome(week(DEAR, credit_note(DEAR, 12.5, **other), now=EXCESS)) == claimed(30.0)


def test_several_credit_notes_for_an_invoice_add_up() -> None:
    notes = credit_note(DEAR, 12.5), credit_note(DEAR, 7.5, id="INV-8", number="CN-2")

    assert outcome(week(DEAR, *notes, now=EXCESS)) == claimed(10.0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [(30.0, claimed(30.0)), (40.0, claimed(20.0)), (60.0, paid()), (90.0, paid())],
    ids=["no surplus", "a surplus", "as much as the other claim", "more than that"],
)
def test_a_surplus_lowers_the_claim_on_the_suppliers_next_invoice(
    given: float, expected: dict[str, Any]
) -> None:
    first, second = bill(1, 10.5, 5), bill(2, 10.5, 2)

    found = settled(week(first, second, credit_note(first, given), now=EXCESS))

    assert found["INV-1"] == paid()
    assert found["INV-2"] == expected


def test_a_surplus_never_lowers_the_claim_on_an_earlier_invoice() -> None:
    first, second = bill(1, 10.5, 2), bill(2, 10.5, 5)

    found = settled(week(first, second, credit_note(first, 90.0), now=EXCESS))

    assert (found["INV-1"], found["INV-2"]) == (paid(), claimed(30.0))


def test_what_is_left_of_a_surplus_lowers_the_invoice_after_the_next() -> None:
    bills = [bill(number, 10.5, 9 - number) for number in (1, 2, 3)]

    found = settled(week(*bills, credit_note(bills[0], 70.0), now=EXCESS))

    assert [found[f"INV-{number}"] for number in (1, 2, 3)] == [paid(), paid(), claimed(20.0)]


def test_the_surplus_of_one_supplier_lowers_no_claim_on_another() -> None:
    first, second = bill(1, 10.5, 5), bill(2, 10.5, 2, supplier_id="SUP-2")

    found = settled(
        week(first, second, order("PO-2", supplier_id="SUP-2"), credit_note(first, 90.0), now=EXCESS)
    )

    assert found["INV-2"] == claimed(30.0)


def test_the_order_of_the_list_does_not_decide_which_invoice_comes_next() -> None:
    first, second = bill(1, 10.5, 5), bill(2, 10.5, 2)
    note = credit_note(first, 40.0)

    found = [settled(week(*facts, now=EXCESS)) for facts in ((first, second, note), (note, second, first))]

    assert found[0] == found[1]


def test_the_careful_agent_deducts_a_credit_note_but_carries_no_surplus() -> None:
    first, second = bill(1, 10.5, 5), bill(2, 10.5, 2)

    found = settled(week(first, second, credit_note(first, 90.0), now=EXCESS), agents.careful)

    assert (found["INV-1"], found["INV-2"]) == (paid(), claimed(30.0))


def test_the_naive_agent_sets_credit_notes_off_and_goes_on_after_a_refusal() -> None:
    facts = week(DEAR, credit_note(DEAR, 5.0))

    def reply(action: Action, now: int) -> Any:
        is_settling = action["tool_name"] == "datahub_settle_invoice"
        is_first = is_settling and action["arguments"]["invoice_id"] == "INV-1"
        return "number_paid" if is_first else facts.reply(action, now)

    _, actions = replied(agents.naive(observation()), reply)

    assert [one["arguments"] for one in actions[-2:]] == [
        {"invoice_id": "INV-9", "disposition": "pay"},
        {"answer": "All paid."},
    ]
