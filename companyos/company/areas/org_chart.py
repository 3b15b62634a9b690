"""The org chart: who reports to whom, filled in for everybody whose manager is not given."""

from collections.abc import Sequence

from ..company import Company
from ..rows import Row
from ..staff import Person


def report_to(company: Company, person: Person, manager: Person) -> None:
    """Let a person report to another."""
    company.row("datahub", "people", person.id)["manager"] = manager.id


def manager_of(company: Company, person: Person) -> str | None:
    """Return the person id of a person's manager, if one is known yet."""
    manager: str | None = company.row("datahub", "people", person.id)["manager"]
    return manager


def complete_org_chart(company: Company) -> None:
    """Give everybody a manager: the head of their team, and to heads the head of the company.

    A team's head is the first of its people who holds an office, or else the first of them. The head of the company is
    the head of the first team.
    """
    people: Sequence[Row] = company.rows["datahub"]["people"]
    offices, heads = company.content.offices, dict[str, str]()
    for person in sorted(people, key=lambda one: one["role"] not in offices):
        heads.setdefault(person["team"], person["id"])
    chief = next(iter(heads.values()), None)
    for person in people:
        head = heads[person["team"]]
        above = head if person["id"] != head else chief
        if person["manager"] is None and person["id"] != chief:
            person["manager"] = above
