"""The refusals of payables, each with its reason and its remedy."""

from collections.abc import Sequence

from companyos.chassis import ServiceError

from .domain import Disposition, ReasonCode


class InvoiceUnknown(ServiceError):
    """No invoice has this id."""

    status_code = 404
    code = "invoice_unknown"

    def __init__(self, invoice_id: str) -> None:
        super().__init__(
            f"No invoice has this id: {invoice_id!r}. Find ids with datahub_list_invoices.",
            field="invoice_id",
            remedy="datahub_list_invoices",
        )


class OrderUnknown(ServiceError):
    """No purchase order has this id."""

    status_code = 404
    code = "order_unknown"

    def __init__(self, order_id: str) -> None:
        super().__init__(
            f"No purchase order has this id: {order_id!r}. Invoices name the order they are about.",
            field="order_id",
        )


class InvoiceSettled(ServiceError):
    """The invoice was paid, claimed or returned, which is final."""

    code = "invoice_settled"

    def __init__(self, invoice_id: str, status: str) -> None:
        super().__init__(
            f"{invoice_id} is {status}, which is final. Only open invoices and those on hold can be settled."
        )


class NumberPaid(ServiceError):
    """Another invoice of this supplier with this number was paid."""

    code = "number_paid"

    def __init__(self, number: str, other: str) -> None:
        super().__init__(
            f"The supplier's number {number} was paid already, as {other}. A number is paid once."
        )


class ReasonNeeded(ServiceError):
    """The disposition needs one of its own reason codes."""

    status_code = 422
    code = "reason_needed"

    def __init__(self, disposition: Disposition, allowed: Sequence[ReasonCode]) -> None:
        super().__init__(
            f"To {disposition} an invoice takes a reason_code of its own: {', '.join(allowed)}.",
            field="reason_code",
            required_field="reason_code",
            allowed_values=[str(code) for code in allowed],
        )


class ReasonNotTaken(ServiceError):
    """A payment takes no reason code."""

    status_code = 422
    code = "reason_not_taken"

    def __init__(self) -> None:
        super().__init__("Paying takes no reason_code. Leave it out.", field="reason_code")


class AccountNeeded(ServiceError):
    """The account is missing, or is neither on the supplier's record nor on the invoice."""

    status_code = 422
    code = "account_needed"

    def __init__(self, invoice_id: str) -> None:
        super().__init__(
            f"State the account that {invoice_id} is paid to: the one on the supplier's record or the one on the "
            "invoice.",
            field="account",
            required_field="account",
        )


class AccountNotTaken(ServiceError):
    """Only a payment takes an account."""

    status_code = 422
    code = "account_not_taken"

    def __init__(self) -> None:
        super().__init__(
            "An account is stated only where money is paid: leave it out to hold or to return, and for credit notes.",
            field="account",
        )


class AmountNeeded(ServiceError):
    """A claim needs an amount below the invoice's total."""

    status_code = 422
    code = "amount_needed"

    def __init__(self, total: float) -> None:
        super().__init__(
            f"A claim takes an amount above 0 and not above the invoice's total of {total:.2f}.",
            field="amount",
            required_field="amount",
        )


class AmountNotTaken(ServiceError):
    """Only a claim takes an amount."""

    status_code = 422
    code = "amount_not_taken"

    def __init__(self) -> None:
        super().__init__("Only a claim takes an amount. Leave it out.", field="amount")


class CreditNotClaimed(ServiceError):
    """A credit note cannot be claimed on."""

    status_code = 422
    code = "credit_note_not_claimed"

    def __init__(self, invoice_id: str) -> None:
        super().__init__(
            f"{invoice_id} is a credit note: pay sets it off in full, hold and return are possible, claim is not.",
            field="disposition",
        )
