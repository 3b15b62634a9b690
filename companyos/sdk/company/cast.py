"""The people that a task needs: approvers, deputies, the reporter, and the agent's own persona."""

from collections.abc import Mapping
from dataclasses import dataclass

from .company import Company
from .packs.content import Content
from .packs.pack import Office
from .staff import Person


@dataclass(frozen=True)
class Cast:
    """The people of a task; `offices` holds the one person in each office of the packs."""

    content: Content
    offices: Mapping[str, Person]
    persona: Person
    reporter: Person

    def deputy(self, role: str) -> Person:
        """Return the deputy of a role's holder."""
        return self.offices[self.content.deputy(role)]

    @property
    def worker(self) -> Person:
        """The person who did the groundwork."""
        return self.offices[self.content.workplace.worker]

    @property
    def checker(self) -> Person:
        """The person who verified the groundwork."""
        return self.offices[self.content.workplace.checker]

    @property
    def author(self) -> Person:
        """The author of comments on tickets."""
        return self.offices[self.content.workplace.author]


def hire_cast(
    company: Company,
    *,
    persona_role: str,
    team: str,
    original: bool,
    reporter: tuple[str, str] | None = None,
) -> Cast:
    """Hire everybody a task needs.

    Args:
        company: The company that hires.
        persona_role: The role of the agent's persona.
        team: The team of the persona.
        original: Whether to use the names that the offices give, as the original seeds do.
        reporter: The team and role of the reporter; by default those that the workplace names.
    """
    content = company.content
    offices: dict[str, Person] = {}
    # Namesakes come last, because they take their family name from somebody already hired.
    for office in sorted(content.offices.values(), key=lambda one: one.role in content.namesakes):
        offices[office.role] = _hire(company, office, offices, original=original)
    reporters_role, department = content.workplace.reporter
    department, reporters_role = reporter or (department, reporters_role)
    cast = Cast(
        content,
        offices,
        persona=company.hire(new_name(company, "persona"), persona_role, team),
        reporter=company.hire(new_name(company, "reporter"), reporters_role, department),
    )
    if content.groundwork is not None:
        # Groundwork may block the persona's ticket, whatever role the scenario gives them.
        company.let_verify(content.groundwork.kind, persona_role)
    for role in content.offices:
        if types := content.deciding(role):
            company.delegate(offices[role], cast.deputy(role), types)
    return cast


def new_name(company: Company, draw_name: str, number: int = 0, *, last: str | None = None) -> str:
    """Return a name that nobody in the company has, with the family name `last` if given."""
    taken, attempt = {person.name for person in company.people}, 0
    workplace = company.content.workplace
    while True:
        first = company.draws.choice("first_name", workplace.first_names, draw_name, number, attempt)
        family = last or company.draws.choice("last_name", workplace.last_names, draw_name, number, attempt)
        if (name := f"{first} {family}") not in taken:
            return name
        attempt += 1


def _hire(company: Company, office: Office, offices: Mapping[str, Person], *, original: bool) -> Person:
    named_after = offices.get(company.content.namesakes.get(office.role, ""))
    family = named_after.name.split()[-1] if named_after else None
    known = office.original if original else None
    name = known or new_name(company, office.role, last=family)
    return company.hire(name, office.role, office.department)
