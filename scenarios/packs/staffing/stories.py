"""Background of staffing: people who left, and projects with their work, data and access."""

from companyos.sdk.company import (
    Cast,
    Company,
    NewId,
    Person,
    Row,
    add_entitlement,
    old_ticket,
    own,
    somebody,
)
from companyos.sdk.simtime import DAY, to_date

from . import names

OFFBOARDING, EQUIPMENT, WORK = "offboarding", "equipment", "project_work"
EMPLOYEE, PROJECT, REPORT = "employee", "project", "report"
HOLDS, DELEGATIONS = "legal_holds", "delegations_in_force"
REFRESH_S = 600


def employee(company: Company, record_id: str, person: Person, **fields: str | None) -> Row:
    """Add a person's employee record; `fields` override the values of a person who stays."""
    usual = {
        "person": person.id,
        "team": person.team,
        "change": "none",
        "effective_on": None,
        "new_team": None,
    }
    return company.add_record(
        record_id, EMPLOYEE, f"{person.name} ({record_id})", {**usual, **fields}, "active"
    )


def add_registers(
    company: Company, record: Row, new_id: NewId, *, holds: tuple[int, int], delegations: tuple[int, int]
) -> None:
    """Add the metrics of both registers about an employee: legal holds and delegations, old and refreshed."""
    for name, unit, (known, fresh) in ((HOLDS, "holds", holds), (DELEGATIONS, "delegations", delegations)):
        company.add_metric(
            name,
            record["id"],
            float(known),
            unit,
            metric_id=new_id("MET"),
            age_s=company.draws.integer("register.age", 3, 20, record["id"], name) * DAY,
            ttl_s=DAY,
            refresh_s=REFRESH_S,
            values=[float(fresh)],
        )


def has_record(company: Company, person: Person) -> bool:
    """Return whether a person already has an employee record."""
    records = company.rows["datahub"]["records"]
    return any(row["kind"] == EMPLOYEE and row["fields"]["person"] == person.id for row in records)


def leaver(company: Company, cast: Cast, number: int) -> None:
    """Write a past off-boarding, or the access of a person who stays."""
    person = somebody(company, "leaver", number)
    if has_record(company, person):
        return
    last_day = to_date(company.start + company.draws.integer("leaver.day", 20, 90, number) * DAY)
    changes = (("none", None), ("leaves", last_day), ("none", None))
    change, day = company.draws.choice("leaver.change", changes, number)
    record = employee(company, company.numbers.next("EMP"), person, change=change, effective_on=day)
    add_registers(company, record, company.numbers.next, holds=(0, 0), delegations=(0, 0))
    for system in company.draws.sample("leaver.systems", (*names.COMMON, *names.SYSTEMS), 2, number):
        add_entitlement(company, person, system, somebody(company, "leaver.owner", number))
    title = f"Equipment of {person.name}" if change == "none" else f"Off-boarding of {person.name}"
    old_ticket(
        company, number, EQUIPMENT if change == "none" else OFFBOARDING, title, record_of(company, record)
    )


def record_of(company: Company, record: Row) -> Row:
    """Return a record with the cost centre that tickets about it name."""
    center = f"CC-{company.draws.integer('staffing.center', 100, 899, record['id'])}"
    return {**record, "fields": {**record["fields"], "cost_centre": center}}


def project(company: Company, cast: Cast, number: int) -> None:
    """Write a project with its report, the report's owner, and a ticket about it."""
    lead = somebody(company, "project.lead", number)
    record = add_project(company, company.numbers.next("PRJ"), lead.team)
    report = add_report(company, company.numbers.next("RPT"), record)
    own(company, lead, report)
    title = work_on(company, record, number)
    old_ticket(company, number, WORK, title, record_of(company, record))


def add_project(company: Company, record_id: str, team: str) -> Row:
    """Add a project."""
    name = company.draws.choice("project.name", names.PROJECTS, record_id)
    return company.add_record(record_id, PROJECT, f"{name} ({record_id})", {"team": team}, "active")


def add_report(company: Company, record_id: str, about: Row | None) -> Row:
    """Add a report of a project, or of none."""
    name = company.draws.choice("report.name", names.REPORTS, record_id)
    fields = {"project": about["id"] if about else None}
    return company.add_record(record_id, REPORT, f"{name} ({record_id})", fields, "active")


def work_on(company: Company, record: Row, *salt: str | int) -> str:
    """Return the title of a ticket about a project."""
    return company.draws.choice("work", names.WORK, *salt).format(project=record["name"].partition(" (")[0])
