"""The org chart: reporting lines, with managers filled in for everybody who has none."""

from collections.abc import Mapping, Sequence

from ..company import Company
from ..rows import Row
from ..staff import Person


def report_to(company: Company, person: Person, manager: Person) -> None:
    """Set a person's manager."""
    company.row("datahub", "people", person.id)["manager"] = manager.id


def complete_org_chart(company: Company) -> None:
    """Give everybody without a manager one: the head of their team, or for heads the head of the company.

    A team's head is its first member who holds an office, or else its first member. The head of the company
    is the head of the first team. Nobody reports to somebody whom they manage, directly or not, so whoever is
    at the top reports to nobody.
    """
    people: Sequence[Row] = company.rows["datahub"]["people"]
    offices, heads = company.content.offices, dict[str, str]()
    for person in sorted(people, key=lambda one: one["role"] not in offices):
        heads.setdefault(person["team"], person["id"])
    chief = next(iter(heads.values()), None)
    managers: dict[str, str | None] = {person["id"]: person["manager"] for person in people}
    for person in people:
        if person["manager"] is None and person["id"] != chief:
            above = (heads[person["team"]], chief)
            may_lead = (one for one in above if one and not _is_managed(one, person["id"], managers))
            person["manager"] = managers[person["id"]] = next(may_lead, None)


def _is_managed(person_id: str, by: str, managers: Mapping[str, str | None]) -> bool:
    """Return whether somebody is a person or reports to them, directly or not."""
    above: str | None = person_id
    while above is not None and above != by:
        above = managers[above]
    return above is not None
