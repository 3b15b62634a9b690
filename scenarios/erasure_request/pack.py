"""The pack of customer care: its kinds of ticket, record and approval, and its past cases."""

from collections.abc import Callable
from typing import Any, Final

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    FormField,
    Office,
    Pack,
    Person,
    Row,
    TicketKind,
    somebody,
)
from companyos.sdk.simtime import DAY, HOUR

from . import words
from .files import CASE, CUSTOMER, GOODWILL, HOLD, INVOICE, ORDER, Customer, FileWriter, HeldObject

REQUEST, SPECIAL = "erasure_request", "special_erasure"
ROLE, TEAM = "privacy_clerk", "Legal"
OFFICER, HEAD = "data_protection_officer", "head_of_care"
HOLD_METRIC: Final = "hold_in_force"
REFRESH_S: Final = 900
#: The fields that a ticket of the pack needs before it can be verified.
_REQUIRED_FIELDS: Final = ("priority", "assignee", "subject")
_ROLES: Final = (ROLE, "care_agent")


def open_request(
    company: Company, ticket_id: str, name: str, mail_id: str, claimed: str, reporter: Person, **columns: Any
) -> tuple[Row, int]:
    """Add a ticket about an erasure, and return it with the age of the mail that it is about, in seconds.

    `claimed` is the customer number that its reporter may name.
    """
    draws = company.draws
    text = draws.choice("asked", words.ASKED, ticket_id).format(mail=mail_id, who=name)
    claims = draws.sample("claims", words.CLAIMS, draws.integer("claims.count", 0, 2, ticket_id), ticket_id)
    description = " ".join([text, *claims]).format(number=claimed)
    title = f"Erasure request of {name}"
    ticket = company.add_ticket(ticket_id, REQUEST, title, description, reporter, subject=mail_id, **columns)
    hours = draws.integer("request.age", 1, 30, ticket_id)
    return ticket, int(company.start - ticket["created_at"] + hours * HOUR)


def add_hold(
    writer: FileWriter, customer: Customer, covers: str, *, known: bool, fresh: bool
) -> tuple[Row, Row]:
    """Add a legal hold and the metric that says whether it is in force, now and after a refresh."""
    company, hold_id = writer.company, writer.new_id("LH")
    matter = company.draws.choice("hold.matter", words.MATTERS, hold_id)
    fields = {"customer_no": customer.number, "matter": matter, "covers": covers}
    hold = company.add_record(hold_id, HOLD, f"Legal hold {hold_id}", fields, "active")
    metric = company.add_metric(
        HOLD_METRIC,
        hold_id,
        float(known),
        "flag",
        metric_id=writer.new_id("MET"),
        age_s=company.draws.integer("hold.age", 4, 30, hold_id) * DAY,
        ttl_s=DAY,
        refresh_s=REFRESH_S,
        values=[float(fresh)],
    )
    return hold, metric


def served(company: Company, cast: Cast, number: int) -> None:
    """Write a customer with a few objects that the company holds about them."""
    draws = company.draws
    writer = FileWriter(company, company.numbers.next, somebody(company, "care", number))
    customer = writer.customer()
    is_invoiced = draws.chance("served.invoice", 0.5, number)
    invoiced = draws.integer("served.invoiced", 30, 4000, number) if is_invoiced else 0
    order = writer.order(customer, max(invoiced, draws.integer("served.order", 30, 2000, number)))
    if is_invoiced:
        writer.invoice(customer, order, invoiced)
    others: tuple[Callable[[], HeldObject], ...] = (
        lambda: writer.form(customer, draws.choice("served.form", words.FORMS, number)),
        lambda: writer.letter(customer),
        lambda: writer.mail(customer),
        lambda: writer.portal(customer),
        lambda: writer.minutes(customer, order),
    )
    draws.choice("served.other", others, number)()
    _, case = writer.case(customer, order)
    if draws.chance("served.goodwill", 0.3, number):
        writer.goodwill(customer, case, cast.offices[HEAD])
    if draws.chance("served.hold", 0.15, number):
        add_hold(writer, customer, "everything", known=True, fresh=draws.chance("served.held", 0.5, number))


def forgot(company: Company, cast: Cast, number: int) -> None:
    """Write a completed erasure, of which only the ticket and the mail are left."""
    writer = FileWriter(company, company.numbers.next, somebody(company, "care", number))
    customer = writer.customer()
    company.rows["datahub"]["records"].remove(customer.record)
    worker = somebody(company, "forgot.by", number)
    mail_id = company.numbers.next("MSG")
    _, age_s = open_request(
        company,
        company.numbers.next("TD"),
        customer.name,
        mail_id,
        customer.number,
        writer.staff,
        acts=("assigned", "closed"),
        status="closed",
        assignee=worker.id,
        priority=company.draws.choice("forgot.priority", ("low", "medium"), number),
        resolution="Erased and answered.",
    )
    text = company.draws.choice("forgot.mail", words.OWN_MAIL, number)
    text = text.format(who=customer.name, number=customer.number)
    company.add_message(customer.mail, TEAM, "My data", text, age_s=age_s, message_id=mail_id)


def _kind(kind: str, name: str) -> TicketKind:
    return TicketKind(kind, name, ("low", "medium", "high"), _ROLES, _REQUIRED_FIELDS, needs_approval=False)


PACK: Final = Pack(
    name="care",
    ticket_kinds=(_kind(REQUEST, "Erasure request"), _kind(CASE, "Customer case")),
    approval_types=(
        ApprovalType(
            SPECIAL,
            "Erasure of special data",
            "Lets records of special categories be erased. The data protection officer decides.",
            (
                FormField("customer_no", "string", "Number of the customer."),
                FormField("objects", "integer", "How many records of special categories are to be erased."),
            ),
            (Band(OFFICER),),
        ),
        ApprovalType(
            GOODWILL,
            "Goodwill",
            "Pays a customer something for their trouble.",
            (
                FormField("customer_no", "string", "Number of the customer."),
                FormField("amount", "number", "What is paid, in EUR."),
            ),
            (Band(HEAD),),
        ),
    ),
    record_kinds=(CUSTOMER, ORDER, INVOICE, HOLD, *words.FORMS),
    offices=(Office(OFFICER, TEAM), Office(HEAD, "Care")),
    teams=((TEAM, ROLE), ("Care", "care_agent")),
    stories=(served, served, forgot),
)
