"""The pile of invoices under construction, each with its right outcome."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from companyos.company import Company, Row
from companyos.company.areas.payables import (
    Article,
    add_invoice,
    add_order,
    add_receipt,
    expect_receipt,
    pay_in_the_past,
)
from companyos.sdk.simtime import DAY, HOUR

from . import words
from .pack import article, bill_delivery, note_of, number_of
from .terms import People, Terms

HOLD_GOODS, HOLD_BANK = "hold:goods_missing", "hold:bank_unconfirmed"
HOLD_PAID: Final = "hold:already_paid"
DUPLICATE, NO_ORDER = "return:duplicate", "return:no_order"
CLOSED, CURRENCY = "return:order_closed", "return:wrong_currency"
#: The disposition of a credit note, which is set off without a payment.
SET_OFF: Final = "pay"


def pay(account: str) -> str:
    """Return the disposition of an invoice that is paid in full."""
    return f"pay:{account}"


def pay_on_record(supplier: Row) -> str:
    """Return the disposition of an invoice that is paid in full to the account on the supplier's record."""
    return pay(supplier["fields"]["account"])


def claim(reason: str, amount: float, account: str) -> str:
    """Return the disposition of an invoice from which an amount is claimed."""
    return f"claim:{reason}:{amount:.2f}:{account}"


@dataclass(frozen=True)
class Item:
    """An invoice or credit note of the pile.

    Attributes:
        disposition: Its right outcome, such as `hold:goods_missing` or `pay:<account>`.
        order_id: The order whose receiver the agent has to ask first.
        receiver: Person id of that receiver; None if nobody has to be asked.
        awaits: The delivery note for which more is booked during the episode.
        papers: The documents and messages that decide its outcome besides the handbook.
    """

    invoice_id: str
    disposition: str
    order_id: str | None = None
    receiver: str | None = None
    awaits: str | None = None
    papers: tuple[str, ...] = ()


@dataclass
class Pile:
    """The pile under construction; `unused` are the suppliers that are in no case yet."""

    company: Company
    people: People
    terms: Terms
    unused: list[Row]
    items: list[Item] = field(default_factory=list)

    def supplier(self) -> Row:
        """Return a supplier that is in no other case."""
        return self.unused.pop()

    def order(
        self,
        supplier: Row,
        delivered: Sequence[Article],
        key: str,
        *,
        age_s: int | None = None,
        closed_age_s: int | None = None,
        more: int = 0,
    ) -> Row:
        """Add an order of what is delivered, and perhaps of more: delivered and paid before, or still due.

        Args:
            supplier: The supplier.
            delivered: The lines that the case is about.
            key: The key of the case.
            age_s: How long ago it was placed.
            closed_age_s: How long ago it was closed; None if it is open.
            more: How many more units of the first line were ordered, in addition to what is drawn.
        """
        draws, (first, *others) = self.company.draws, delivered
        step = self._step(first)
        before = step * draws.integer("before", 1, 6, key) if draws.chance("earlier", 0.4, key) else 0
        to_come = step * draws.integer("to_come", 1, 4, key) if draws.chance("open", 0.3, key) else 0
        quantity = first.quantity + before + to_come + more
        order = add_order(
            self.company,
            self.company.numbers.reserve("PO"),
            supplier["id"],
            [replace_quantity(first, quantity), *others],
            ordered_by=draws.choice("ordered_by", self.company.people, key),
            receiver=draws.choice("receiver", self.people.receivers, key),
            age_s=age_s or draws.integer("order.age", 40, 60, key) * DAY,
            closed_age_s=closed_age_s,
        )
        if before:
            self.paid_before(order, supplier, [replace_quantity(first, before)], f"{key}.before")
        return order

    def paid_before(self, order: Row, supplier: Row, billed: Sequence[Article], key: str) -> Row:
        """Add an earlier delivery of an order that was billed and paid weeks ago."""
        draws, clerk = self.company.draws, self.company.draws.choice("paid_by", self.people.others, key)
        invoice = bill_delivery(
            self.company,
            order,
            supplier,
            billed,
            note=note_of(self.company, key),
            clerk=clerk,
            age_s=draws.integer("paid.age", 16, 34, key) * DAY,
            key=key,
            ids=self._ids(),
        )
        pay_in_the_past(self.company, invoice, clerk, after_s=draws.integer("paid.after", 1, 6, key) * DAY)
        return invoice

    def deliver(
        self, order: Row, counted: Sequence[Article], note: str, key: str, *, age_s: int | None = None
    ) -> None:
        """Add a receipt for a delivery note."""
        age = age_s or self.company.draws.integer("delivered", 7 * 24, 12 * 24, key) * HOUR
        counts = {one.line: one.quantity for one in counted}
        add_receipt(self.company, self.company.numbers.reserve("GR"), order, note, counts, age_s=age)

    def expect(self, order: Row, counted: Article, note: str, *, in_s: int) -> None:
        """Book more units of a delivery note during the episode."""
        expect_receipt(self.company, order, note, {counted.line: counted.quantity}, in_s=in_s)

    def bill(
        self,
        supplier: Row,
        billed: Sequence[Article],
        disposition: str,
        key: str,
        *,
        order: Row | str | None,
        note: str | None,
        account: str | None = None,
        age_s: int | None = None,
        credits: str | None = None,  # noqa: A002
        currency: str = "EUR",
        asks: bool = False,
        awaits: bool = False,
        papers: Sequence[Row] = (),
    ) -> Row:
        """Add an invoice to the pile; arguments not given are drawn or have their usual value."""
        company = self.company
        known = order if isinstance(order, dict) else None
        invoice = add_invoice(
            company,
            company.numbers.reserve("INV"),
            number_of(company, supplier, key),
            supplier["id"],
            billed,
            clerk=self.people.me,
            age_s=age_s or company.draws.integer("billed", 20, 6 * 24, key) * HOUR,
            account=account or supplier["fields"]["account"],
            order_id=known["id"] if known else str(order) if order else None,
            delivery_note=note,
            credits=credits,
            currency=currency,
        )
        order_id, asked = (known["id"], known["receiver"]) if known else (None, None)
        read, counted = tuple(paper["id"] for paper in papers), note if awaits else None
        self.items.append(Item(invoice["id"], disposition, order_id, asked if asks else None, counted, read))
        return invoice

    def missing(self, supplier: Row, billed: Article, lacking: int) -> str:
        """Return the disposition of an invoice if this many units of a line do not come."""
        if not self.terms.now.claims_missing:
            return HOLD_GOODS
        amount = replace_quantity(billed, lacking).amount
        return claim("short_delivery", amount, supplier["fields"]["account"])

    def whole(
        self, supplier: Row, billed: Sequence[Article], disposition: str, key: str, **given: str
    ) -> Row:
        """Add an order that was delivered as billed, and its invoice; `given` is passed to `bill`."""
        order, note = self.order(supplier, billed, key), note_of(self.company, key)
        self.deliver(order, billed, note, key)
        return self.bill(supplier, billed, disposition, key, order=order, note=note, **given)  # type: ignore[arg-type]

    def _ids(self) -> tuple[str, str]:
        return self.company.numbers.reserve("GR"), self.company.numbers.reserve("INV")

    def _step(self, one: Article) -> int:
        return 100 if one.price_per > 1 else 10


#: Adds the invoices of one case and everything about them to a pile; the key identifies the case.
Kind = Callable[[Pile, str], None]


def replace_quantity(one: Article, quantity: int) -> Article:
    """Return a line with another quantity."""
    return one._replace(quantity=quantity)


def one_line(pile: Pile, key: str, low: int = 300, high: int = 1600) -> list[Article]:
    """Return an order's only line, whose cost is drawn from roughly `low` to `high`."""
    ware = pile.company.draws.choice("ware", words.WARES, key)
    return [article(pile.company, 1, ware, low, high, key)]
