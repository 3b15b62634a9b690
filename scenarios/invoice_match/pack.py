"""The pack of accounts payable: its people, its suppliers, and past purchases and payments."""

from typing import Final

from companyos.sdk.company import Cast, Company, Pack, Row, TicketKind, somebody
from companyos.sdk.company.areas.payables import add_order
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY

from . import words
from .trade import Trade

SUPPLIER: Final = "supplier"
CALL_BACK: Final = "call_back"
CLERK, TEAM = "payables_clerk", "Accounts Payable"
RECEIVER, GOODS_IN = "storekeeper", "Goods In"


def add_supplier(company: Company, name: str) -> Row:
    """Add a supplier's record with its phone number and its bank account."""
    record_id = company.numbers.next("SUP")
    draws = company.draws.about(record_id)
    fields = {
        "account": account_of(draws),
        "phone": phone_of(draws),
        "terms_days": draws.choice("supplier.terms", (14, 30, 45)),
        "discount_percent": draws.choice("supplier.discount", (2, 3)),
        "discount_days": draws.choice("supplier.discount.days", (7, 8, 10)),
    }
    return company.add_record(record_id, SUPPLIER, name, fields, "active")


def account_of(draws: Draws) -> str:
    """Return a drawn bank account."""
    bank = f"{draws.integer('iban', 10, 99)}{draws.integer('iban.bank', 10**7, 10**8 - 1)}"
    return f"DE{bank}{draws.integer('iban.number', 10**9, 10**10 - 1)}"


def phone_of(draws: Draws) -> str:
    """Return a drawn phone number."""
    return f"+49 {draws.integer('phone.area', 200, 990)} {draws.integer('phone', 10**5, 10**6 - 1)}"


def add_call_back(company: Company, supplier: Row, key: str, resolution: str | None) -> Row:
    """Add a ticket to call a supplier back: closed with a resolution, or still open."""
    draws, reporter = company.draws, somebody(company, f"call_back.{key}", 0)
    ticket_id = company.numbers.next("TD")
    acts = () if resolution is None else ("assigned", "transitioned", "closed")
    return company.add_ticket(
        ticket_id,
        CALL_BACK,
        f"Call back {supplier['name']}",
        company.describe(ticket_id, CALL_BACK, reporter, name=supplier["name"]),
        reporter,
        acts=acts,
        status="new" if resolution is None else "closed",
        assignee=None if resolution is None else draws.choice("called_by", company.people, key).id,
        subject=supplier["id"],
        resolution=resolution,
    )


def confirmed(company: Company, phone: str, account: str, key: str) -> str:
    """Return the resolution of a call-back that confirmed an account."""
    return company.draws.choice("confirmed", words.CONFIRMED, key).format(phone=phone, account=account)


def _bought(company: Company, cast: Cast, number: int) -> None:
    """Add an order, a delivery and its invoice, which is paid or assigned to another clerk."""
    draws = company.draws
    supplier = draws.choice("bought.supplier", _suppliers(company), number)
    clerks = [one for one in company.people if one.role == CLERK and one != cast.persona]
    receivers = [one for one in company.people if one.role == RECEIVER]
    waits = draws.chance("bought.waits", 0.25, number)
    days = draws.integer("bought.age", 1, 6, number) if waits else draws.integer("bought.old", 9, 70, number)
    trade = Trade(company, f"bought{number}", supplier, company.numbers.next)
    lines = trade.lines()
    order = add_order(
        company,
        company.numbers.next("PO"),
        supplier["id"],
        lines,
        ordered_by=somebody(company, "bought.by", number),
        receiver=draws.choice("bought.receiver", receivers, number),
        age_s=(days + draws.integer("bought.lead", 9, 30, number)) * DAY,
        closed_age_s=None if waits or draws.chance("bought.open", 0.5, number) else (days - 3) * DAY,
    )
    clerk = draws.choice("bought.clerk", clerks if waits else [*clerks, cast.persona], number)
    paid_after_s = None if waits else draws.integer("bought.paid", 1, 5, number) * DAY
    trade.bill_delivery(order, lines, clerk=clerk, age_s=days * DAY, paid_after_s=paid_after_s)


def _called_back(company: Company, cast: Cast, number: int) -> None:
    """Add a past call-back and the mail that led to it."""
    draws, key = company.draws, f"called{number}"
    supplier = draws.choice("called.supplier", _suppliers(company), number)
    if any(row["subject"] == supplier["id"] for row in company.rows["ticketdesk"]["tickets"]):
        return
    resolution = confirmed(company, supplier["fields"]["phone"], supplier["fields"]["account"], key)
    add_call_back(company, supplier, key, resolution if draws.chance("called.closed", 0.7, number) else None)


def _suppliers(company: Company) -> list[Row]:
    return [row for row in company.rows["datahub"]["records"] if row["kind"] == SUPPLIER]


def write_from(company: Company, supplier: Row, account: str, phone: str, age_s: int) -> Row:
    """Add a mail that announces new bank details in a supplier's name."""
    domain = supplier["name"].lower().replace(" ", "-")
    body = (
        f"Dear customer, our bank details have changed. Please pay all open invoices to {account} from now on, and "
        f"update your records. If you have questions, call us under {phone}. {supplier['name']}, accounts"
    )
    sender = f"accounts@{domain}.example"
    return company.add_message(sender, TEAM, "New bank details", body, age_s=age_s, about=supplier["id"])


PACK: Final = Pack(
    name="accounts_payable",
    ticket_kinds=(
        TicketKind(
            CALL_BACK,
            "Call-back",
            ("low", "medium", "high"),
            (CLERK,),
            ("assignee", "subject"),
            needs_approval=False,
            phrases=words.CALL_BACK,
        ),
    ),
    record_kinds=(SUPPLIER,),
    teams=(*((team, "technician") for team in words.TEAMS), (GOODS_IN, RECEIVER)),
    stories=(_bought, _bought, _called_back),
)
