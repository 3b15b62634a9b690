"""The pack of support triage: its kinds of ticket and record, and past support cases."""

from typing import Any, Final

from companyos.sdk.company import Cast, Company, Pack, Person, Row, TicketKind, new_name
from companyos.sdk.company.areas.support import place, start_clock
from companyos.sdk.documents import Template
from companyos.sdk.simtime import DAY, HOUR

from .content import CHATTER, CUSTOMERS, QUESTIONS, TIERS, Topic

CASE: Final = "support_case"
INCIDENT: Final = "incident"
ACCOUNT: Final = "account"
SERVICE: Final = "export_service"
ROLE, TEAM = "support_agent", "Support"
CONTRACT: Final = Template(
    "Contract with {name} ({id}) about the use of our product.\n\n## Service\n\n"
    "Support tier: {tier}\n\n## Term\n\nTwelve months, renewed by agreement.\n"
)
CONTACT: Final = "customer_contact"


def new_account(company: Company, name: str, tier: str, served_by: str, account_id: str) -> Row:
    """Add the record of a customer."""
    fields = {"tier": tier, "served_by": served_by, "since": f"{2019 + len(name) % 10}"}
    return company.add_record(account_id, ACCOUNT, name, fields, "active")


def contact_of(company: Company, account: Row) -> Person:
    """Add the person who writes on behalf of a customer."""
    return company.hire(new_name(company, f"contact.{account['id']}"), CONTACT, account["name"])


def add_contract(company: Company, account: Row, author: Person, tier: str, **columns: Any) -> Row:
    """Add an edition of a customer's contract, with its tier; `columns` are those of a document."""
    title = f"Contract with {account['name']} ({account['id']})"
    body = CONTRACT.write(name=account["name"], id=account["id"], tier=tier)
    return company.add_document("contract", title, "sales", author, body, links=[account["id"]], **columns)


def wording(company: Company, topic: Topic, thing: str, key: str) -> tuple[str, str]:
    """Return the title and the text of a customer's ticket about a thing."""
    draws = company.draws
    title, text = draws.choice("case.ask", topic.asks, topic.id, key)
    remarks = draws.sample("case.said", CHATTER, draws.integer("case.chatter", 0, 2, key), key)
    return title.format(thing=thing), " ".join([text.format(thing=thing), *remarks])


def _answered_before(company: Company, cast: Cast, number: int) -> None:
    """Write a customer, their contract, and a case that was answered long ago."""
    draws = company.draws
    customer = f"{draws.choice('customer', CUSTOMERS, number)} {draws.choice('place', _PLACES, number)}"
    tier = draws.choice("tier", TIERS, number)
    account = new_account(company, customer, tier, "none", company.numbers.next("ACC"))
    age_s = draws.integer("contract.age", 30, 300, number) * DAY
    add_contract(company, account, cast.author, tier, age_s=age_s, document_id=company.numbers.next("DOC"))
    contact = contact_of(company, account)
    topic = draws.choice("old.topic", QUESTIONS, number)
    thing = f"{topic.prefix}-{draws.integer('old.thing', 1000, 4999, number)}"
    title, text = wording(company, topic, thing, f"old.{number}")
    ticket = company.add_ticket(
        company.numbers.next("TD"),
        CASE,
        title,
        text,
        contact,
        status="closed",
        priority=draws.choice("old.priority", ("low", "medium"), number),
        subject=account["id"],
        resolution="Answered.",
    )
    queue = draws.choice("old.queue", ("billing", "care", "privacy"), number)
    place(company, ticket, queue, at=company.start - draws.integer("old.age", 3, 60, number) * DAY)
    start_clock(company, ticket, tier, answered_at=ticket["created_at"] + HOUR)


_PLACES: Final = ("Ltd", "GmbH", "SARL", "Inc", "AB", "BV")
_ALL: Final = ("low", "medium", "high", "urgent")

PACK: Final = Pack(
    name="support",
    ticket_kinds=(
        TicketKind(CASE, "Support case", _ALL, (ROLE,), ("priority", "subject"), needs_approval=False),
        TicketKind(INCIDENT, "Incident", _ALL, (ROLE,), ("priority", "subject"), needs_approval=False),
    ),
    record_kinds=(ACCOUNT, SERVICE),
    teams=((TEAM, ROLE),),
    stories=(_answered_before, _answered_before),
)
