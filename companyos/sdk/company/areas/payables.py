"""Payables, for the builder of a company: orders, the goods received for them, and supplier invoices."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, Final, NamedTuple

from ..company import Company
from ..rows import Row
from ..staff import Person

OPEN, PAID = "open", "paid"
#: Columns of an invoice that nobody has acted on yet.
_UNSETTLED: Final[Mapping[str, Any]] = {
    "reason_code": None,
    "paid_amount": None,
    "paid_to": None,
    "claimed_amount": None,
    "settled_by": None,
    "settled_at": None,
}


class Article(NamedTuple):
    """One line of an order or an invoice: `unit_price` is the price of `price_per` units."""

    line: int
    text: str
    quantity: int
    unit: str
    unit_price: float
    price_per: int

    @property
    def amount(self) -> float:
        """The price of all units, to the cent."""
        return round(self.quantity * self.unit_price / self.price_per, 2)


def add_order(
    company: Company,
    order_id: str,
    supplier_id: str,
    articles: Sequence[Article],
    *,
    ordered_by: Person,
    receiver: Person,
    age_s: int,
    currency: str = "EUR",
    closed_age_s: int | None = None,
) -> Row:
    """Add an order placed `age_s` before the start; `closed_age_s` says how long before it was closed."""
    order = {
        "id": order_id,
        "supplier_id": supplier_id,
        "currency": currency,
        "ordered_by": ordered_by.id,
        "receiver": receiver.id,
        "ordered_at": company.start - age_s,
        "lines": [article._asdict() for article in articles],
        "status": OPEN,
        "closed_at": None,
        "version": 1,
    }
    if closed_age_s is not None:
        order |= {"status": "closed", "closed_at": company.start - closed_age_s}
    return company.add_row("datahub", "purchase_orders", order)


def add_receipt(
    company: Company,
    receipt_id: str,
    order: Row,
    delivery_note: str,
    counts: Mapping[int, int],
    *,
    age_s: int,
) -> Row:
    """Add the receipt of a delivery, with the quantities counted by line of the order."""
    receipt = _receipt(receipt_id, order, delivery_note, counts, at=company.start - age_s)
    order["version"] += 1
    return company.add_row("datahub", "goods_receipts", receipt)


def expect_receipt(
    company: Company, order: Row, delivery_note: str, counts: Mapping[int, int], *, in_s: int
) -> Row:
    """Plan a receipt that is booked `in_s` after the start and not visible before."""
    receipt = _receipt(
        f"{order['id']}:{delivery_note}", order, delivery_note, counts, at=company.start + in_s
    )
    return company.add_row("datahub", "expected_receipts", receipt)


def add_invoice(
    company: Company,
    invoice_id: str,
    number: str,
    supplier_id: str,
    articles: Sequence[Article],
    *,
    clerk: Person,
    age_s: int,
    account: str | None,
    order_id: str | None,
    delivery_note: str | None = None,
    credits: str | None = None,  # noqa: A002
    currency: str = "EUR",
) -> Row:
    """Add an open invoice dated `age_s` before the start; one that `credits` another is a credit note."""
    invoice = {
        "id": invoice_id,
        "kind": "invoice" if credits is None else "credit_note",
        "number": number,
        "supplier_id": supplier_id,
        "clerk": clerk.id,
        "invoiced_at": company.start - age_s,
        "currency": currency,
        "lines": [{**article._asdict(), "amount": article.amount} for article in articles],
        "total": round(fsum(article.amount for article in articles), 2),
        "account": account,
        "order_id": order_id,
        "delivery_note": delivery_note,
        "credits": credits,
        "status": OPEN,
        "version": 1,
        **_UNSETTLED,
    }
    return company.add_row("datahub", "invoices", invoice)


def pay_in_the_past(company: Company, invoice: Row, by: Person, *, after_s: int) -> None:
    """Mark an invoice as paid in full, `after_s` after its date but before the start."""
    invoice.update(
        status=PAID,
        paid_amount=invoice["total"],
        paid_to=invoice["account"],
        settled_by=by.id,
        settled_at=min(invoice["invoiced_at"] + after_s, company.start - 1),
        version=2,
    )


def _receipt(receipt_id: str, order: Row, delivery_note: str, counts: Mapping[int, int], *, at: int) -> Row:
    return {
        "id": receipt_id,
        "order_id": order["id"],
        "delivery_note": delivery_note,
        "received_by": order["receiver"],
        "at": at,
        "lines": [{"line": line, "quantity": quantity} for line, quantity in counts.items()],
    }
