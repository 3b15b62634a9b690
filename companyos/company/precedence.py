"""Which record counts where two disagree: a rule for each kind of record, to be looked up like any other record."""

from typing import Final

from .company import Company
from .rows import Row

RULE: Final = "rule"
#: The kind of record in which Finance keeps what is booked where.
ALLOCATION: Final = "cost_allocation"
#: The field that records of both kinds have.
DISPUTED: Final = "cost_centre"

_KINDS: Final = ("vendor", "expense", "service", "contract", "handbook_section")


def lay_down(company: Company) -> None:
    """Add the rules of precedence: one for each kind of record."""
    for kind in _KINDS:
        authority = company.draws.choice("precedence", (kind, ALLOCATION), kind)
        fields = {
            "records": kind,
            "field": DISPUTED,
            "authority": authority,
            "text": f"Where a {kind} and a {ALLOCATION} differ in {DISPUTED}, what the {authority} says counts.",
        }
        record_id = company.numbers.reserve("RULE")
        company.keep(record_id, RULE, f"Precedence: {DISPUTED} of a {kind}", fields, "active")


def authority(company: Company, kind: str) -> str:
    """Return the kind of record that counts where one of this kind is disagreed with."""
    rules = (row["fields"] for row in company.rows["datahub"]["records"] if row["kind"] == RULE)
    return str(next(rule["authority"] for rule in rules if rule["records"] == kind))


def allocate(company: Company, record: Row, cost_centre: str) -> Row:
    """Add what Finance has booked for a record, to which the record points."""
    fields = {"about": record["id"], DISPUTED: cost_centre}
    name = f"Cost allocation of {record['name']}"
    allocation = company.keep(company.numbers.reserve("CA"), ALLOCATION, name, fields, "active")
    record["fields"]["see_also"] = allocation["id"]
    return allocation
