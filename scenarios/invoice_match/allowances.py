"""The rows that an agent may write while it settles a pile of invoices."""

from collections.abc import Iterator, Mapping
from typing import Any

from companyos.sdk.company import allowances
from companyos.sdk.grading.allowances import is_near
from companyos.sdk.scenario import ANYTHING, Allowance, one_of

from .grading import CLOSE, INVOICES
from .pile import HOLD_BANK, HOLD_GOODS, HOLD_PAID, Pile

#: The most messages to the receiver of an order that has to be asked about, and to any other colleague.
_QUESTIONS, _MESSAGES = 3, 2


def allowed(pile: Pile) -> Iterator[Allowance]:
    """Yield what settling a pile may write; while payments are stopped, only messages."""
    if not pile.terms.stopped:
        yield _hold(pile)
        for item in pile.items:
            yield Allowance(INVOICES, _outcome_columns(item.disposition), key=item.invoice_id)
    yield from _questions(pile)
    yield from _messages(pile)


def _outcome_columns(disposition: str) -> Mapping[str, Any]:
    """Return the columns of an invoice with this outcome; the service works out the amount paid."""
    match disposition.split(":"):
        case "claim", reason, amount, account:
            claimed = {"claimed_amount": is_near(float(amount), CLOSE), "paid_to": account}
            return {"status": "claimed", "reason_code": reason, "paid_amount": ANYTHING, **claimed}
        case "hold", reason:
            return {"status": "on_hold", "reason_code": reason}
        case "return", reason:
            return {"status": "returned", "reason_code": reason}
        case "pay", *accounts:
            paid = {"paid_amount": ANYTHING, "paid_to": next(iter(accounts), None)}
            return {"status": "paid", "reason_code": None, **paid}
    raise ValueError(disposition)


def _hold(pile: Pile) -> Allowance:
    reasons = (one.partition(":")[2] for one in (HOLD_GOODS, HOLD_BANK, HOLD_PAID))
    return Allowance(
        INVOICES,
        {"status": "on_hold", "reason_code": one_of(*reasons)},
        key=one_of(*(item.invoice_id for item in pile.items)),
        harmless="a hold of an invoice before its right outcome, because a hold is not final",
    )


def _questions(pile: Pile) -> Iterator[Allowance]:
    """Yield the questions to the receiver of each order of the pile about it or its invoices."""
    asked = {item.order_id for item in pile.items if item.receiver}
    for order_id, invoice_ids in _invoices_by_order(pile).items():
        receiver = pile.company.row("datahub", "purchase_orders", order_id)["receiver"]
        yield allowances.messages(
            receiver,
            [order_id, *invoice_ids],
            at_most=_QUESTIONS if order_id in asked else 1,
            harmless="a further question to the receiver of an order about it or its invoices",
        )


def _messages(pile: Pile) -> Iterator[Allowance]:
    """Yield the messages to those whose papers and requests the pile rests on."""
    people, orders = pile.people, _invoices_by_order(pile)
    invoices = [pile.company.row("datahub", "invoices", item.invoice_id) for item in pile.items]
    case = {*orders, *(row["id"] for row in invoices), *(row["supplier_id"] for row in invoices)}
    for person in (people.lead, people.buyer, people.treasurer):
        yield allowances.messages(
            person.id,
            case,
            at_most=_MESSAGES,
            harmless="a message about the pile to the lead, or to those who amend prices or make transfers",
        )


def _invoices_by_order(pile: Pile) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in pile.items:
        if item.order_id is not None:
            found.setdefault(item.order_id, []).append(item.invoice_id)
    return found
