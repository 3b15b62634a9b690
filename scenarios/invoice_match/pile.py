"""The pile of invoices under construction, each with its right outcome, and the cases that it is made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from companyos.sdk.company import Company, Row
from companyos.sdk.company.areas.payables import Article, add_order
from companyos.sdk.simtime import DAY, HOUR, next_midnight

from .terms import People, Terms
from .trade import Trade

HOLD_GOODS, HOLD_BANK = "hold:goods_missing", "hold:bank_unconfirmed"
HOLD_PAID: Final = "hold:already_paid"
DUPLICATE, NO_ORDER = "return:duplicate", "return:no_order"
CLOSED, CURRENCY = "return:order_closed", "return:wrong_currency"
#: The disposition of a credit note, which is set off without a payment.
SET_OFF: Final = "pay"


def pay(account: str) -> str:
    """Return the disposition of an invoice that is paid in full."""
    return f"pay:{account}"


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
    """The pile under construction.

    Attributes:
        rules: The handbook's chapter in force.
        notice: Id of the notice that says whether the payment stop continues.
        unused: The suppliers that are in no case yet.
    """

    company: Company
    people: People
    terms: Terms
    cause: str
    rules: Row
    notice: str
    unused: list[Row]
    items: list[Item] = field(default_factory=list)

    @property
    def due(self) -> int:
        """The end of the day, when everything has to be settled."""
        return next_midnight(self.company.start)

    def case(self, key: str) -> "InvoiceCase":
        """Return a case with a supplier of its own."""
        return InvoiceCase(self.company, key, self.unused.pop(), self.company.numbers.reserve, self)


@dataclass(frozen=True)
class InvoiceCase(Trade):
    """One supplier's invoices of the pile under construction."""

    pile: Pile

    @property
    def in_full(self) -> str:
        """The disposition of an invoice that is paid in full to the account on the supplier's record."""
        return pay(self.account)

    def of_another_supplier(self) -> Self:
        """Return the same case of a supplier that is in no other case."""
        return replace(self, supplier=self.pile.unused.pop())

    def order(self, delivered: Sequence[Article], *, closed_age_s: int | None = None, more: int = 0) -> Row:
        """Add an order of what is delivered, and perhaps of more: delivered and paid before, or still due.

        Args:
            delivered: The lines that the case is about.
            closed_age_s: How long ago it was closed; None if it is open.
            more: How many more units of the first line were ordered, in addition to what is drawn.
        """
        draws, (first, *others) = self.draws, delivered
        step = 100 if first.price_per > 1 else 10
        before = step * draws.integer("before", 1, 6) if draws.chance("earlier", 0.4) else 0
        to_come = step * draws.integer("to_come", 1, 4) if draws.chance("open", 0.3) else 0
        quantity = first.quantity + before + to_come + more
        order = add_order(
            self.company,
            self.company.numbers.reserve("PO"),
            self.supplier["id"],
            [first._replace(quantity=quantity), *others],
            ordered_by=draws.choice("ordered_by", self.company.people),
            receiver=draws.choice("receiver", self.pile.people.receivers),
            age_s=self.draws.integer("order.age", 40, 60) * DAY,
            closed_age_s=closed_age_s,
        )
        if before:
            self.part("before").pay_before(order, [first._replace(quantity=before)])
        return order

    def pay_before(self, order: Row, billed: Sequence[Article]) -> Row:
        """Add an earlier delivery of an order that was billed and paid weeks ago."""
        return self.bill_delivery(
            order,
            billed,
            clerk=self.draws.choice("paid_by", self.pile.people.others),
            age_s=self.draws.integer("paid.age", 16, 34) * DAY,
            paid_after_s=self.draws.integer("paid.after", 1, 6) * DAY,
        )

    def deliver(self, order: Row, counted: Sequence[Article], note: str) -> None:
        """Add a receipt for a delivery note, one to two weeks old."""
        self.receive(order, counted, note, age_s=self.draws.integer("delivered", 7 * 24, 12 * 24) * HOUR)

    def bill(
        self,
        billed: Sequence[Article],
        disposition: str,
        *,
        order: Row | None,
        note: str | None,
        age_s: int | None = None,
        asks: bool = False,
        awaits: bool = False,
        papers: Sequence[Row] = (),
        **columns: str | None,
    ) -> Row:
        """Add an invoice to the pile; `columns`, such as the `order_id` of no order, have usual values by default."""
        order_id, receiver = (order["id"], order["receiver"]) if order else (None, None)
        age = age_s or self.draws.integer("billed", 20, 6 * 24) * HOUR
        named = {"order_id": order_id, "delivery_note": note, **columns}
        invoice = self.invoice(billed, clerk=self.pile.people.me, age_s=age, **named)
        ids = tuple(paper["id"] for paper in papers)
        asked, awaited = receiver if asks else None, note if awaits else None
        self.pile.items.append(Item(invoice["id"], disposition, order_id, asked, awaited, ids))
        return invoice

    def deliver_and_bill(
        self,
        ordered: Sequence[Article],
        disposition: str,
        billed: Sequence[Article] | None = None,
        **given: Any,
    ) -> Row:
        """Add an order that was delivered in full, and its invoice with these lines; `given` is passed to `bill`."""
        order, note = self.order(ordered), self.note()
        self.deliver(order, ordered, note)
        return self.bill(billed or ordered, disposition, order=order, note=note, **given)

    def claim_or_pay(self, amount: float) -> str:
        """Return the disposition of an invoice of which an amount is too dear, if anything is left of that."""
        left = round(amount, 2)
        return claim("price_difference", left, self.account) if left > 0 else self.in_full

    def claim_or_hold(self, billed: Article, lacking: int) -> str:
        """Return the disposition of an invoice if this many units of a line do not come."""
        if not self.pile.terms.now.claims_missing:
            return HOLD_GOODS
        return claim("short_delivery", billed._replace(quantity=lacking).amount, self.account)


#: Adds the invoices of one case, and everything about them.
Kind = Callable[[InvoiceCase], None]
