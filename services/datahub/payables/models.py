"""The tables of payables; line items are lists of plain objects, as `schemas` describes them."""

from dataclasses import field
from typing import Any

from companyos.chassis import world_table

from ..models import metadata
from .domain import InvoiceKind, InvoiceStatus, OrderStatus


@world_table(metadata, "purchase_orders", indexes=[("supplier_id",)], maintained=("closed_at", "version"))
class PurchaseOrder:
    """An order with a supplier.

    Attributes:
        supplier_id: Id of the supplier's record.
        receiver: Id of the person who receives its deliveries.
        closed_at: When it was closed; no delivery is expected after that.
        lines: Line number, text, quantity, unit, unit price, and the number of units that the price covers.
    """

    id: str
    supplier_id: str
    currency: str
    ordered_by: str
    receiver: str
    ordered_at: int
    lines: list[dict[str, Any]] = field(default_factory=list)
    status: OrderStatus = OrderStatus.OPEN
    closed_at: int | None = None
    version: int = 1


@world_table(metadata, "goods_receipts", indexes=[("order_id",)])
class GoodsReceipt:
    """The counted goods of a delivery; one delivery note can have several receipts.

    Attributes:
        lines: Line number of the order, and the quantity.
    """

    id: str
    order_id: str
    delivery_note: str
    received_by: str
    at: int
    lines: list[dict[str, Any]] = field(default_factory=list)


@world_table(metadata, "expected_receipts", hidden=True)
class ExpectedReceipt:
    """A receipt that will be booked at `at`. It is not shown before."""

    id: str
    order_id: str
    delivery_note: str
    received_by: str
    at: int
    lines: list[dict[str, Any]] = field(default_factory=list)


@world_table(
    metadata,
    "invoices",
    indexes=[("clerk",), ("supplier_id",), ("order_id",), ("status",)],
    maintained=("settled_by", "settled_at", "version"),
)
class Invoice:
    """An invoice or a credit note as the supplier wrote it, with its settlement.

    Attributes:
        number: The supplier's number.
        order_id: The order number as printed; the order need not exist.
        delivery_note: The delivery that it bills.
        credits: On a credit note, the number of the invoice that it refers to.
        lines: Line number of the order, text, quantity, unit, unit price, the number of units that the price
            covers, and amount.
        account: The bank account as printed.
        clerk: Id of the person who settles it.
        paid_amount: The amount paid, after claims; negative if a credit note was set off.
        paid_to: The bank account that it was paid to.
        claimed_amount: The part that was claimed instead of paid.
    """

    id: str
    number: str
    supplier_id: str
    clerk: str
    invoiced_at: int
    currency: str
    total: float
    kind: InvoiceKind = InvoiceKind.INVOICE
    order_id: str | None = None
    delivery_note: str | None = None
    credits: str | None = None
    account: str | None = None
    lines: list[dict[str, Any]] = field(default_factory=list)
    status: InvoiceStatus = InvoiceStatus.OPEN
    reason_code: str | None = None
    paid_amount: float | None = None
    paid_to: str | None = None
    claimed_amount: float | None = None
    settled_by: str | None = None
    settled_at: int | None = None
    version: int = 1
