"""Requests to spend a unit's money, of the past and of the pile: their fields, line items and submission."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from companyos.sdk.company import Keyed, Person, Row
from companyos.sdk.company.areas.spending import Line, add_waiting_request, decide_in_the_past
from companyos.sdk.simtime import HOUR

from . import words

PURCHASE, INVOICE, TRAINING = "purchase_approval", "invoice_approval", "training_approval"
TYPES: Final = (PURCHASE, INVOICE, TRAINING)
#: The kind of record that an approved invoice leaves.
PAID: Final = "paid_invoice"
#: The version of the policy in force.
VERSION: Final = 3


class Scale(NamedTuple):
    """The size and the value of purchases, each from the least to the most.

    Attributes:
        below: The amount of a purchase that needs no quotes.
        beyond: How far a purchase is beyond the amount that needs quotes, in percent of the way to its limit.
        points: Benefit points per 1,000 EUR.
        hours: Setup hours.
    """

    below: tuple[int, int] = (300, 1900)
    beyond: tuple[int, int] = (5, 90)
    points: tuple[int, int] = (40, 90)
    hours: tuple[int, int] = (1, 8)


@dataclass(frozen=True)
class Spending(Keyed):
    """Requests to a head of unit that belong together."""

    head: Person
    scale: Scale

    def texts(self, type_id: str) -> list[str]:
        """Return the texts of the line items of a request of a type."""
        if type_id == PURCHASE:
            return self.draws.sample("things", words.THINGS, self.draws.integer("things.count", 1, 3))
        return [self.draws.choice("service", words.COURSES if type_id == TRAINING else words.SERVICES)]

    def invoice_number(self, supplier: str) -> str:
        """Return a drawn invoice number, which no other invoice of the supplier has."""
        number = self.company.numbers.draw_unused("invoice", 20000, 98999, self.key, owner=supplier)
        return f"RE-{number}"

    def value(self, amount: float) -> Row:
        """Return the fields that only purchases have, drawn for an amount."""
        points = round(amount * self.draws.integer("points", *self.scale.points) / 1000)
        return {"benefit_points": points, "setup_hours": self.draws.integer("hours", *self.scale.hours)}

    def submit(
        self,
        request_id: str,
        type_id: str,
        fields: Row,
        texts: Sequence[str],
        requester: Person,
        *,
        lines_total: float | None = None,
        **columns: Any,
    ) -> Row:
        """Add a request with one line item for each text, which add up to its amount unless their total is given.

        Its value or its invoice number are drawn unless `fields` state them.
        """
        if type_id == PURCHASE:
            fields = {**self.value(fields["amount"]), **fields}
        elif type_id == INVOICE and "invoice_number" not in fields:
            fields = {**fields, "invoice_number": self.invoice_number(fields["supplier"])}
        lines = [*self._lines(fields["amount"] if lines_total is None else lines_total, texts)]
        return add_waiting_request(
            self.company, request_id, type_id, fields, lines, requester, self.head, **columns
        )

    def settle_past(self, request: Row, *, rejected: bool = False) -> None:
        """Add the decision of a past request; an approved invoice is also recorded as paid."""
        status, fields = "rejected" if rejected else "approved", request["fields"]
        decide_in_the_past(self.company, request, self.head, status, after_s=3 * HOUR)
        if "invoice_number" in fields and not rejected:
            known = {name: fields[name] for name in ("supplier", "amount", "cost_centre")}
            name = f"Invoice {fields['invoice_number']}, {fields['supplier']}"
            record_id = self.company.numbers.next("INV")
            self.company.add_record(record_id, PAID, name, {**known, "request": request["id"]}, "active")

    def _lines(self, total: float, texts: Sequence[str]) -> Iterator[Line]:
        *others, last = texts
        for number, text in enumerate(others):
            quantity = self.draws.integer("quantity", 1, 4, number)
            price = float(int(total * self.draws.integer("share", 20, 50, number) / 100 / quantity))
            yield Line(text, quantity, price)
            total -= quantity * price
        yield Line(last, 1, total)
