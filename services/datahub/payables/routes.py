"""Payables over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .models import Invoice
from .schemas import (
    InvoiceId,
    InvoicesQuery,
    InvoiceSummary,
    InvoiceView,
    OrderId,
    OrderView,
    SettleInvoice,
)
from .service import Invoices, Orders, OrderWithHistory

invoices = ToolRouter(prefix="/invoices", tags=["payables"])
orders = ToolRouter(prefix="/purchase-orders", tags=["payables"])


@invoices.get(
    "",
    response_model=Page[InvoiceSummary],
    summary="List supplier invoices",
    description="Shows credit notes too, and those of all clerks unless `clerk` is given.",
)
async def list_invoices(query: Annotated[InvoicesQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Invoices(unit).page(**query.model_dump()), query.limit)


@invoices.get(
    "/{invoice_id}",
    response_model=InvoiceView,
    summary="Read an invoice",
    description="Returns it as the supplier wrote it, line by line, and what has become of it.",
)
async def get_invoice(invoice_id: InvoiceId, unit: InWorld) -> Invoice:
    return await Invoices(unit).get(invoice_id)


@invoices.post(
    "/{invoice_id}/settle",
    response_model=InvoiceView,
    summary="Settle an invoice",
    description="`pay` it in full (a credit note is set off), `hold` it until later, `return` it to the supplier, or "
    "`claim` an amount and pay the rest. All but `hold` are final, and payments cannot be called back.",
)
async def settle_invoice(invoice_id: InvoiceId, body: SettleInvoice, unit: InWorld) -> Invoice:
    return await Invoices(unit).settle(invoice_id, **body.model_dump())


@orders.get(
    "/{order_id}",
    response_model=OrderView,
    summary="Read a purchase order",
    description="Returns its lines, what was received on it, delivery by delivery, and the invoices that name it.",
)
async def get_order(order_id: OrderId, unit: InWorld) -> OrderWithHistory:
    return await Orders(unit).get(order_id)
