"""The bounds of settlements: amounts, accounts and numbers that are just right or just wrong, and late receipts."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from services.datahub.payables.domain import REASONS, Disposition
from tests.live_services import Desk

from .company import NOW, Row, a_week, invoice, settle, settled_invoice, vendor

CLAIM = {"reason_code": "short_delivery", "account": "DE1"}


def expected(at: int, **changes: Any) -> Row:
    row = {"id": "PO-101:DN-1", "order_id": "PO-101", "delivery_note": "DN-1", "received_by": "david.kim"}
    return {**row, "at": at, "lines": [{"line": 1, "quantity": 400}], **changes}


@pytest.mark.parametrize(
    ("amount", "status"),
    [(0.01, 200), (199.99, 200), (200.0, 200), (200.01, 422)],
)
async def test_a_claim_takes_up_to_the_whole_total(datahub: Desk, amount: float, status: int) -> None:
    world = await a_week(datahub)

    answer = await settle(world, "claim", amount=amount, **CLAIM)

    assert answer.status_code == status
    if status == 200:
        told = answer.json()
        assert (told["claimed_amount"], told["paid_amount"]) == (amount, round(200.0 - amount, 2))


async def test_an_invoice_keeps_when_it_was_settled_and_by_whom(datahub: Desk) -> None:
    world = await a_week(datahub)
    await world.advance(HOUR)

    held = await settled_invoice(world, "hold", reason_code="bank_unconfirmed")
    await world.advance(HOUR)
    other = world.acting("ben.okafor", "clerk")
    freed = await settled_invoice(other, "pay", account="DE1", version=2)

    assert (held["settled_by"], held["settled_at"]) == ("alex.agent", to_iso(NOW + HOUR))
    assert (freed["settled_by"], freed["settled_at"]) == ("ben.okafor", to_iso(NOW + 2 * HOUR))
    assert (freed["version"], freed["reason_code"], freed["claimed_amount"]) == (3, None, None)


@pytest.mark.parametrize("reason", REASONS[Disposition.HOLD])
async def test_an_invoice_on_hold_has_neither_been_paid_nor_claimed(datahub: Desk, reason: str) -> None:
    world = await a_week(datahub)

    held = await settled_invoice(world, "hold", reason_code=reason)

    assert [held[name] for name in ("status", "paid_amount", "paid_to", "claimed_amount")] == [
        "on_hold",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("on_record", "printed", "account", "code"),
    [
        ({}, None, None, "account_needed"),
        ({}, None, "DE1", "account_needed"),
        ({"account": "DE1"}, None, "DE1", None),
        ({"account": "DE1"}, "DE2", "DE2", None),
        ({"account": "DE1"}, "DE2", "DE3", "account_needed"),
    ],
    ids=["none known or given", "none known", "on record", "printed", "neither"],
)
async def test_money_goes_only_to_an_account_that_is_known(
    datahub: Desk, on_record: Row, printed: str | None, account: str | None, code: str | None
) -> None:
    tables = {"records": [vendor(fields=on_record)]}
    world = await a_week(datahub, invoice(account=printed), **tables)

    answer = await settle(world, "pay", **({"account": account} if account else {}))

    assert answer.json().get("type") == code
    assert answer.json().get("required_field") == ("account" if code else None)


async def test_a_supplier_without_a_record_is_paid_to_the_account_that_is_printed(datahub: Desk) -> None:
    world = await a_week(datahub, records=[])

    assert (await settled_invoice(world, "pay", account="DE1"))["paid_to"] == "DE1"


@pytest.mark.parametrize(
    ("status", "is_taken"),
    [("open", False), ("on_hold", False), ("returned", False), ("paid", True), ("claimed", True)],
)
async def test_a_number_is_taken_once_another_invoice_with_it_was_paid_or_claimed(
    datahub: Desk, status: str, is_taken: bool
) -> None:
    world = await a_week(datahub, invoice(), invoice("INV-102", status=status))

    answer = await settle(world, "pay", account="DE1")

    assert answer.json().get("type") == ("number_paid" if is_taken else None)
    if is_taken:
        assert "INV-102" in answer.json()["detail"]


@pytest.mark.parametrize("disposition", ["hold", "return"])
async def test_a_number_that_was_paid_does_not_stop_what_pays_nothing(
    datahub: Desk, disposition: str
) -> None:
    world = await a_week(datahub, invoice(), invoice("INV-102", status="paid"))
    reason = {"hold": "goods_missing", "return": "duplicate"}[disposition]

    assert (await settle(world, disposition, reason_code=reason)).status_code == 200


async def test_a_credit_note_is_set_off_once_for_its_number_too(datahub: Desk) -> None:
    note = {"kind": "credit_note", "number": "G-1", "total": 30.0}
    world = await a_week(datahub, invoice("INV-102", **note), invoice("INV-103", **note))

    first = await settled_invoice(world, "pay", "INV-102")
    second = await settle(world, "pay", "INV-103")

    assert (first["status"], first["paid_amount"], first["paid_to"]) == ("paid", -30.0, None)
    assert (second.status_code, second.json()["type"]) == (409, "number_paid")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"disposition": "hold"}, "reason_code"),
        ({"disposition": "pay", "account": "DE1", "reason_code": "duplicate"}, "reason_code"),
        ({"disposition": "pay", "account": "DE1", "amount": 1.0}, "amount"),
        ({"disposition": "claim", **CLAIM}, "amount"),
        ({"disposition": "return", "reason_code": "no_order", "account": "DE1"}, "account"),
        ({"disposition": "pay"}, "account"),
    ],
    ids=["reason needed", "reason not taken", "amount not taken", "amount needed", "account", "no account"],
)
async def test_a_refused_settlement_names_the_argument_at_fault(
    datahub: Desk, given: Row, field: str
) -> None:
    world = await a_week(datahub)

    refused = await world.post("/invoices/INV-101/settle", json=given)

    assert (refused.status_code, refused.json()["field"]) == (422, field)


@pytest.mark.parametrize(
    ("at", "is_booked"), [(NOW - 1, False), (NOW, False), (NOW + 1, True)], ids=["past", "now", "to come"]
)
async def test_only_what_is_counted_after_the_start_is_booked(
    datahub: Desk, at: int, is_booked: bool
) -> None:
    world = await a_week(datahub, expected_receipts=[expected(at)])

    await world.advance(1)

    assert (await world.rows("goods_receipts") != {}) == is_booked


async def test_a_receipt_that_is_booked_late_has_the_instant_of_the_count(datahub: Desk) -> None:
    world = await a_week(datahub, expected_receipts=[expected(NOW + HOUR)])

    await world.advance(DAY)

    assert await world.rows("goods_receipts") == {
        "GR-1": {**expected(NOW + HOUR), "id": "GR-1"},
    }


async def test_receipts_and_invoices_of_one_instant_are_shown_by_id(datahub: Desk) -> None:
    counted = [{**expected(NOW - DAY), "id": receipt_id} for receipt_id in ("GR-2", "GR-1")]
    world = await a_week(datahub, invoice("INV-102"), invoice(), goods_receipts=counted)

    shown = (await world.get("/purchase-orders/PO-101")).json()

    assert [one["id"] for one in shown["receipts"]] == ["GR-1", "GR-2"]
    assert [one["id"] for one in shown["invoices"]] == ["INV-101", "INV-102"]
