"""Trade with one supplier: what is delivered, billed and paid, both before the episode and in the pile."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.company import Keyed, NewId, Person, Row
from companyos.sdk.company.areas.payables import Article, add_invoice, add_receipt, pay_in_the_past
from companyos.sdk.simtime import DAY

from . import words
from .words import Ware

#: The range of delivery note numbers and suppliers' numbers.
_DIGITS: Final = (10_000, 99_999)
_STYLES: Final = ("RE-{}", "F{}", "INVC/{}", "{}-A", "R {}")


@dataclass(frozen=True)
class Trade(Keyed):
    """Deliveries and invoices of one supplier."""

    supplier: Row
    new_id: NewId

    @property
    def account(self) -> str:
        """The account on the supplier's record."""
        return str(self.supplier["fields"]["account"])

    def line(self, low: int = 300, high: int = 1600) -> Article:
        """Return an order's only line, whose cost is drawn from roughly `low` to `high`."""
        return self._price(1, self.draws.choice("ware", words.WARES), low, high)

    def lines(self, low: int = 250, high: int = 1400, *, count: int | None = None) -> list[Article]:
        """Return order lines, one to three unless their number is given, each costing roughly `low` to `high`."""
        wares = self.draws.sample("wares", words.WARES, count or self.draws.integer("lines", 1, 3))
        return [self._price(line, ware, low, high) for line, ware in enumerate(wares, start=1)]

    def note(self) -> str:
        """Draw the number of a delivery note, which no other delivery has."""
        return f"DN-{self.company.numbers.draw_unused('note', *_DIGITS, self.key)}"

    def receive(self, order: Row, counted: Sequence[Article], note: str, *, age_s: int) -> None:
        """Add a receipt for a delivery note."""
        counts = {one.line: one.quantity for one in counted}
        add_receipt(self.company, self.new_id("GR"), order, note, counts, age_s=age_s)

    def invoice(self, billed: Sequence[Article], *, clerk: Person, age_s: int, **columns: Any) -> Row:
        """Add an invoice to the account on record; `columns` are further ones, or another account."""
        number, columns = self._invoice_number(), {"account": self.account, **columns}
        row_id, supplier_id = self.new_id("INV"), self.supplier["id"]
        return add_invoice(
            self.company, row_id, number, supplier_id, billed, clerk=clerk, age_s=age_s, **columns
        )

    def bill_delivery(
        self, order: Row, billed: Sequence[Article], *, clerk: Person, age_s: int, paid_after_s: int | None
    ) -> Row:
        """Add a completely counted delivery, and its invoice two days later, perhaps paid before the start."""
        note = self.note()
        self.receive(order, billed, note, age_s=age_s + 2 * DAY)
        columns = {"order_id": order["id"], "delivery_note": note, "currency": order["currency"]}
        invoice = self.invoice(billed, clerk=clerk, age_s=age_s, **columns)
        if paid_after_s is not None:
            pay_in_the_past(self.company, invoice, clerk, after_s=paid_after_s)
        return invoice

    def _price(self, line: int, ware: Ware, low: int, high: int) -> Article:
        cents = round(ware.price * self.draws.integer("price", 80, 125, line))
        price, least = cents / 100, 100 if ware.per > 1 else 10
        units = self.draws.integer("worth", low, high, line) * ware.per / price
        return Article(line, ware.text, max(least, int(units // least) * least), ware.unit, price, ware.per)

    def _invoice_number(self) -> str:
        """Draw an invoice number in the supplier's style, which no other invoice of the supplier has."""
        style = self.company.draws.choice("number.style", _STYLES, self.supplier["id"])
        number = self.company.numbers.draw_unused("number", *_DIGITS, self.key, owner=self.supplier["id"])
        return style.format(number)
