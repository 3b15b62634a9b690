"""Background of the people team: sections of the handbook."""

from companyos.sdk.company import Cast, Company, cost_centre, old_ticket, settle, unused_name

from . import names
from .approvals import HANDBOOK_APPROVAL


def handbook_section(company: Company, cast: Cast, number: int) -> None:
    """Write a section of the handbook and its update."""
    record_id, section = company.numbers.next("HB"), company.draws.choice("section", names.SECTIONS, number)
    fields = {"cost_centre": cost_centre(company, number)}
    name = unused_name(
        company, f"{section} {company.draws.integer('edition', 2021, 2028, number)}", record_id
    )
    record = company.add_record(record_id, "handbook_section", name, fields, "active")
    headcount = company.draws.integer("headcount", 5, 40, number)
    ticket = old_ticket(
        company,
        number,
        "handbook",
        f"Publish {name}",
        record,
        name=name,
        value=f"{headcount} people",
    )
    settle(company, cast, ticket, HANDBOOK_APPROVAL, {"headcount": headcount})
