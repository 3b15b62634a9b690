"""The people of the task: the leaver, their manager, possible successors, and the data stewards."""

from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Cast, Company, Person, new_name
from companyos.sdk.company.areas.org_chart import report_to
from companyos.sdk.simtime import DAY
from scenarios.packs.staffing import DATA_RELEASE, STEWARD

from .documents import LAST_NAMED, MANAGER, SENIOR

TEAM, NEW_TEAM = "Research", "Data"
ROLE: Final = "researcher"


@dataclass(frozen=True)
class Staff:
    """The people around the leaver.

    Attributes:
        namesake: A colleague with the same family name as the leaver.
        successors: The people on the handover form; the first of them may be on leave.
        heir: The person who takes over work without a successor.
        named: The colleague whom the ticket names as successor.
        absent: A data steward on leave, for whom the leaver stands in.
        steward: The other data steward.
    """

    leaver: Person
    namesake: Person
    manager: Person
    successors: tuple[Person, Person]
    heir: Person
    named: Person
    absent: Person
    steward: Person
    head: Person
    first_is_away: bool

    def takes_over(self, number: int | None) -> Person:
        """Return who takes over a project's work, by its number on the form; None means no project."""
        if number is None or (number == 0 and self.first_is_away):
            return self.heir
        return self.successors[number]


def hire_staff(company: Company, cast: Cast, heir: str) -> Staff:
    """Hire everybody around the leaver, with their absences and the delegation.

    Args:
        company: The company.
        cast: Its offices.
        heir: The person who takes over work without a successor, in the words of the checklist.
    """
    leaver = company.hire(new_name(company, "leaver"), ROLE, TEAM)
    namesake = company.hire(new_name(company, "namesake", last=leaver.name.split()[-1]), ROLE, TEAM)
    manager = company.hire(new_name(company, "manager"), "research_lead", TEAM)
    others = [company.hire(new_name(company, "colleague", number), ROLE, TEAM) for number in range(3)]
    absent, head = cast.offices[STEWARD], cast.offices["head_of_data"]
    steward = company.hire(new_name(company, "steward"), STEWARD, "Data")
    first, second, named = others
    for person in (leaver, namesake, *others):
        report_to(company, person, manager)
    for person in (manager, absent, steward):
        report_to(company, person, head)
    company.delegate(absent, leaver, [DATA_RELEASE])
    _send_away(company, absent, "absent")
    first_is_away = company.draws.chance("successor_away", 0.4)
    if first_is_away:
        _send_away(company, first, "successor")
    return Staff(
        leaver=leaver,
        namesake=namesake,
        manager=manager,
        successors=(first, second),
        heir={MANAGER: manager, SENIOR: head, LAST_NAMED: second}[heir],
        named=named,
        absent=absent,
        steward=steward,
        head=head,
        first_is_away=first_is_away,
    )


def _send_away(company: Company, person: Person, draw_name: str) -> None:
    began = company.draws.integer("away.since", 1, 4, draw_name) * DAY
    days = company.draws.integer("away.days", 9, 20, draw_name) * DAY
    reason = company.draws.choice("away.why", company.content.workplace.leaves, draw_name)
    company.send_away(person, company.start - began, company.start + days, reason)
