"""What goes on in a company besides the task: staff, files, tickets and decisions, until it has its size."""

from collections.abc import Callable
from typing import Final

from companyos.simtime import DAY

from . import names, policy
from .cast import Cast, new_name
from .company import Company, Person
from .rows import Row

_MAX_STAFF: Final = 1500
#: Old figures have expired long ago and the others keep for longer than any episode, so nothing happens to them.
_LONG_S: Final = 500 * DAY

#: Statuses a ticket of the past can have, with what has been done to it.
_LIVES: Final = (
    ("new", ()),
    ("triage", ("assigned",)),
    ("verified", ("assigned", "verified")),
    ("in_progress", ("assigned", "verified", "transitioned")),
    ("done", ("assigned", "verified", "transitioned", "transitioned")),
    ("closed", ("assigned", "verified", "transitioned", "closed")),
    ("closed", ("assigned", "verified", "transitioned", "closed")),
)

#: Who decided the requests of the past: amounts were small and nobody was away.
_DECIDES: Final = {
    policy.VENDOR_APPROVAL: "cfo",
    policy.EXPENSE_APPROVAL: "manager",
    policy.ESCALATION_APPROVAL: "cto",
    policy.LICENSE_APPROVAL: "procurement",
    policy.HANDBOOK_APPROVAL: "hr_lead",
}

Story = Callable[[Company, Cast, int], None]


def fill(company: Company, cast: Cast) -> None:
    """Add staff and stories until the company has about as many rows as its size says."""
    for number in range(len(company.people), min(company.size // 25, _MAX_STAFF)):
        team, role = company.draws.choice("team", names.TEAMS, number)
        person = company.hire(new_name(company, "staff", number), role, team)
        _past_absence(company, person, number)
    number = 0
    while company.count() < company.size:
        company.draws.choice("story", _STORIES, number)(company, cast, number)
        number += 1


def _past_absence(company: Company, person: Person, number: int) -> None:
    if company.draws.chance("absence", 0.3, number):
        ended = company.start - company.draws.integer("absence.end", 1, 90, number) * DAY
        length = company.draws.integer("absence.length", 1, 14, number) * DAY
        reason = company.draws.choice("absence.reason", names.REASONS, number)
        company.send_away(person, ended - length, ended, reason)


def _vendor(company: Company, cast: Cast, number: int) -> None:
    draws, record_id = company.draws, company.numbers.next("V")
    stem, trade = draws.choice("vendor", names.VENDORS, number), draws.choice("trade", names.TRADES, number)
    name = f"{stem} {draws.choice('trade.name', trade, number)}"
    name = f"{name} {record_id}" if name in company.record_names else name
    score = float(draws.integer("score", 81, 98, number))
    fields = {
        "country": draws.choice("country", names.COUNTRIES, number),
        "cost_centre": cost_centre(company, number),
    }
    record = company.keep(record_id, "vendor", name, fields, "active")
    _figure(company, "compliance_score", record_id, score, "points", number)
    ticket = _ticket(company, cast, number, "vendor_onboarding", f"Onboard {name}", record)
    _settle(company, cast, ticket, policy.VENDOR_APPROVAL, {"vendor_name": name, "compliance_score": score})


def _expense(company: Company, cast: Cast, number: int) -> None:
    draws, record_id = company.draws, company.numbers.next("EXP")
    employee = _somebody(company, "employee", number)
    amount = draws.integer("amount", 4000, 90000, number) / 100
    title = f"{draws.choice('purpose', names.PURPOSES, number)}, {employee.name}"
    record = company.keep(
        record_id,
        "expense",
        title,
        {"employee": employee.id, "cost_centre": cost_centre(company, number)},
        "pending",
    )
    _figure(company, "expense_amount", record_id, amount, "EUR", number)
    ticket = _ticket(company, cast, number, "expense", f"Expense report {record_id}: {title}", record)
    _settle(company, cast, ticket, policy.EXPENSE_APPROVAL, {"report_id": record_id, "amount": amount})


def _bug(company: Company, cast: Cast, number: int) -> None:
    draws, record_id = company.draws, company.numbers.next("SVC")
    component = f"{draws.choice('component', names.COMPONENTS, number)} worker"
    rate = draws.integer("rate", 60, 120, number) / 10
    record = company.keep(
        record_id, "service", component, {"cost_centre": cost_centre(company, number)}, "active"
    )
    _figure(company, "error_rate", record_id, rate, "%", number)
    symptom = draws.choice("symptom", names.SYMPTOMS, number)
    ticket = _ticket(company, cast, number, "bug", f"{component}: {symptom.lower()}", record)
    _settle(company, cast, ticket, policy.ESCALATION_APPROVAL, {"error_rate": rate})


def _license(company: Company, cast: Cast, number: int) -> None:
    draws, record_id = company.draws, company.numbers.next("LIC")
    seats = draws.integer("seats", 5, 150, number)
    product = draws.choice("product", names.PRODUCTS, number)
    fields = {"seats": seats, "cost_centre": cost_centre(company, number)}
    record = company.keep(record_id, "contract", f"{product} licence {record_id}", fields, "active")
    _figure(company, "active_seats", record_id, float(seats), "seats", number)
    days = draws.integer("days", 90, 300, number)
    _figure(company, "days_to_expiry", record_id, float(days), "days", number)
    ticket = _ticket(company, cast, number, "license", f"Renew {product} ({record_id})", record)
    _settle(company, cast, ticket, policy.LICENSE_APPROVAL, {"seats": seats, "days_to_expiry": days})


def _handbook(company: Company, cast: Cast, number: int) -> None:
    record_id, section = company.numbers.next("HB"), company.draws.choice("section", names.SECTIONS, number)
    fields = {"cost_centre": cost_centre(company, number)}
    record = company.keep(record_id, "handbook_section", f"{section} ({record_id})", fields, "active")
    ticket = _ticket(company, cast, number, "handbook", f"Update the handbook: {section}", record)
    headcount = company.draws.integer("headcount", 5, 40, number)
    _settle(company, cast, ticket, policy.HANDBOOK_APPROVAL, {"headcount": headcount})


def _chore(company: Company, cast: Cast, number: int) -> None:
    _ticket(company, cast, number, "task", company.draws.choice("chore", names.CHORES, number), None)


_STORIES: Final[tuple[Story, ...]] = (_vendor, _vendor, _expense, _bug, _license, _handbook, _chore)


def cost_centre(company: Company, number: int, what: str = "cost_centre") -> str:
    """Return a drawn cost centre."""
    return f"CC-{company.draws.integer(what, 100, 899, number)}"


def register_number(company: Company, letter: str, number: int) -> str:
    """Return a drawn number by which the outside world knows something: a letter and eight digits."""
    return f"{letter}{company.draws.integer('goal.register', 10**7, 10**8 - 1, number)}"


def _somebody(company: Company, what: str, number: int) -> Person:
    return company.draws.choice(what, company.people, number)


def _figure(company: Company, name: str, subject: str, value: float, unit: str, number: int) -> None:
    days = company.draws.integer("age", 3, 45, name, number)
    expired = company.draws.chance("expired", 0.5, name, number)
    company.measure(name, subject, value, unit, age_s=days * DAY, ttl_s=2 * DAY if expired else _LONG_S)


def _ticket(company: Company, cast: Cast, number: int, kind: str, title: str, about: Row | None) -> Row:
    draws, reporter = company.draws, _somebody(company, "reporter", number)
    status, acts = draws.choice("life", _LIVES, number)
    worker = _somebody(company, "assignee", number)
    columns = _worked_on(company, worker, number, checked="verified" in acts) if acts else {}
    ticket = company.open(
        company.numbers.next("TD"),
        kind,
        title,
        f"{title}. Asked for by {reporter.team}.",
        reporter,
        acts=acts,
        status=status,
        subject=about["id"] if about else None,
        cost_centre=about["fields"]["cost_centre"] if about else cost_centre(company, number),
        resolution="Done as asked." if status == "closed" else None,
        **columns,
    )
    for remark in range(1, draws.integer("remarks", 0, 2, number) + 1):
        body = draws.choice("remark", names.REMARKS, number, remark)
        company.say(ticket, _somebody(company, f"author{remark}", number), body, number=remark)
    return ticket


def _worked_on(company: Company, worker: Person, number: int, *, checked: bool) -> dict[str, object]:
    given: dict[str, object] = {
        "assignee": worker.id,
        "priority": company.draws.choice("priority", ("low", "medium"), number),
    }
    if checked:
        checker = _somebody(company, "checker", number)
        given |= {
            "verified_by": checker.id,
            "verified_at": company.start - 2 * DAY,
            "evidence": "Checked the file.",
        }
    return given


def _settle(company: Company, cast: Cast, ticket: Row, type_id: str, fields: dict[str, object]) -> None:
    if ticket["status"] not in ("in_progress", "done", "closed"):
        return
    requester = next(person for person in company.people if person.id == ticket["assignee"])
    company.decided(ticket, type_id, fields, requester, cast.offices[_DECIDES[type_id]], "approved")
