"""Writes customers and what the company holds about them, with one method for each kind of object."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from companyos.sdk.company import Company, NewId, Person, Row, add_entitlement, new_name
from companyos.sdk.simtime import DAY, to_date

from . import words

T = TypeVar("T")
CASE, GOODWILL = "customer_case", "goodwill"
CUSTOMER, ORDER, INVOICE, HOLD = "customer", "order", "invoice", "legal_hold"
PORTAL: Final = "customer_portal"


@dataclass(frozen=True)
class Customer:
    """A customer; `number` and `mail` are unique, `name` need not be."""

    record: Row
    name: str
    number: str
    mail: str

    @property
    def identifiers(self) -> tuple[str, str, str]:
        """The strings that a redaction masks."""
        return self.name, self.number, self.mail

    @property
    def naming(self) -> re.Pattern[str]:
        """What finds the identifiers as the services do: as whole words, in any case."""
        any_of = "|".join(map(re.escape, sorted(self.identifiers, key=len, reverse=True)))
        return re.compile(rf"(?<![^\W_])(?:{any_of})(?![^\W_])", re.IGNORECASE)


@dataclass(frozen=True)
class HeldObject:
    """An object that the company holds about a customer; `age_days` is None if no date matters."""

    service: str
    table: str
    id: str
    kind: str
    age_days: int | None = None
    is_open: bool = False


@dataclass(frozen=True)
class FileWriter:
    """Writes objects about customers into a company, taking ids from one source.

    Attributes:
        staff: The people who deal with customers.
    """

    company: Company
    new_id: NewId
    staff: Person

    def customer(self, *, name: str | None = None) -> Customer:
        """Add the record of a new customer or of a namesake."""
        numbers, number, record_id = self.company.numbers, self.new_id("K"), self.new_id("CUS")
        is_namesake, name = name is not None, name or new_name(self.company, f"customer.{record_id}")
        # The numbers of namesakes are odd, and others can have the name by chance: no two people share an address.
        owner = f"{name}.{is_namesake}"
        digits = 2 * numbers.draw_unused("customer.digits", 5, 49, record_id, owner=owner) + is_namesake
        mail = f"{name.lower().replace(' ', '.')}{digits}@{self._choice('host', words.HOSTS, record_id)}"
        fields = {"customer_no": number, "email": mail, "town": self._choice("town", words.TOWNS, record_id)}
        record = self.company.add_record(record_id, CUSTOMER, name, fields, "active")
        return Customer(record, name, number, mail)

    def held_record(self, customer: Customer) -> HeldObject:
        """Return the customer's own record."""
        return HeldObject("datahub", "records", customer.record["id"], CUSTOMER)

    def order(self, customer: Customer, age_days: int) -> HeldObject:
        """Add an order, which contains the customer number."""
        order_id = self.new_id("ORD")
        fields = {"customer_no": customer.number, "item": self._item(order_id)}
        fields["ordered_on"] = self._day(age_days)
        return self._record(order_id, ORDER, f"Order {order_id}", fields, age_days)

    def invoice(self, customer: Customer, order: HeldObject, age_days: int) -> HeldObject:
        """Add an invoice, which contains only the order's number and the customer's name."""
        invoice_id = self.new_id("INV")
        amount = self._drawn("invoice.amount", 20, 900, invoice_id)
        fields = {"order": order.id, "bill_to": customer.name, "amount": amount}
        fields["issued_on"] = self._day(age_days)
        return self._record(invoice_id, INVOICE, f"Invoice {invoice_id}", fields, age_days)

    def form(self, customer: Customer, kind: str) -> HeldObject:
        """Add a form that the customer filled in, which contains their address."""
        form_id, title = self.new_id("FRM"), kind.replace("_", " ").capitalize()
        return self._record(form_id, kind, f"{title} {form_id}", {"email": customer.mail})

    def letter(self, customer: Customer) -> HeldObject:
        """Add a letter from the customer, which contains their number."""
        document_id = self.new_id("DOC")
        text = self._choice("letter", words.LETTERS, document_id).format(item=self._item(document_id))
        body = f"{text}\n\n{customer.name}, customer number {customer.number}\n"
        age = self._drawn("letter.age", 20, 600, document_id)
        return self._document(document_id, "letter", f"Letter of {customer.name}", body, age)

    def minutes(self, customer: Customer, order: HeldObject) -> HeldObject:
        """Add minutes that name the customer and an order, among other things."""
        document_id = self.new_id("DOC")
        agenda = words.AGENDA.format(who=customer.name, order=order.id)
        body = f"Present: everybody.\n\n1. The new depot opens in spring.\n2. {agenda}\n3. Nothing else.\n"
        age = self._drawn("minutes.age", 20, 300, document_id)
        title = f"Weekly round of customer care ({document_id})"
        return self._document(document_id, "minutes", title, body, age)

    def mail(self, customer: Customer) -> HeldObject:
        """Add a mail from the customer."""
        message_id = self.new_id("MSG")
        subject, text = self._choice("mail", words.MAILS, message_id)
        body = text.format(who=customer.name, item=self._item(message_id))
        age_s = self._drawn("mail.age", 10, 400, message_id) * DAY
        self.company.add_message(customer.mail, "Care", subject, body, age_s=age_s, message_id=message_id)
        return HeldObject("datahub", "messages", message_id, "message")

    def portal(self, customer: Customer) -> HeldObject:
        """Add the customer's portal access, under their address."""
        person = Person(customer.mail, customer.name, CUSTOMER, "Customers")
        entitlement_id = self.new_id("ENT")
        add_entitlement(self.company, person, PORTAL, self.staff, level="read", entitlement_id=entitlement_id)
        return HeldObject("datahub", "entitlements", entitlement_id, PORTAL)

    def case(self, customer: Customer, order: HeldObject) -> tuple[HeldObject, Row]:
        """Add a case, which contains the customer's number, their address or the number of an order."""
        draws, ticket_id = self.company.draws, self.new_id("TD")
        title, text = self._choice("case", words.CASES, ticket_id)
        mark = self._choice("case.mark", (words.BY_NUMBER, words.BY_MAIL, words.BY_ORDER), ticket_id)
        known = {"number": customer.number, "mail": customer.mail, "order": order.id}
        chatter = draws.sample(
            "case.said", words.CHATTER, draws.integer("case.count", 0, 2, ticket_id), ticket_id
        )
        is_open = draws.chance("case.open", 0.3, ticket_id)
        row = self.company.add_ticket(
            ticket_id,
            CASE,
            title,
            " ".join([text.format(who=customer.name), mark.format(**known), *chatter]),
            self.staff,
            acts=("assigned",) if is_open else ("assigned", "closed"),
            status="triage" if is_open else "closed",
            assignee=self.staff.id,
            priority=self._choice("case.priority", ("low", "medium"), ticket_id),
            subject=customer.record["id"],
            resolution=None if is_open else "Answered.",
        )
        return HeldObject("ticketdesk", "tickets", ticket_id, CASE, is_open=is_open), row

    def remark(self, customer: Customer, ticket: Row) -> HeldObject:
        """Add a comment about the customer to another customer's ticket."""
        body = self._choice("remark", words.REMARKS, ticket["id"])
        row = self.company.add_comment(
            ticket, self.staff, body.format(who=customer.name, number=customer.number)
        )
        return HeldObject("ticketdesk", "comments", row["id"], "comment")

    def goodwill(self, customer: Customer, ticket: Row, approver: Person) -> HeldObject:
        """Add an approved request for a payment to the customer, which contains their number."""
        amount = self.company.draws.integer("goodwill.amount", 10, 90, ticket["id"])
        fields = {"customer_no": customer.number, "amount": float(amount)}
        row = self.company.decided(ticket, GOODWILL, fields, self.staff, approver, "approved")
        return HeldObject("approvalflow", "requests", row["id"], GOODWILL)

    def _record(
        self, record_id: str, kind: str, name: str, fields: Row, age_days: int | None = None
    ) -> HeldObject:
        self.company.add_record(record_id, kind, name, fields, "active")
        return HeldObject("datahub", "records", record_id, kind, age_days)

    def _document(self, document_id: str, kind: str, title: str, body: str, age_days: int) -> HeldObject:
        age_s = age_days * DAY
        self.company.add_document(kind, title, "Care", self.staff, body, age_s=age_s, document_id=document_id)
        return HeldObject("datahub", "documents", document_id, kind)

    def _item(self, key: str) -> str:
        return self._choice("item", words.ITEMS, key)

    def _choice(self, draw_name: str, options: Sequence[T], key: str) -> T:
        return self.company.draws.choice(draw_name, options, key)

    def _drawn(self, draw_name: str, low: int, high: int, key: str) -> int:
        return self.company.draws.integer(draw_name, low, high, key)

    def _day(self, age_days: int) -> str:
        return to_date(self.company.start - age_days * DAY)
