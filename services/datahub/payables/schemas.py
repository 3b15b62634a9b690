"""The wire types of payables. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, PageQuery, SimTime, Version, View

from .domain import Disposition, InvoiceKind, InvoiceStatus, OrderStatus, ReasonCode

InvoiceId = Annotated[Key, Path()]
OrderId = Annotated[Key, Path()]
AnyDisposition = Annotated[Disposition, Field(strict=False), AnyCase]
AnyReason = Annotated[ReasonCode, Field(strict=False), AnyCase]
Amount = Annotated[float, Field(gt=0, le=10**9)]


class InvoicesQuery(PageQuery):
    """Which invoices to list."""

    clerk: Key | None = Field(None, description="Person id of who settles them.")
    status: Annotated[InvoiceStatus, AnyCase] | None = None
    supplier_id: Key | None = Field(None, description="Id of the supplier's record.")
    q: Key | None = Field(None, description="Text in the id or the supplier's number.")


class SettleInvoice(Body):
    """What becomes of an invoice."""

    disposition: AnyDisposition = Field(description="What to do.")
    reason_code: AnyReason | None = Field(None, description="Required, except to pay.")
    account: Key | None = Field(
        None, description="Bank account paid to; required to pay or claim, except on a credit note."
    )
    amount: Amount | None = Field(None, description="Claimed, in the invoice's currency.")
    version: Version | None = Field(
        None, description="The `version` you read; if it has changed since, the call is refused."
    )


class OrderLineView(View):
    """One thing that was ordered."""

    line: int = Field(description="Number of the line.")
    text: str = Field(description="What it is.")
    quantity: int = Field(description="How many units.")
    unit: str = Field(description="The unit.")
    unit_price: float = Field(description="Price of `price_per` units.")
    price_per: int = Field(description="How many units the price is for.")


class InvoiceLineView(OrderLineView):
    """One thing that is billed; `line` is that of the order."""

    amount: float = Field(description="What is billed for it.")


class CountView(View):
    """How many units of a line were counted."""

    line: int = Field(description="Line of the order.")
    quantity: int = Field(description="How many units.")


class ReceiptView(View):
    """A delivery, or a part of one, as it was counted."""

    id: str = Field(description="Id of the receipt.")
    delivery_note: str = Field(description="The supplier's delivery note.")
    received_by: str = Field(description="Person id of who counted.")
    at: SimTime = Field(description="When it was booked.")
    lines: list[CountView] = Field(description="What was counted.")


class InvoiceSummary(View):
    """An invoice without its lines."""

    id: str = Field(description="Id of the invoice; the other tools take it as `invoice_id`.")
    kind: InvoiceKind = Field(description="`invoice` or `credit_note`.")
    number: str = Field(description="The supplier's number.")
    supplier_id: str = Field(description="Id of the supplier's record.")
    order_id: str | None = Field(description="The order that it names.")
    delivery_note: str | None = Field(description="The delivery that it bills.")
    invoiced_at: SimTime = Field(description="Its date.")
    total: float = Field(description="Its total.")
    currency: str = Field(description="Its currency.")
    clerk: str = Field(description="Person id of who settles it.")
    status: InvoiceStatus = Field(description="What has become of it.")
    version: int = Field(description="Grows by one with every change.")


class InvoiceView(InvoiceSummary):
    """An invoice."""

    credits: str | None = Field(description="On a credit note, the number of the invoice that it is about.")
    lines: list[InvoiceLineView] = Field(description="What it bills.")
    account: str | None = Field(description="The bank account printed on it.")
    reason_code: ReasonCode | None = Field(description="Why it was not simply paid.")
    paid_amount: float | None = Field(description="What was paid; negative if set off.")
    paid_to: str | None = Field(description="The account that it was paid to.")
    claimed_amount: float | None = Field(description="What was claimed instead of paid.")
    settled_by: str | None = Field(description="Person id of who settled it.")
    settled_at: SimTime | None = Field(description="When.")


class OrderView(View):
    """A purchase order with its history."""

    id: str = Field(description="Id of the order.")
    supplier_id: str = Field(description="Id of the supplier's record.")
    currency: str = Field(description="Currency of its prices.")
    status: OrderStatus = Field(description="`open` or `closed`.")
    ordered_by: str = Field(description="Person id of who ordered.")
    receiver: str = Field(description="Person id of who takes in its deliveries.")
    ordered_at: SimTime = Field(description="When.")
    closed_at: SimTime | None = Field(description="When it was closed.")
    lines: list[OrderLineView] = Field(description="What was ordered.")
    receipts: list[ReceiptView] = Field(description="What was received, as booked so far.")
    invoices: list[InvoiceSummary] = Field(description="Invoices and credit notes that name it.")
    version: int = Field(description="Grows by one with every change.")
