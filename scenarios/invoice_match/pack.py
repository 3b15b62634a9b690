"""The pack of accounts payable: its people, its suppliers, and past purchases and payments."""

from collections.abc import Sequence
from typing import Final

from companyos.sdk.company import Cast, Company, Pack, Person, Row, TicketKind, somebody
from companyos.sdk.company.areas.payables import Article, add_invoice, add_order, add_receipt, pay_in_the_past
from companyos.sdk.simtime import DAY

from . import words
from .words import Ware

SUPPLIER: Final = "supplier"
CALL_BACK: Final = "call_back"
CLERK, TEAM = "payables_clerk", "Accounts Payable"
RECEIVER, GOODS_IN = "storekeeper", "Goods In"
#: The range of delivery note numbers and suppliers' numbers.
_DIGITS: Final = (10_000, 99_999)
_STYLES: Final = ("RE-{}", "F{}", "INVC/{}", "{}-A", "R {}")


def add_supplier(company: Company, name: str) -> Row:
    """Add a supplier's record with its phone number and its bank account."""
    record_id = company.numbers.next("SUP")
    fields = {
        "account": account_of(company, record_id),
        "phone": phone_of(company, record_id),
        "terms_days": company.draws.choice("supplier.terms", (14, 30, 45), record_id),
        "discount_percent": company.draws.choice("supplier.discount", (2, 3), record_id),
        "discount_days": company.draws.choice("supplier.discount.days", (7, 8, 10), record_id),
    }
    return company.add_record(record_id, SUPPLIER, name, fields, "active")


def account_of(company: Company, key: str) -> str:
    """Return a drawn bank account."""
    draws = company.draws
    return f"DE{draws.integer('iban', 10, 99, key)}{draws.integer('iban.bank', 10**7, 10**8 - 1, key)}" + str(
        draws.integer("iban.number", 10**9, 10**10 - 1, key)
    )


def phone_of(company: Company, key: str) -> str:
    """Return a drawn phone number."""
    draws = company.draws
    return f"+49 {draws.integer('phone.area', 200, 990, key)} {draws.integer('phone', 10**5, 10**6 - 1, key)}"


def number_of(company: Company, supplier: Row, key: str) -> str:
    """Return a drawn invoice number in the supplier's style, which no other invoice of the supplier has."""
    style = company.draws.choice("number.style", _STYLES, supplier["id"])
    return style.format(company.numbers.draw_unused("number", *_DIGITS, key, owner=supplier["id"]))


def note_of(company: Company, key: str) -> str:
    """Return a drawn delivery note number, which no other delivery has."""
    return f"DN-{company.numbers.draw_unused('note', *_DIGITS, key)}"


def article(company: Company, line: int, ware: Ware, low: int, high: int, key: str) -> Article:
    """Return an order line whose cost is drawn from roughly `low` to `high`."""
    draws = company.draws
    cents = round(ware.price * draws.integer("price", 80, 125, key, line))
    price, least = cents / 100, 100 if ware.per > 1 else 10
    units = draws.integer("worth", low, high, key, line) * ware.per / price
    return Article(line, ware.text, max(least, int(units // least) * least), ware.unit, price, ware.per)


def articles(
    company: Company, key: str, low: int = 250, high: int = 1400, *, count: int | None = None
) -> list[Article]:
    """Return order lines, one to three unless their number is given, each costing roughly `low` to `high`."""
    number = count or company.draws.integer("lines", 1, 3, key)
    wares = company.draws.sample("wares", words.WARES, number, key)
    return [article(company, line, ware, low, high, key) for line, ware in enumerate(wares, start=1)]


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


def bill_delivery(
    company: Company,
    order: Row,
    supplier: Row,
    billed: Sequence[Article],
    *,
    note: str,
    clerk: Person,
    age_s: int,
    key: str,
    ids: tuple[str, str],
) -> Row:
    """Add a completely counted delivery, and its invoice two days later."""
    counts = {one.line: one.quantity for one in billed}
    add_receipt(company, ids[0], order, note, counts, age_s=age_s + 2 * DAY)
    return add_invoice(
        company,
        ids[1],
        number_of(company, supplier, key),
        supplier["id"],
        billed,
        clerk=clerk,
        age_s=age_s,
        account=supplier["fields"]["account"],
        order_id=order["id"],
        delivery_note=note,
        currency=order["currency"],
    )


def _bought(company: Company, cast: Cast, number: int) -> None:
    """Add an order, a delivery and its invoice, which is paid or assigned to another clerk."""
    draws, key = company.draws, f"bought{number}"
    supplier = draws.choice("bought.supplier", _suppliers(company), number)
    clerks = [one for one in company.people if one.role == CLERK and one != cast.persona]
    receivers = [one for one in company.people if one.role == RECEIVER]
    waits = draws.chance("bought.waits", 0.25, number)
    days = draws.integer("bought.age", 1, 6, number) if waits else draws.integer("bought.old", 9, 70, number)
    age_s = days * DAY
    lines = articles(company, key)
    order = add_order(
        company,
        company.numbers.next("PO"),
        supplier["id"],
        lines,
        ordered_by=somebody(company, "bought.by", number),
        receiver=draws.choice("bought.receiver", receivers, number),
        age_s=age_s + draws.integer("bought.lead", 9, 30, number) * DAY,
        closed_age_s=None if waits or draws.chance("bought.open", 0.5, number) else age_s - 3 * DAY,
    )
    ids = company.numbers.next("GR"), company.numbers.next("INV")
    clerk = draws.choice("bought.clerk", clerks if waits else [*clerks, cast.persona], number)
    note = note_of(company, key)
    invoice = bill_delivery(
        company, order, supplier, lines, note=note, clerk=clerk, age_s=age_s, key=key, ids=ids
    )
    if not waits:
        pay_in_the_past(company, invoice, clerk, after_s=draws.integer("bought.paid", 1, 5, number) * DAY)


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
