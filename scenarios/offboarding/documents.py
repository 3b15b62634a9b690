"""The texts of the task: how a company lets people go, who takes over, and what must stay."""

from collections.abc import Mapping, Sequence

from companyos.company import Company, Person, Row
from companyos.sdk.simtime import DAY

CHECKLIST, SYSTEMS = "Checklist for people who leave or move", "Systems by team"
MANAGER, ABSENT_MANAGER = "the manager of the person who leaves", "the manager of the absent person"

_IN_FORCE = """\
# {title}

## What counts
What a mail or a ticket says about somebody is hearsay. The employee record (kind `employee`) says whether the person \
leaves or moves (`change`), from when (`effective_on`) and, for a move, to which team.

## Before anything else
Have the metrics `legal_holds` and `delegations_in_force` about the employee record refreshed; old values count for \
nothing. While a legal hold is in force nothing of the person's may change: decline with `legal_hold` and name the \
metric.

## Work
Open tickets assigned to the person, and reports and metrics that they own, go to whoever their handover form names \
for the project. Whoever is on leave takes nothing over. What has no successor goes to the person's manager. Tickets \
that they merely reported, and closed ones, stay as they are.

## Decisions
Where the person stands in for somebody who is absent, the directory may be out of date; `delegations_in_force` is \
not. A delegation in force goes to {to}, for the same types of approval, and so do the requests that wait under it. \
One that has lapsed is removed, and the requests go to another holder of the role.

## Access
Access goes last: once it is revoked, what the person owns is locked and what waits for them is void. Access by role \
ends; on a move only what the list "Systems by team" does not have for the new team. Access by exception follows \
the document that its note names: it stays if that says a day after the one in `effective_on`, and ends otherwise. \
An account that others use as well is never revoked: it goes to the person's manager.

## The end
For somebody who leaves: suspend the account, never purge it, and file one ticket of the kind `equipment` with the \
employee record as its subject. For a move do neither.
"""

_OLD = """\
# {title}

## Work
Everything goes to the person's manager.

## Access
Revoke all access first, the same morning, so that nothing can happen any more. Then hand over the tickets.

## The end
Purge the account.
"""

_DRAFT = """\
# {title}

For discussion: could the handover form be dropped, and all work go to whoever has the fewest tickets? Accounts \
would be purged after a week, and equipment collected by the porter without a ticket.
"""


def write_handbook(company: Company, author: Person, *, delegations_go_to: str) -> None:
    """Write the checklist, with its former edition and a draft of the next."""
    texts = (("superseded", _OLD, 900), ("in_force", _IN_FORCE, 200), ("draft", _DRAFT, 12))
    former: str | None = None
    for status, text, days in texts:
        body = text.format(title=CHECKLIST, to=delegations_go_to)
        written = company.add_document(
            "handbook",
            CHECKLIST,
            "People",
            author,
            body,
            age_s=days * DAY,
            status=status,
            supersedes=former,
        )
        former = written["id"]


def write_systems(company: Company, author: Person, systems: Mapping[str, Sequence[str]]) -> None:
    """Write which systems the people of each team have access to."""
    lines = "\n".join(f"- {team}: {', '.join(names)}" for team, names in systems.items())
    body = f"# {SYSTEMS}\n\nWhat comes with a role in a team, and nothing else.\n\n{lines}\n"
    company.add_document("policy", SYSTEMS, "Operations", author, body, age_s=150 * DAY)


def write_handover(company: Company, leaver: Person, successors: Sequence[tuple[Row, Person]]) -> None:
    """Write the form on which somebody names their successors, and an earlier one with other names."""
    title = f"Handover form of {leaver.name}"
    people = [person for _, person in successors]
    former: str | None = None
    for status, named, days in (("superseded", [*people[1:], people[0]], 20), ("in_force", people, 4)):
        pairs = zip((project for project, _ in successors), named, strict=True)
        lines = "\n".join(f"- {project['id']}, {project['name']}: {person.name}" for project, person in pairs)
        body = f"# {title}\n\n## Who takes over\n{lines}\n\nI have shown them everything.\n"
        written = company.add_document(
            "form",
            title,
            leaver.team,
            leaver,
            body,
            age_s=days * DAY,
            status=status,
            supersedes=former,
            links=[project["id"] for project, _ in successors],
        )
        former = written["id"]


def write_retention(company: Company, author: Person, holder: Person, system: str, until: str) -> Row:
    """Write until when somebody's access to an archive has to stay, for an audit."""
    title = f"Audit access to {system}"
    body = (
        f"# {title}\n\nThe auditors work with {holder.name}'s account. Its access to `{system}` has to stay until "
        f"{until}, when the audit closes. It is not needed after that day.\n"
    )
    return company.add_document("minutes", title, "Finance", author, body, age_s=60 * DAY)
