"""The clerk: a script that matches every invoice as the handbook requires."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
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

_QUESTION: Final = "Less is booked for {note} than {number} bills. Does the rest come?"


class InvoiceClerk(Skills):
    """The work on a pile: its invoices, the orders that exist and the suppliers, each by id.

    Attributes:
        settled: The settlement of each decided invoice.
        amendments: The price amendments read so far, by supplier.
    """

    rules: Version

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self.invoices: dict[str, Row] = {}
        self.orders: dict[str, Row] = {}
        self.suppliers: dict[str, Row] = {}
        self.settled: dict[str, Mapping[str, Any]] = {}
        self.amendments: dict[str, list[Amendment]] = {}

    def work(self) -> Script:
        """Match every invoice as the handbook requires, or refuse the task."""
        items = (yield from self.ask("datahub_list_invoices", clerk=self.id, status="open"))["items"]
        self.rules, stopped_code = yield from reading.read_rules(self)
        notice = yield from reading.read_stop(self)
        if notice is not None:
            yield from self.ask("refuse", reason_code=stopped_code, evidence=[notice])
        for item in items:
            self.invoices[item["id"]] = yield from self.ask("datahub_get_invoice", invoice_id=item["id"])
        yield from self._read_orders()
        self._return()
        yield from self._check_accounts()
        yield from self._check_transfers()
        yield from self._check_quantities()
        yield from self._check_prices()
        for invoice_id in self.invoices:
            settlement = self.settled.get(invoice_id, {"disposition": "pay"})
            yield from self.ask("datahub_settle_invoice", invoice_id=invoice_id, **settlement)
        yield from self.finish("Every invoice of the week is settled.")

    @property
    def _open(self) -> list[Row]:
        """The invoices that are not yet decided, without credit notes."""
        left = (one for key, one in self.invoices.items() if key not in self.settled)
        return [one for one in left if one["kind"] == "invoice"]

    def _account(self, invoice: Row) -> str:
        """Return the account on the supplier's record."""
        return str(self.suppliers[invoice["supplier_id"]]["fields"]["account"])

    def _settle(self, invoice: Row, disposition: str, reason: str | None = None, **given: Any) -> None:
        """Decide how to settle an invoice."""
        why = {} if reason is None else {"reason_code": reason}
        self.settled[invoice["id"]] = {"disposition": disposition, **why, **given}

    def _read_orders(self) -> Play[None]:
        """Read the orders that invoices name, if they exist."""
        for order_id in dict.fromkeys(one["order_id"] for one in self._open if one["order_id"]):
            with suppress(Refused):
                self.orders[order_id] = yield from self.ask("datahub_get_order", order_id=order_id)

    def _return(self) -> None:
        """Decide which invoices go back to the supplier."""
        for invoice in self._open:
            order = self.orders.get(invoice["order_id"] or "")
            if order is None or order["supplier_id"] != invoice["supplier_id"]:
                self._settle(invoice, "return", "no_order")
            elif order["currency"] != invoice["currency"]:
                self._settle(invoice, "return", "wrong_currency")
            elif _is_billed_before(invoice, order):
                self._settle(invoice, "return", "duplicate")
            elif order["status"] == "closed" and not any(self._bookings(invoice)):
                self._settle(invoice, "return", "order_closed")

    def _bookings(self, invoice: Row) -> Iterator[tuple[int, int, int]]:
        """Yield the line, the quantity and the time of each booking for the delivery that an invoice is about."""
        for receipt in self.orders[invoice["order_id"]]["receipts"]:
            if receipt["delivery_note"] == invoice["delivery_note"]:
                for count in receipt["lines"]:
                    yield count["line"], count["quantity"], from_iso(receipt["at"])

    def _check_accounts(self) -> Play[None]:
        """Hold invoices with an unconfirmed account; record the accounts of the others."""
        for invoice in self._open:
            supplier_id, account = invoice["supplier_id"], invoice["account"]
            if supplier_id not in self.suppliers:
                self.suppliers[supplier_id] = yield from self.ask("datahub_get_record", record_id=supplier_id)
            fields = self.suppliers[supplier_id]["fields"]
            if account == fields["account"]:
                continue
            if (yield from reading.is_called_back(self, supplier_id, fields["phone"], account)):
                self._settle(invoice, "pay", account=account)
            else:
                self._settle(invoice, "hold", "bank_unconfirmed")

    def _check_transfers(self) -> Play[None]:
        """Hold the invoices that a transfer without a reference has paid."""
        for transfer in (yield from reading.read_transfers(self)):
            mine = [one for one in self._open if one["supplier_id"] == transfer.supplier_id]
            waiting = sorted(mine, key=lambda one: str(one["invoiced_at"]))
            [paid] = subsets_making([self._counted(transfer, one) for one in waiting], transfer.cents)
            for number in paid:
                self._settle(waiting[number], "hold", "already_paid")

    def _counted(self, transfer: Transfer, invoice: Row) -> int:
        """Return the amount in cents with which an invoice counts towards a transfer."""
        cents, fields = round(invoice["total"] * 100), self.suppliers[invoice["supplier_id"]]["fields"]
        is_recent = transfer.days_after(from_iso(invoice["invoiced_at"])) <= fields["discount_days"]
        takes = self.rules.takes_discount and is_recent
        return after_discount(cents, fields["discount_percent"]) if takes else cents

    def _check_quantities(self) -> Play[None]:
        """Ask the receivers about missing units, wait for pending counts, and decide about the rest."""
        short = {invoice["order_id"]: invoice for invoice in self._open if self._missing(invoice)}
        for order_id, invoice in short.items():
            question = _QUESTION.format(note=invoice["delivery_note"], number=invoice["number"])
            receiver = self.orders[order_id]["receiver"]
            yield from self.ask("datahub_message_colleague", to=receiver, about=order_id, body=question)
        if not short:
            return
        yield from self.wait_until(self.now + 5400)
        for order_id, answer in (yield from reading.read_answers(self, {*short})).items():
            if (at := reading.booked_by(answer, self.now)) is not None:
                yield from self._await_count(order_id, at)
            self._settle_missing(short[order_id], later=reading.comes_later(answer))

    def _missing(self, invoice: Row) -> list[tuple[Row, int]]:
        """Return the billed lines with fewer units booked, each with the number missing."""
        missing = Counter({line["line"]: line["quantity"] for line in invoice["lines"]})
        for line, quantity, _ in self._bookings(invoice):
            missing[line] -= quantity
        return [(line, missing[line["line"]]) for line in invoice["lines"] if missing[line["line"]] > 0]

    def _await_count(self, order_id: str, at: int) -> Play[None]:
        """Wait until a count is booked, and read the order until it shows the count."""
        yield from self.wait_until(at)
        before = len(self.orders[order_id]["receipts"])
        while len(self.orders[order_id]["receipts"]) == before:
            self.orders[order_id] = yield from self.ask("datahub_get_order", order_id=order_id)

    def _settle_missing(self, invoice: Row, *, later: bool) -> None:
        missing = self._missing(invoice)
        if missing and (later or not self.rules.claims_missing):
            self._settle(invoice, "hold", "goods_missing")
        elif missing:
            ordered = self._ordered(invoice)
            amount = round(fsum(_price(ordered[line["line"]], count) for line, count in missing), 2)
            account = self._account(invoice)
            self._settle(invoice, "claim", "short_delivery", amount=amount, account=account)

    def _ordered(self, invoice: Row) -> dict[int, Row]:
        return {line["line"]: line for line in self.orders[invoice["order_id"]]["lines"]}

    def _check_prices(self) -> Play[None]:
        """Claim prices above the tolerance that are neither amended nor credited, and pay the rest."""
        claims = {}
        for invoice in self._open:
            claims[invoice["id"]] = yield from self._price_claim(invoice)
        for invoice_id, claimed in self._less_credits(claims).items():
            invoice = self.invoices[invoice_id]
            account = self._account(invoice)
            if claimed > 0:
                self._settle(invoice, "claim", "price_difference", amount=claimed, account=account)
            else:
                self._settle(invoice, "pay", account=account)

    def _price_claim(self, invoice: Row) -> Play[float]:
        """Return the sum claimed for an invoice's lines, before credit notes."""
        claims, ordered = [], self._ordered(invoice)
        for line in invoice["lines"]:
            right = ordered[line["line"]]
            wanted = self.rules.claim(_price(right, line["quantity"]), line["amount"])
            if wanted:
                amendments = yield from self._amendments(invoice["supplier_id"])
                wanted = self.rules.claim(self._agreed(invoice, right, amendments), line["amount"])
            claims.append(wanted)
        return fsum(claims)

    def _amendments(self, supplier_id: str) -> Play[list[Amendment]]:
        if supplier_id not in self.amendments:
            name = self.suppliers[supplier_id]["name"]
            self.amendments[supplier_id] = yield from reading.read_amendments(self, name)
        return self.amendments[supplier_id]

    def _agreed(self, invoice: Row, ordered: Row, amendments: list[Amendment]) -> float:
        """Return the cost of a delivered line if each of its units has the price of its booking."""
        cost = 0.0
        for line, quantity, booked_at in self._bookings(invoice):
            if line == ordered["line"]:
                amended = reading.price_at(amendments, ordered["text"], booked_at)
                price, per = amended or (ordered["unit_price"], ordered["price_per"])
                cost += quantity * price / per
        return round(cost, 2)

    def _less_credits(self, claims: Mapping[str, float]) -> dict[str, float]:
        """Return what is left to claim after credit notes; a surplus lowers the supplier's next claim by date."""
        left, surplus = {}, dict.fromkeys(self.suppliers, 0.0)
        notes = [one for one in self.invoices.values() if one["kind"] == "credit_note"]
        for invoice in sorted(
            (self.invoices[key] for key in claims), key=lambda one: str(one["invoiced_at"])
        ):
            supplier_id, of = invoice["supplier_id"], (invoice["supplier_id"], invoice["number"])
            given = fsum(one["total"] for one in notes if (one["supplier_id"], one["credits"]) == of)
            rest = round(claims[invoice["id"]] - (surplus[supplier_id] + given), 2)
            left[invoice["id"]], surplus[supplier_id] = max(rest, 0.0), max(-rest, 0.0)
        return left


def _is_billed_before(invoice: Row, order: Row) -> bool:
    others = (one for one in order["invoices"] if one["id"] != invoice["id"] and one["kind"] == "invoice")
    same = [one for one in others if one["delivery_note"] == invoice["delivery_note"]]
    return any(one["status"] != "open" or one["invoiced_at"] < invoice["invoiced_at"] for one in same)


def _price(line: Row, quantity: int) -> float:
    return round(quantity * float(line["unit_price"]) / int(line["price_per"]), 2)
