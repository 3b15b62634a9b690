"""The oracle and the careful agent on transfers made by hand: which invoices each of them holds as paid."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, to_iso
from scenarios.invoice_match import agents, reading
from scenarios.invoice_match.reading import Transfer
from scenarios.invoice_match.words import TRANSFERS

from ..replies import NOON, told
from .piles import SPARING
from .weeks import asker, held, invoice, line, paid, settled, transfer, week

FULL = replace(SPARING, takes_discount=False)
HELD = held("already_paid")


def bill(number: int, euros: float, age_days: int = 30, **columns: Any) -> dict[str, Any]:
    """Return an invoice of one line whose order agrees with it."""
    at = to_iso(NOON - age_days * DAY)
    return invoice(f"INV-{number}", line(1, euros), invoiced_at=at, **columns)


def order_of(number: int, euros: float, **columns: Any) -> dict[str, Any]:
    bought = {"receiver": "rob.gate", "status": "open", "invoices": [], "currency": "EUR", **columns}
    counted = {"delivery_note": f"DN-{number}", "at": to_iso(NOON - 40 * DAY)}
    receipts = [{**counted, "lines": [{"line": 1, "quantity": 1}]}]
    return {
        "id": f"PO-{number}",
        "supplier_id": "SUP-1",
        "lines": [line(1, euros)],
        "receipts": receipts,
        **bought,
    }


def facts(*amounts: float, age_days: int = 30) -> list[dict[str, Any]]:
    """Return invoices of these amounts with their orders, the oldest first."""
    bills = [bill(number, one, age_days - number) for number, one in enumerate(amounts, start=1)]
    return [*bills, *(order_of(number, one) for number, one in enumerate(amounts, start=1))]


def on_hold(of: Any, agent: Any = agents.oracle) -> list[str]:
    return [key for key, end in settled(of, agent).items() if end == HELD]


@pytest.mark.parametrize("text", TRANSFERS)
def test_the_invoices_that_make_the_transfer_are_held_and_the_others_are_paid(text: str) -> None:
    of = week(*facts(100.5, 200.25, 300.75, 401.0), mails=(transfer(601.25, text),), now=FULL)

    assert settled(of) == {"INV-1": paid(), "INV-2": HELD, "INV-3": paid(), "INV-4": HELD}


def test_the_careful_agent_takes_the_oldest_invoices_that_fit_for_paid() -> None:
    of = week(*facts(100.5, 200.25, 300.75, 401.0), mails=(transfer(601.25),), now=FULL)

    assert on_hold(of, agents.careful) == ["INV-1", "INV-2"]


def test_an_invoice_new_enough_for_the_discount_counts_less_it() -> None:
    # Dated 10 and 11 days ago, 8 and 9 days before the transfer: the supplier grants 2 percent for 8 days.
    of = week(*facts(500.0, 300.0, 200.0, age_days=12), mails=(transfer(794.0),))

    assert on_hold(of) == ["INV-1", "INV-2"]


def test_no_discount_counts_if_the_handbook_takes_none() -> None:
    of = week(*facts(500.0, 300.0, 294.0, age_days=9), mails=(transfer(794.0),), now=FULL)

    assert on_hold(of) == ["INV-1", "INV-3"]


def test_invoices_of_another_supplier_are_not_what_a_transfer_has_paid() -> None:
    other = bill(9, 400.0, supplier_id="SUP-2")
    of = week(
        *facts(400.0, 200.0),
        other,
        order_of(9, 400.0, supplier_id="SUP-2"),
        mails=(transfer(400.0),),
        now=FULL,
    )

    assert on_hold(of) == ["INV-1"]


@pytest.mark.parametrize(
    "columns",
    [{"sender": "accounts@supplier.example"}, {"subject": "New bank details"}],
    ids=["from outside", "about something else"],
)
def test_another_mail_is_no_word_about_a_transfer(columns: dict[str, str]) -> None:
    of = week(*facts(400.0, 200.0), mails=(transfer(400.0, **columns),), now=FULL)

    assert on_hold(of) == []


def test_a_transfer_that_no_invoices_make_is_nothing_to_guess_about() -> None:
    of = week(*facts(400.0, 200.0), mails=(transfer(450.0),), now=FULL)

    with pytest.raises(ValueError, match="not enough values"):
        settled(of)


def test_a_transfer_is_read_as_it_was_written() -> None:
    message = transfer(1234.56)

    [read] = told(reading.read_transfers(asker()), {"items": [message]}, message)[0]

    assert read == Transfer("SUP-1", 123_456, (NOON - 2 * DAY) // DAY * DAY)


@pytest.mark.parametrize(("hours", "days"), [(0, 0), (-1, 1), (-24, 1), (-25, 2), (5, 0)])
def test_days_are_counted_from_date_to_date(hours: int, days: int) -> None:
    midnight = 40 * DAY

    assert Transfer("SUP-1", 1, midnight).days_after(midnight + hours * 3600) == days
