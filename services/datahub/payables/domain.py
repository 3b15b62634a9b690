"""The rules of invoices, independent of the database: the dispositions, and what each of them requires."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class OrderStatus(StrEnum):
    """Whether anything is still expected on an order."""

    OPEN = "open"
    CLOSED = "closed"


class InvoiceKind(StrEnum):
    """Whether a supplier asks for money or gives some back."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit_note"


class InvoiceStatus(StrEnum):
    """What has become of an invoice."""

    OPEN = "open"
    ON_HOLD = "on_hold"
    PAID = "paid"
    RETURNED = "returned"
    CLAIMED = "claimed"


class Disposition(StrEnum):
    """What is done with an invoice."""

    PAY = "pay"
    HOLD = "hold"
    RETURN = "return"
    CLAIM = "claim"


class ReasonCode(StrEnum):
    """Why an invoice is not simply paid."""

    GOODS_MISSING = "goods_missing"
    BANK_UNCONFIRMED = "bank_unconfirmed"
    ALREADY_PAID = "already_paid"
    DUPLICATE = "duplicate"
    NO_ORDER = "no_order"
    ORDER_CLOSED = "order_closed"
    WRONG_CURRENCY = "wrong_currency"
    PRICE_DIFFERENCE = "price_difference"
    SHORT_DELIVERY = "short_delivery"


#: The reasons for each disposition; paying needs none.
REASONS: Final[Mapping[Disposition, tuple[ReasonCode, ...]]] = {
    Disposition.PAY: (),
    Disposition.HOLD: (
        ReasonCode.GOODS_MISSING,
        ReasonCode.BANK_UNCONFIRMED,
        ReasonCode.ALREADY_PAID,
    ),
    Disposition.RETURN: (
        ReasonCode.DUPLICATE,
        ReasonCode.NO_ORDER,
        ReasonCode.ORDER_CLOSED,
        ReasonCode.WRONG_CURRENCY,
    ),
    Disposition.CLAIM: (ReasonCode.PRICE_DIFFERENCE, ReasonCode.SHORT_DELIVERY),
}
OUTCOMES: Final[Mapping[Disposition, InvoiceStatus]] = {
    Disposition.PAY: InvoiceStatus.PAID,
    Disposition.HOLD: InvoiceStatus.ON_HOLD,
    Disposition.RETURN: InvoiceStatus.RETURNED,
    Disposition.CLAIM: InvoiceStatus.CLAIMED,
}
#: The dispositions that pay money.
PAYING: Final = frozenset({Disposition.PAY, Disposition.CLAIM})
#: The final statuses of an invoice.
FINAL: Final = frozenset({InvoiceStatus.PAID, InvoiceStatus.RETURNED, InvoiceStatus.CLAIMED})


def paid(kind: InvoiceKind, total: float, claimed: float) -> float:
    """Return the paid amount, to the cent: the total minus the claim; negative for a credit note."""
    return -total if kind == InvoiceKind.CREDIT_NOTE else round(total - claimed, 2)
