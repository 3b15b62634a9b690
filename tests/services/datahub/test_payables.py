"""Payables: what came in on an order, and invoices that are settled once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import DAY, HOUR
from services.datahub.payables.domain import FINAL, OUTCOMES, REASONS, Disposition, InvoiceKind, paid
from tests.live_services import Desk

from .company import NOW, Row, a_week, bolts, invoice, settle, settled_invoice

CENTS = st.integers(1, 10**9).map(lambda cents: cents / 100)
#: One way to settle an invoice for each disposition.
SETTLEMENTS: dict[str, Row] = {
    "pay": {"account": "DE1"},
    "hold": {"reason_code": "goods_missing"},
    "return": {"reason_code": "duplicate"},
    "claim": {"reason_code": "short_delivery", "amount": 12.5, "account": "DE1"},
}


def receipt(number: int, quantity: int, note: str = "DN-1", **changes: Any) -> Row:
    row = {"id": f"GR-{number}", "order_id": "PO-101", "delivery_note": note, "received_by": "david.kim"}
    return {**row, "at": NOW - 2 * DAY, "lines": [{"line": 1, "quantity": quantity}], **changes}


async def test_an_order_shows_what_came_in_and_what_was_billed_oldest_first(datahub: Desk) -> None:
    billed = [
        invoice(),
        invoice("INV-102", number="RE-6", invoiced_at=NOW - 3 * DAY),
        invoice("INV-103", order_id=None),
    ]
    counted = [receipt(1, 400, at=NOW - HOUR), receipt(2, 600), receipt(3, 9, order_id="PO-102")]
    world = await a_week(datahub, *billed, goods_receipts=counted)

    shown = (await world.get("/purchase-orders/PO-101")).json()

    assert [one["id"] for one in shown["receipts"]] == ["GR-2", "GR-1"]
    assert [one["lines"] for one in shown["receipts"]] == [[{"line": 1, "quantity": n}] for n in (600, 400)]
    assert [one["id"] for one in shown["invoices"]] == ["INV-102", "INV-101"]
    assert shown["lines"] == [bolts(1000)]
    assert (shown["status"], shown["closed_at"], shown["version"]) == ("open", None, 1)


async def test_expected_receipt_is_booked_and_shown_when_due(datahub: Desk) -> None:
    expected = {**receipt(1, 400), "id": "PO-101:DN-1", "at": NOW + 3 * HOUR}
    world = await a_week(datahub, goods_receipts=[receipt(7, 600)], expected_receipts=[expected])

    await world.advance(3 * HOUR - 1)
    before = (await world.get("/purchase-orders/PO-101")).json()
    await world.advance(1)
    after = (await world.get("/purchase-orders/PO-101")).json()

    assert [one["id"] for one in before["receipts"]] == ["GR-7"]
    assert [one["id"] for one in after["receipts"]] == ["GR-7", "GR-8"]
    assert (before["version"], after["version"]) == (1, 2)
    assert after["receipts"][1]["lines"] == [{"line": 1, "quantity": 400}]


async def test_expected_receipt_without_an_order_is_never_booked(datahub: Desk) -> None:
    expected = {**receipt(1, 400), "order_id": "PO-109", "at": NOW + HOUR}
    world = await a_week(datahub, expected_receipts=[expected])

    await world.advance(2 * HOUR)

    assert await world.rows("goods_receipts") == {}


async def test_invoices_are_listed_by_clerk_status_supplier_and_number(datahub: Desk) -> None:
    billed = [
        invoice(),
        invoice("INV-102", number="F 9", clerk="ben.okafor"),
        invoice("INV-103", number="RE-8", status="paid"),
        invoice("INV-104", number="RE-9", supplier_id="V-105"),
    ]
    world = await a_week(datahub, *billed)

    async def listed(**query: str) -> list[str]:
        return [one["id"] for one in (await world.get("/invoices", params=query)).json()["items"]]

    assert await listed(clerk="alex.agent", status="open") == ["INV-101", "INV-104"]
    assert await listed(status="PAID") == ["INV-103"]
    assert await listed(supplier_id="V-105") == ["INV-104"]
    assert await listed(q="f 9") == ["INV-102"]
    assert await listed(limit="2") == ["INV-101", "INV-102"]


@pytest.mark.parametrize("disposition", SETTLEMENTS)
async def test_an_invoice_shows_what_became_of_it_and_who_did_it(datahub: Desk, disposition: str) -> None:
    world, given = await a_week(datahub), SETTLEMENTS[disposition]

    row = await settled_invoice(world, disposition, **given)

    assert row["status"] == OUTCOMES[Disposition(disposition)]
    assert (row["settled_by"], row["version"]) == ("alex.agent", 2)
    assert (row["reason_code"], row["paid_to"]) == (given.get("reason_code"), given.get("account"))
    assert row["claimed_amount"] == given.get("amount")
    assert row["paid_amount"] == {"pay": 200.0, "claim": 187.5}.get(disposition)
    assert await world.events() == []


@pytest.mark.parametrize("disposition", SETTLEMENTS)
async def test_only_what_is_held_can_be_settled_again(datahub: Desk, disposition: str) -> None:
    world = await a_week(datahub)
    first = await settled_invoice(world, disposition, **SETTLEMENTS[disposition])

    again = await settle(world, "pay", account="DE1")

    if disposition == "hold":
        assert again.json()["status"] == "paid"
        assert again.json()["reason_code"] is None
    else:
        assert (again.status_code, again.json()["type"]) == (409, "invoice_settled")
        assert first["status"] in FINAL


async def test_a_credit_note_is_set_off_and_sends_money_nowhere(datahub: Desk) -> None:
    credit = invoice("INV-102", kind="credit_note", number="G-1", credits="RE-7", total=30.0)
    world = await a_week(datahub, invoice(), credit)

    refused = await settle(world, "pay", "INV-102", account="DE1")
    claimed = await settle(world, "claim", "INV-102", reason_code="price_difference", amount=5.0)
    row = await settled_invoice(world, "pay", "INV-102")

    assert refused.json()["type"] == "account_not_taken"
    assert claimed.json()["type"] == "credit_note_not_claimed"
    assert (row["paid_amount"], row["paid_to"]) == (-30.0, None)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"disposition": "hold"}, "reason_needed"),
        ({"disposition": "hold", "reason_code": "duplicate"}, "reason_needed"),
        ({"disposition": "pay", "reason_code": "duplicate", "account": "DE1"}, "reason_not_taken"),
        ({"disposition": "pay"}, "account_needed"),
        ({"disposition": "pay", "account": "DE2"}, "account_needed"),
        ({"disposition": "hold", "reason_code": "goods_missing", "account": "DE1"}, "account_not_taken"),
        ({"disposition": "return", "reason_code": "no_order", "amount": 3.0}, "amount_not_taken"),
        ({"disposition": "claim", "reason_code": "short_delivery", "account": "DE1"}, "amount_needed"),
        (
            {"disposition": "claim", "reason_code": "short_delivery", "account": "DE1", "amount": 200.01},
            "amount_needed",
        ),
        (
            {"disposition": "claim", "reason_code": "short_delivery", "account": "DE1", "amount": 0.0},
            "invalid_request",
        ),
        ({"disposition": "shred"}, "invalid_request"),
        ({"disposition": "pay", "account": "DE1", "total": 1.0}, "invalid_request"),
    ],
)
async def test_invalid_disposition_is_refused_and_changes_nothing(
    datahub: Desk, given: Row, code: str
) -> None:
    world = await a_week(datahub)

    refused = await world.post("/invoices/INV-101/settle", json=given)

    assert (refused.status_code, refused.json()["type"]) == (422, code)
    assert await world.rows("invoices", scope="diff") == {}


async def test_a_missing_reason_is_answered_with_those_there_are(datahub: Desk) -> None:
    world = await a_week(datahub)

    for disposition, reasons in REASONS.items():
        if reasons:
            refused = (await settle(world, disposition)).json()
            assert refused["allowed_values"] == [*reasons]


async def test_one_number_of_a_supplier_is_paid_once_and_another_number_is_not_noticed(datahub: Desk) -> None:
    billed = [
        invoice(),
        invoice("INV-102"),
        invoice("INV-103", number="RE-8"),
        invoice("INV-104", supplier_id="V-105"),
    ]
    world = await a_week(datahub, *billed)
    await settled_invoice(world, "claim", **SETTLEMENTS["claim"])

    again = await settle(world, "pay", "INV-102", account="DE1")

    assert (again.status_code, again.json()["type"]) == (409, "number_paid")
    assert (await settled_invoice(world, "return", "INV-102", reason_code="duplicate"))[
        "status"
    ] == "returned"
    assert (await settled_invoice(world, "pay", "INV-103", account="DE1"))["status"] == "paid"
    assert (await settled_invoice(world, "pay", "INV-104", account="DE1"))["status"] == "paid"


async def test_an_invoice_that_has_changed_since_it_was_read_is_not_settled(datahub: Desk) -> None:
    world = await a_week(datahub)
    await settled_invoice(world, "hold", reason_code="goods_missing", version=1)

    refused = await settle(world, "pay", account="DE1", version=1)

    assert (refused.status_code, refused.json()["type"]) == (409, "version_conflict")


@pytest.mark.parametrize(
    ("path", "code"), [("/invoices/INV-9", "invoice_unknown"), ("/purchase-orders/PO-9", "order_unknown")]
)
async def test_unknown_invoices_and_orders_are_not_found(datahub: Desk, path: str, code: str) -> None:
    world = await a_week(datahub)

    answer = await world.get(path)

    assert (answer.status_code, answer.json()["type"]) == (404, code)


async def test_tools_do_not_reveal_expected_receipts(datahub: Desk) -> None:
    expected = {**receipt(1, 31_337), "at": NOW + DAY}
    world = await a_week(datahub, expected_receipts=[expected])

    shown = [await world.get(path) for path in ("/invoices", "/invoices/INV-101", "/purchase-orders/PO-101")]

    assert not any("31337" in answer.text for answer in shown)


@given(CENTS, CENTS)
def test_claimed_and_paid_amounts_add_up_to_the_total(total: float, claimed: float) -> None:
    part = min(total, claimed)

    rest = paid(InvoiceKind.INVOICE, total, part)

    assert round(rest + part, 2) == total
    assert paid(InvoiceKind.CREDIT_NOTE, total, 0.0) == -total
