"""The clerk: a script that matches every invoice as the handbook requires."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Final

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play, Refused
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import from_iso

from . import reading
from .reading import Amendment, Transfer
from .terms import Version
from .transfer_sums import after_discount, subsets_making

Row = Mapping[str, Any]
Settlement = dict[str, Any]

_QUESTION: Final = "Less is booked for {note} than {number} bills. Does the rest come?"


@dataclass
class Work:
    """What an agent knows of the pile: its invoices, the orders that exist and the suppliers, each by id.

    Attributes:
        settled: The settlement of each decided invoice.
        amendments: The price amendments read so far, by supplier.
    """

    me: Skills
    rules: Version
    invoices: dict[str, Row]
    orders: dict[str, Row] = field(default_factory=dict)
    suppliers: dict[str, Row] = field(default_factory=dict)
    settled: dict[str, Settlement] = field(default_factory=dict)
    amendments: dict[str, list[Amendment]] = field(default_factory=dict)

    @property
    def open(self) -> list[Row]:
        """The invoices that are not yet decided, without credit notes."""
        left = (one for key, one in self.invoices.items() if key not in self.settled)
        return [one for one in left if one["kind"] == "invoice"]

    def account(self, invoice: Row) -> str:
        """Return the account on the supplier's record."""
        return str(self.suppliers[invoice["supplier_id"]]["fields"]["account"])

    def settle(self, invoice: Row, disposition: str, reason: str | None = None, **given: Any) -> None:
        """Decide how to settle an invoice."""
        why = {} if reason is None else {"reason_code": reason}
        self.settled[invoice["id"]] = {"disposition": disposition, **why, **given}


def oracle(observation: Observation) -> Script:
    """Match every invoice as the handbook requires, or refuse the task."""
    me = Skills(observation)
    items = (yield from me.ask("datahub_list_invoices", clerk=me.id, status="open"))["items"]
    rules, stopped_code = yield from reading.read_rules(me)
    notice = yield from reading.read_stop(me)
    if notice is not None:
        yield from me.ask("refuse", reason_code=stopped_code, evidence=[notice])
    invoices = {}
    for item in items:
        invoices[item["id"]] = yield from me.ask("datahub_get_invoice", invoice_id=item["id"])
    work = Work(me, rules, invoices)
    yield from _read_orders(work)
    _return(work)
    yield from _check_accounts(work)
    yield from _check_transfers(work)
    yield from _check_quantities(work)
    yield from _check_prices(work)
    yield from _carry_out(work)


def _read_orders(work: Work) -> Play[None]:
    """Read the orders that invoices name, if they exist."""
    for order_id in dict.fromkeys(invoice["order_id"] for invoice in work.open if invoice["order_id"]):
        with suppress(Refused):
            work.orders[order_id] = yield from work.me.ask("datahub_get_order", order_id=order_id)


def _return(work: Work) -> None:
    """Decide which invoices go back to the supplier."""
    for invoice in work.open:
        order = work.orders.get(invoice["order_id"] or "")
        if order is None or order["supplier_id"] != invoice["supplier_id"]:
            work.settle(invoice, "return", "no_order")
        elif order["currency"] != invoice["currency"]:
            work.settle(invoice, "return", "wrong_currency")
        elif _is_billed_before(invoice, order):
            work.settle(invoice, "return", "duplicate")
        elif order["status"] == "closed" and not any(_bookings(order, invoice)):
            work.settle(invoice, "return", "order_closed")


def _is_billed_before(invoice: Row, order: Row) -> bool:
    others = (one for one in order["invoices"] if one["id"] != invoice["id"] and one["kind"] == "invoice")
    same = [one for one in others if one["delivery_note"] == invoice["delivery_note"]]
    return any(one["status"] != "open" or one["invoiced_at"] < invoice["invoiced_at"] for one in same)


def _bookings(order: Row, invoice: Row) -> Iterator[tuple[int, int, int]]:
    """Yield the line, the quantity and the time of each booking for the delivery that an invoice is about."""
    for receipt in order["receipts"]:
        if receipt["delivery_note"] == invoice["delivery_note"]:
            for count in receipt["lines"]:
                yield count["line"], count["quantity"], from_iso(receipt["at"])


def _check_accounts(work: Work) -> Play[None]:
    """Hold invoices with an unconfirmed account; record the accounts of the others."""
    for invoice in work.open:
        supplier_id = invoice["supplier_id"]
        if supplier_id not in work.suppliers:
            work.suppliers[supplier_id] = yield from work.me.ask("datahub_get_record", record_id=supplier_id)
        fields = work.suppliers[supplier_id]["fields"]
        if invoice["account"] == fields["account"]:
            continue
        if (yield from reading.is_called_back(work.me, supplier_id, fields["phone"], invoice["account"])):
            work.settle(invoice, "pay", account=invoice["account"])
        else:
            work.settle(invoice, "hold", "bank_unconfirmed")


def _check_transfers(work: Work) -> Play[None]:
    """Hold the invoices that a transfer without a reference has paid."""
    for transfer in (yield from reading.read_transfers(work.me)):
        mine = [one for one in work.open if one["supplier_id"] == transfer.supplier_id]
        waiting = sorted(mine, key=lambda one: str(one["invoiced_at"]))
        amounts = [_counted(work, transfer, one) for one in waiting]
        [paid] = subsets_making(amounts, transfer.cents)
        for number in paid:
            work.settle(waiting[number], "hold", "already_paid")


def _counted(work: Work, transfer: Transfer, invoice: Row) -> int:
    """Return the amount in cents with which an invoice counts towards a transfer."""
    cents, fields = round(invoice["total"] * 100), work.suppliers[invoice["supplier_id"]]["fields"]
    is_recent = transfer.days_after(from_iso(invoice["invoiced_at"])) <= fields["discount_days"]
    takes = work.rules.takes_discount and is_recent
    return after_discount(cents, fields["discount_percent"]) if takes else cents


def _check_quantities(work: Work) -> Play[None]:
    """Ask the receivers about missing units, wait for pending counts, and decide about the rest."""
    short = {invoice["order_id"]: invoice for invoice in work.open if _missing(work, invoice)}
    for order_id, invoice in short.items():
        question = _QUESTION.format(note=invoice["delivery_note"], number=invoice["number"])
        receiver = work.orders[order_id]["receiver"]
        yield from work.me.ask("datahub_message_colleague", to=receiver, about=order_id, body=question)
    if not short:
        return
    yield from work.me.wait_until(work.me.now + 5400)
    for order_id, answer in (yield from reading.read_answers(work.me, {*short})).items():
        if (at := reading.booked_by(answer, work.me.now)) is not None:
            yield from _await_count(work, order_id, at)
        _settle_missing(work, short[order_id], later=reading.comes_later(answer))


def _missing(work: Work, invoice: Row) -> list[tuple[Row, int]]:
    """Return the billed lines with fewer units booked, each with the number missing."""
    missing = Counter({line["line"]: line["quantity"] for line in invoice["lines"]})
    for line, quantity, _ in _bookings(work.orders[invoice["order_id"]], invoice):
        missing[line] -= quantity
    return [(line, missing[line["line"]]) for line in invoice["lines"] if missing[line["line"]] > 0]


def _await_count(work: Work, order_id: str, at: int) -> Play[None]:
    """Wait until a count is booked, and read the order until it shows the count."""
    yield from work.me.wait_until(at)
    before = len(work.orders[order_id]["receipts"])
    while len(work.orders[order_id]["receipts"]) == before:
        work.orders[order_id] = yield from work.me.ask("datahub_get_order", order_id=order_id)


def _settle_missing(work: Work, invoice: Row, *, later: bool) -> None:
    missing = _missing(work, invoice)
    if missing and (later or not work.rules.claims_missing):
        work.settle(invoice, "hold", "goods_missing")
    elif missing:
        ordered = {line["line"]: line for line in work.orders[invoice["order_id"]]["lines"]}
        amount = round(fsum(_price(ordered[line["line"]], count) for line, count in missing), 2)
        work.settle(invoice, "claim", "short_delivery", amount=amount, account=work.account(invoice))


def _price(line: Row, quantity: int) -> float:
    return round(quantity * float(line["unit_price"]) / int(line["price_per"]), 2)


def _check_prices(work: Work) -> Play[None]:
    """Claim prices above the tolerance that are neither amended nor credited, and pay the rest."""
    claims = {}
    for invoice in work.open:
        claims[invoice["id"]] = yield from _price_claim(work, invoice)
    for invoice_id, claimed in _less_credits(work, claims).items():
        invoice = work.invoices[invoice_id]
        account = work.account(invoice)
        if claimed > 0:
            work.settle(invoice, "claim", "price_difference", amount=claimed, account=account)
        else:
            work.settle(invoice, "pay", account=account)


def _price_claim(work: Work, invoice: Row) -> Play[float]:
    """Return the sum claimed for an invoice's lines, before credit notes."""
    ordered = {line["line"]: line for line in work.orders[invoice["order_id"]]["lines"]}
    claims = []
    for line in invoice["lines"]:
        wanted = work.rules.claim(_price(ordered[line["line"]], line["quantity"]), line["amount"])
        if wanted:
            amendments = yield from _amendments(work, invoice["supplier_id"])
            agreed = _agreed(work, invoice, ordered[line["line"]], amendments)
            wanted = work.rules.claim(agreed, line["amount"])
        claims.append(wanted)
    return fsum(claims)


def _amendments(work: Work, supplier_id: str) -> Play[list[Amendment]]:
    if supplier_id not in work.amendments:
        name = work.suppliers[supplier_id]["name"]
        work.amendments[supplier_id] = yield from reading.read_amendments(work.me, name)
    return work.amendments[supplier_id]


def _agreed(work: Work, invoice: Row, ordered: Row, amendments: list[Amendment]) -> float:
    """Return the cost of a delivered line if each of its units has the price of its booking."""
    cost = 0.0
    for line, quantity, booked_at in _bookings(work.orders[invoice["order_id"]], invoice):
        if line == ordered["line"]:
            amended = reading.price_at(amendments, ordered["text"], booked_at)
            price, per = amended or (ordered["unit_price"], ordered["price_per"])
            cost += quantity * price / per
    return round(cost, 2)


def _less_credits(work: Work, claims: Mapping[str, float]) -> dict[str, float]:
    """Return what is left to claim after credit notes; a surplus lowers the supplier's next claim by date."""
    left, surplus = {}, dict.fromkeys(work.suppliers, 0.0)
    notes = [one for one in work.invoices.values() if one["kind"] == "credit_note"]
    for invoice in sorted((work.invoices[key] for key in claims), key=lambda one: str(one["invoiced_at"])):
        supplier_id, of = invoice["supplier_id"], (invoice["supplier_id"], invoice["number"])
        given = fsum(one["total"] for one in notes if (one["supplier_id"], one["credits"]) == of)
        rest = round(claims[invoice["id"]] - (surplus[supplier_id] + given), 2)
        left[invoice["id"]], surplus[supplier_id] = max(rest, 0.0), max(-rest, 0.0)
    return left


def _carry_out(work: Work) -> Play[None]:
    for invoice_id in work.invoices:
        settlement = work.settled.get(invoice_id, {"disposition": "pay"})
        yield from work.me.ask("datahub_settle_invoice", invoice_id=invoice_id, **settlement)
    yield from work.me.finish("Every invoice of the week is settled.")
