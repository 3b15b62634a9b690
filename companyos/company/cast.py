"""The people a task needs: who decides what, who stands in for whom, who asks, and who the agent is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from . import names, policy
from .company import Company, Person

#: Who holds these roles in the first seeds, after the first tasks this company was made for.
ORIGINAL: Final[Mapping[str, str]] = {
    "cfo": "Sarah Chen",
    "controller": "David Kim",
    "operations_lead": "Dana Kim",
    "cto": "Mike Ross",
    "hr_lead": "Priya Nair",
    "procurement": "Tom Baker",
}

_OFFICES: Final = (
    ("cfo", "Finance"),
    ("cto", "Engineering"),
    ("hr_lead", "People"),
    ("procurement", "Purchasing"),
    ("finance_director", "Finance"),
    ("legal_counsel", "Legal"),
    ("manager", "Finance"),
    ("controller", "Finance"),
    ("operations_lead", "Operations"),
    ("chief_of_staff", "Operations"),
)
#: Role of the person who stands in for a role; the two Kims of the original are easily taken for each other.
_DEPUTIES: Final = {"cfo": "controller", "finance_director": "operations_lead"}


@dataclass(frozen=True)
class Cast:
    """The people of a task; `offices` holds the one person of each deciding role and of those who stand in."""

    offices: Mapping[str, Person]
    persona: Person
    reporter: Person

    def deputy(self, role: str) -> Person:
        """Return who stands in for the holder of a role."""
        return self.offices[_DEPUTIES.get(role, "chief_of_staff")]


def hire_cast(company: Company, *, persona_role: str, team: str, original: bool) -> Cast:
    """Hire everybody a task needs; in the original their names are those of `ORIGINAL`."""
    known = ORIGINAL if original else {}
    offices: dict[str, Person] = {}
    for role, department in _OFFICES:
        name = known.get(role) or _office_name(company, role, offices)
        offices[role] = company.hire(name, role, department)
    cast = Cast(
        offices,
        persona=company.hire(new_name(company, "persona"), persona_role, team),
        reporter=company.hire(new_name(company, "reporter"), "coordinator", "Operations"),
    )
    for role in ("cfo", "cto", "hr_lead", "procurement", "finance_director", "legal_counsel", "manager"):
        company.delegate(offices[role], cast.deputy(role), delegation_of(role))
    return cast


def delegation_of(role: str) -> tuple[str, ...]:
    """Return the approval types that a full delegation of this role covers."""
    return {
        "cfo": (policy.VENDOR_APPROVAL, policy.EXPENSE_APPROVAL),
        "cto": (policy.ESCALATION_APPROVAL,),
        "hr_lead": (policy.HANDBOOK_APPROVAL,),
        "legal_counsel": (policy.HANDBOOK_APPROVAL,),
        "procurement": (policy.LICENSE_APPROVAL,),
        "finance_director": (policy.EXPENSE_APPROVAL, policy.LICENSE_APPROVAL),
        "manager": (policy.EXPENSE_APPROVAL,),
    }.get(role, ())


def new_name(company: Company, what: str, number: int = 0, *, last: str | None = None) -> str:
    """Return a name that nobody in the company has; of this family if `last` is given."""
    taken, attempt = {person.name for person in company.people}, 0
    while True:
        first = company.draws.choice("first_name", names.FIRST, what, number, attempt)
        family = last or company.draws.choice("last_name", names.LAST, what, number, attempt)
        if (name := f"{first} {family}") not in taken:
            return name
        attempt += 1


def _office_name(company: Company, role: str, offices: Mapping[str, Person]) -> str:
    kin = offices["controller"].name.split()[-1] if role == "operations_lead" else None
    return new_name(company, role, last=kin)
