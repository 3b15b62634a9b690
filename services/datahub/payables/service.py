"""The rules of payables: orders with their history, and the settlement of invoices, each of them once."""

from dataclasses import dataclass
from typing import Any

from companyos.chassis import ListPage, UnitOfWork, VersionConflict

from ..models import Record
from . import errors
from .domain import (
    FINAL,
    OUTCOMES,
    PAYING,
    REASONS,
    Disposition,
    InvoiceKind,
    InvoiceStatus,
    OrderStatus,
    ReasonCode,
    paid,
)
from .models import ExpectedReceipt, GoodsReceipt, Invoice, PurchaseOrder


@dataclass(frozen=True, kw_only=True)
class OrderWithHistory:
    """An order with its receipts and invoices so far, each list ordered by time and id."""

    id: str
    supplier_id: str
    currency: str
    ordered_by: str
    receiver: str
    ordered_at: int
    lines: list[dict[str, Any]]
    status: OrderStatus
    closed_at: int | None
    version: int
    receipts: list[GoodsReceipt]
    invoices: list[Invoice]


class Orders:
    """The purchase orders, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def get(self, order_id: str) -> OrderWithHistory:
        """Return an order with its history.

        Raises:
            OrderUnknown: No such order in this world.
        """
        order = await self._unit.get(PurchaseOrder, order_id)
        if order is None:
            raise errors.OrderUnknown(order_id)
        receipts = await self._unit.all(GoodsReceipt, order_id=order.id)
        billed = await self._unit.all(Invoice, order_id=order.id)
        return OrderWithHistory(
            **vars(order),
            receipts=sorted(receipts, key=lambda one: (one.at, one.id)),
            invoices=sorted(billed, key=lambda one: (one.invoiced_at, one.id)),
        )

    async def book(self, expected_id: str) -> None:
        """Book an expected receipt."""
        expected = await self._unit.get(ExpectedReceipt, expected_id)
        order = await self._unit.get(PurchaseOrder, expected.order_id) if expected else None
        if expected is None or order is None:
            return
        order.version += 1
        receipt_id = await self._unit.next_id(GoodsReceipt, "GR-")
        self._unit.add(GoodsReceipt(**{**vars(expected), "id": receipt_id}))


class Invoices:
    """The invoices, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def page(
        self, *, cursor: str | None, limit: int, q: str | None, **filters: str | None
    ) -> ListPage[Invoice]:
        """Return a page of invoices."""
        given = {column: value for column, value in filters.items() if value is not None}
        contains = (("id", "number"), q) if q else None
        return await self._unit.page(Invoice, after=cursor, limit=limit, contains=contains, **given)

    async def get(self, invoice_id: str) -> Invoice:
        """Return an invoice.

        Raises:
            InvoiceUnknown: No such invoice in this world.
        """
        invoice = await self._unit.get(Invoice, invoice_id)
        if invoice is None:
            raise errors.InvoiceUnknown(invoice_id)
        return invoice

    async def settle(
        self,
        invoice_id: str,
        *,
        disposition: Disposition,
        reason_code: ReasonCode | None,
        account: str | None,
        amount: float | None,
        version: int | None,
    ) -> Invoice:
        """Pay, hold, return or claim an invoice.

        Raises:
            InvoiceUnknown, InvoiceSettled, VersionConflict: It cannot be settled.
            CreditNotClaimed, ReasonNeeded, ReasonNotTaken, AmountNeeded, AmountNotTaken: The arguments do not
                fit the disposition.
            AccountNeeded, AccountNotTaken: A payment has no known account, or another disposition has one.
            NumberPaid: Another invoice with this supplier's number was already paid.
        """
        invoice = await self.get(invoice_id)
        if invoice.status in FINAL:
            raise errors.InvoiceSettled(invoice.id, invoice.status)
        if version is not None and version != invoice.version:
            raise VersionConflict(invoice.version, version)
        _refuse_reason(disposition, reason_code)
        _refuse_amount(invoice, disposition, amount)
        await self._refuse_account(invoice, disposition, account)
        if disposition in PAYING:
            await self._refuse_second_payment(invoice)

        invoice.status, invoice.reason_code = OUTCOMES[disposition], reason_code
        if disposition in PAYING:
            invoice.paid_amount = paid(invoice.kind, invoice.total, amount or 0.0)
        invoice.paid_to, invoice.claimed_amount = account, amount
        invoice.settled_by, invoice.settled_at = self._unit.actor, self._unit.now
        invoice.version += 1
        return invoice

    async def _refuse_account(self, invoice: Invoice, disposition: Disposition, account: str | None) -> None:
        if disposition not in PAYING or invoice.kind == InvoiceKind.CREDIT_NOTE:
            if account is not None:
                raise errors.AccountNotTaken
            return
        supplier = await self._unit.get(Record, invoice.supplier_id)
        known = {invoice.account, supplier.fields.get("account") if supplier else None}
        if account is None or account not in known:
            raise errors.AccountNeeded(invoice.id)

    async def _refuse_second_payment(self, invoice: Invoice) -> None:
        for other in await self._unit.all(Invoice, supplier_id=invoice.supplier_id, number=invoice.number):
            if other.id != invoice.id and other.status in (InvoiceStatus.PAID, InvoiceStatus.CLAIMED):
                raise errors.NumberPaid(invoice.number, other.id)


def _refuse_reason(disposition: Disposition, reason_code: ReasonCode | None) -> None:
    allowed = REASONS[disposition]
    if allowed and reason_code not in allowed:
        raise errors.ReasonNeeded(disposition, allowed)
    if not allowed and reason_code is not None:
        raise errors.ReasonNotTaken


def _refuse_amount(invoice: Invoice, disposition: Disposition, amount: float | None) -> None:
    if disposition != Disposition.CLAIM:
        if amount is not None:
            raise errors.AmountNotTaken
        return
    if invoice.kind == InvoiceKind.CREDIT_NOTE:
        raise errors.CreditNotClaimed(invoice.id)
    if amount is None or amount > invoice.total:
        raise errors.AmountNeeded(invoice.total)
