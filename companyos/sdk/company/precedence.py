"""Precedence of conflicting records: a rule for each kind of record, stored like any other record."""

from typing import Final

from .company import Company
from .packs.content import RULE
from .packs.pack import Ledger
from .rows import Row

#: The field that records and ledger entries share, and whose values may conflict.
DISPUTED: Final = "cost_centre"


def lay_down(company: Company) -> None:
    """Add the rules of precedence: one for each kind of record, if there is a ledger."""
    if (ledger := company.content.ledger) is None:
        return
    for kind in company.content.record_kinds:
        _lay_down(company, kind, ledger.kind)


def _lay_down(company: Company, kind: str, booked: str) -> None:
    authority = company.draws.choice("precedence", (kind, booked), kind)
    fields = {
        "records": kind,
        "field": DISPUTED,
        "authority": authority,
        "text": f"If a record of kind {kind} and one of kind {booked} differ in {DISPUTED}, "
        f"the record of kind {authority} is authoritative.",
    }
    record_id = company.numbers.reserve("RULE")
    company.add_record(record_id, RULE, f"Precedence: {DISPUTED} of a {kind}", fields, "active")


def authority(company: Company, kind: str) -> str:
    """Return the kind of record that takes precedence over this kind."""
    rules = (row["fields"] for row in company.rows["datahub"]["records"] if row["kind"] == RULE)
    return str(next(rule["authority"] for rule in rules if rule["records"] == kind))


def allocate(company: Company, ledger: Ledger, record: Row, cost_centre: str) -> Row:
    """Add a ledger's record for a record, and link the record to it."""
    fields = {"about": record["id"], DISPUTED: cost_centre}
    name = ledger.title.format(name=record["name"])
    allocation = company.add_record(
        company.numbers.reserve(ledger.prefix), ledger.kind, name, fields, "active"
    )
    record["fields"]["see_also"] = allocation["id"]
    return allocation
