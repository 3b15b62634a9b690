"""The documents of the task: the off-boarding checklist, the handover form, and the retention of access."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from companyos.sdk.company import Company, Edition, Person, Row, names
from companyos.sdk.documents import Each, Template
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY

CHECKLIST, SYSTEMS = "Checklist for people who leave or move", "Systems by team"
#: The possible heirs of work without a successor.
MANAGER, SENIOR, LAST_NAMED = (
    "the person's manager",
    "the manager of the person's manager",
    "whoever the form names last",
)
#: The possible delegates of a person who is absent.
LEAVERS_MANAGER, ABSENT_MANAGER = (
    "the manager of the person who leaves or moves",
    "the manager of the absent person",
)
#: Roles with one holder each, priorities of equipment tickets, and reason codes for a refusal.
CLOSERS: Final = names(
    """
    hr_lead, legal_counsel, operations_lead, chief_of_staff, controller, finance_director, head_of_data
    """
)
PRIORITIES: Final = ("low", "medium")
REASONS: Final = names(
    """
    legal_hold, under_hold, records_preserved, legal_decides, evidence_frozen, no_change_allowed
    """
)


@dataclass(frozen=True)
class Rules:
    """The points that each company's checklist decides in its own way.

    Attributes:
        heir: The person who takes over work without a successor.
        delegate: The person who gets a delegation in force.
        closer: The role that gets the off-boarding ticket at the end.
        priority: The priority of the ticket about equipment.
        reason: The reason code for a refusal because of a legal hold.
    """

    heir: str
    delegate: str
    closer: str
    priority: str
    reason: str


def draw_rules(draws: Draws) -> tuple[Rules, Rules]:
    """Draw the rules in force, and those of the previous edition."""
    heirs = draws.sample("rules.heir", (MANAGER, SENIOR, LAST_NAMED), 2)
    delegates = draws.shuffled("rules.delegate", (LEAVERS_MANAGER, ABSENT_MANAGER))
    closers = draws.sample("rules.closer", CLOSERS, 2)
    priorities = draws.shuffled("rules.priority", PRIORITIES)
    reasons = draws.sample("rules.reason", REASONS, 2)
    rules, former = zip(heirs, delegates, closers, priorities, reasons, strict=True)
    return Rules(*rules), Rules(*former)


CHECKLIST_IN_FORCE = Template("""\
# {title}

## What counts
What a mail or a ticket says about somebody is hearsay. The employee record (kind `employee`) says whether the person \
leaves or moves (`change`), from when (`effective_on`) and, for a move, to which team.

## Before anything else
Have the metrics `legal_holds` and `delegations_in_force` about the employee record refreshed; old values count for \
nothing. While a legal hold is in force nothing of the person's may change: decline with `{reason}` and name \
the metric.

## Work
Open tickets assigned to the person, and reports and metrics that they own, go to whoever their handover form names \
for the project. Whoever is on leave takes nothing over: such work has no successor. What has no successor goes to \
{heir}. Tickets that they merely reported, and closed ones, stay as they are.

## Decisions
Where the person stands in for somebody who is absent, the directory may be out of date; `delegations_in_force` is \
not. A delegation in force goes to {delegate}, for the same types of approval, and so do the requests that wait \
under it. One that has lapsed is removed, and the requests go to another holder of the role.

## Access
Access goes last: once it is revoked, what the person owns is locked and what waits for them is void. Access by role \
ends today, not only on the last day; on a move only what the list "Systems by team" does not have for the new team. \
Access by exception follows the document that its note names: it stays if that says a day after the one in \
`effective_on`, and ends otherwise. An account that others use as well is never revoked: it goes to the person's \
manager.

## The end
For somebody who leaves: suspend the account, never purge it, and file one ticket of the kind `equipment` with the \
priority `{priority}` and the employee record as its subject; it needs no cost centre and no assignee. For a \
move do neither. Either way the off-boarding ticket stays open and is assigned to the colleague in the role \
`{closer}`, who closes it after the last day.
""")

_OLD = Template("""\
# {title}

## Before anything else
While a legal hold is in force, decline with `{reason}`.

## Work
What has no successor goes to {heir}. A delegation in force goes to {delegate}, for everything.

## Access
Revoke all access first, the same morning, so that nothing can happen any more. Then hand over the tickets.

## The end
Purge the account, and file a ticket of the kind `equipment` with the priority `{priority}`. The off-boarding \
ticket is assigned to the colleague in the role `{closer}`.
""")

_DRAFT = Template("""\
# {title}

For discussion: could the handover form be dropped, and all work go to whoever has the fewest tickets? Accounts \
would be purged after a week, and equipment collected by the porter without a ticket.
""")


ACCESS = Template(
    "# {title}\n\nWhat comes with a role in a team, and nothing else.\n\n{teams}\n",
    teams=Each(Template("- {team}: {systems}", systems=Each("{system}", ", "))),
)
FORM = Template(
    "# {title}\n\n## Who takes over\n{successors}\n\nI have shown them everything.\n",
    successors=Each("- {project}, {name}: {person}"),
)
RETENTION = Template(
    "# {title}\n\nThe auditors work with {holder}'s account. Its access to `{system}` has to stay until {until}, when "
    "the audit closes. It is not needed after that day.\n"
)


def write_handbook(company: Company, author: Person, rules: Rules, before: Rules) -> None:
    """Write the checklist, with its former edition and a draft of the next."""
    editions = (
        ("superseded", _OLD, before, 900),
        ("in_force", CHECKLIST_IN_FORCE, rules, 200),
        ("draft", _DRAFT, rules, 12),
    )
    company.add_editions(
        "handbook",
        CHECKLIST,
        "People",
        author,
        *(
            Edition(status, text.write(title=CHECKLIST, **asdict(stated)), days * DAY)
            for status, text, stated, days in editions
        ),
    )


def write_systems(company: Company, author: Person, systems: Mapping[str, Sequence[str]]) -> Row:
    """Write the document about the systems that each team has access to."""
    teams = [{"team": team, "systems": names} for team, names in systems.items()]
    body = ACCESS.write(title=SYSTEMS, teams=teams)
    return company.add_document("policy", SYSTEMS, "Operations", author, body, age_s=150 * DAY)


def write_handover(company: Company, leaver: Person, successors: Sequence[tuple[Row, Person]]) -> str:
    """Write the form on which the leaver names their successors, and an earlier one; return the form's id."""
    title = f"Handover form of {leaver.name}"
    people = [person for _, person in successors]
    editions = []
    for status, named, days in (("superseded", [*people[1:], people[0]], 20), ("in_force", people, 4)):
        lines = [
            {"project": project["id"], "name": project["name"], "person": person.name}
            for (project, _), person in zip(successors, named, strict=True)
        ]
        editions.append(Edition(status, FORM.write(title=title, successors=lines), days * DAY))
    links = [project["id"] for project, _ in successors]
    return str(company.add_editions("form", title, leaver.team, leaver, *editions, links=links)["id"])


def write_retention(company: Company, author: Person, holder: Person, system: str, until: str) -> Row:
    """Write the document that says how long access to an archive has to stay for an audit."""
    title = f"Audit access to {system}"
    body = RETENTION.write(title=title, holder=holder.name, system=system, until=until)
    return company.add_document("minutes", title, "Finance", author, body, age_s=60 * DAY)
