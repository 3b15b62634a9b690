"""What a leaver leaves behind: tickets, data, a waiting request, and access."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Company, Person, Row, add_entitlement, own
from companyos.sdk.simtime import DAY, HOUR, to_date
from scenarios.packs.staffing import DATA_RELEASE, WORK, names
from scenarios.packs.staffing.stories import add_project, add_report, work_on

from .documents import write_retention
from .people import NEW_TEAM, TEAM, Staff

#: The time until the waiting request is due, long enough that nobody decides it during an episode.
TIME_LEFT_S: Final = 4 * DAY


@dataclass(frozen=True)
class Access:
    """The leaver's entitlements: those that end, the shared account, and those that stay.

    Attributes:
        ends: Ids of the entitlements to revoke.
        stays: Ids of the entitlements that must stay.
        shared: Id of the account that others also use, if there is one.
        paper: Id of the document that says how long the access by exception has to stay.
    """

    ends: frozenset[str]
    stays: frozenset[str]
    shared: str | None
    paper: str


def add_projects(company: Company) -> tuple[Row, Row]:
    """Add the two projects that the leaver works on."""
    first, second = (add_project(company, company.numbers.reserve("PRJ"), TEAM) for _ in range(2))
    return first, second


def add_tickets(company: Company, staff: Staff, projects: Sequence[Row], reporter: Person) -> dict[str, str]:
    """Add the leaver's open tickets and look-alikes; return the new assignee of each open ticket."""
    draws, wanted = company.draws, dict[str, str]()
    numbers: list[int | None] = [0, 1, None] if draws.chance("three_tickets", 0.5) else [0, 1]
    for place, number in enumerate(draws.shuffled("tickets", numbers)):
        about = None if number is None else projects[number]
        ticket = _ticket(
            company, about, reporter, staff.leaver, ("goal", place), acts=("assigned",), status="triage"
        )
        wanted[ticket["id"]] = staff.takes_over(number).id
    _ticket(
        company, projects[0], staff.leaver, staff.named, ("reported",), acts=("assigned",), status="triage"
    )
    _ticket(
        company, projects[1], reporter, staff.namesake, ("namesake",), acts=("assigned",), status="triage"
    )
    done: Mapping[str, object] = {"status": "closed", "resolution": "Done as asked."}
    _ticket(company, projects[1], reporter, staff.leaver, ("closed",), acts=("assigned", "closed"), **done)
    return wanted


def _ticket(
    company: Company,
    about: Row | None,
    reporter: Person,
    assignee: Person,
    salt: tuple[object, ...],
    **columns: object,
) -> Row:
    draws = company.draws
    coordinates = [str(one) for one in salt]
    title = (
        work_on(company, about, *coordinates)
        if about is not None
        else draws.choice("no_project", names.NO_PROJECT, *coordinates)
    )
    return company.add_ticket(
        company.numbers.reserve("TD"),
        WORK,
        title,
        f"{title}. {draws.choice('detail', names.DETAILS, *coordinates)}",
        reporter,
        assignee=assignee.id,
        priority=draws.choice("priority", ("low", "medium"), *coordinates),
        subject=about["id"] if about is not None else None,
        **columns,  # type: ignore[arg-type]
    )


def add_data(company: Company, staff: Staff, projects: Sequence[Row]) -> dict[str, str]:
    """Add the data that the leaver owns; return the new owner of each."""
    wanted = dict[str, str]()
    numbers: list[int | None] = [0, 1] if company.draws.chance("both_projects", 0.5) else [1]
    if company.draws.chance("data_of_none", 0.3):
        numbers.append(None)
    for number in numbers:
        about = None if number is None else projects[number]
        report = add_report(company, company.numbers.reserve("RPT"), about)
        own(company, staff.leaver, report)
        wanted[report["id"]] = staff.takes_over(number).id
    own(company, staff.namesake, add_report(company, company.numbers.reserve("RPT"), projects[1]))
    return wanted


def add_request(company: Company, staff: Staff, reporter: Person, about: Row) -> Row:
    """Add a request that waits for the leaver as delegate of an absent data steward."""
    ticket = _ticket(
        company,
        about,
        reporter,
        staff.named,
        ("release",),
        acts=("assigned", "verified"),
        status="verified",
        verified_by=staff.namesake.id,
        evidence="Checked the file.",
    )
    due = company.start + TIME_LEFT_S
    request = company.submitted(ticket, DATA_RELEASE, {}, staff.named, staff.leaver, due=due)
    _date_back(company, request, company.start - company.draws.integer("asked", 3, 20) * HOUR)
    return request


def _date_back(company: Company, request: Row, at: int) -> None:
    request["submitted_at"] = at
    for entry in company.rows["approvalflow"]["audit"]:
        if entry["request_id"] == request["id"]:
            entry["at"] = at
    for link in company.rows["ticketdesk"]["links"]:
        if link["target"] == request["id"]:
            link["created_at"] = at


def add_access(
    company: Company, staff: Staff, systems: Mapping[str, Sequence[str]], *, last_day: int, moves: bool
) -> Access:
    """Add the leaver's access; return which ends and which stays."""
    draws, leaver = company.draws, staff.leaver
    remain = systems[NEW_TEAM] if moves else ()
    ends, stays = set[str](), set[str]()
    for system in systems[TEAM]:
        row = add_entitlement(
            company, leaver, system, staff.head, entitlement_id=company.numbers.reserve("ENT")
        )
        (stays if system in remain else ends).add(row["id"])
    is_kept = draws.chance("audit_open", 0.5)
    until = last_day + draws.integer("audit.days", 20, 80) * DAY * (1 if is_kept else -1)
    archive, paper = _archive(company, staff, to_date(until))
    (stays if is_kept else ends).add(archive["id"])
    shared: str | None = None
    if draws.chance("shared", 0.6):
        mailbox, users = draws.choice("mailbox", names.MAILBOXES), (staff.successors[1], staff.named)
        row = add_entitlement(
            company,
            leaver,
            mailbox,
            staff.head,
            shared_with=users,
            entitlement_id=company.numbers.reserve("ENT"),
        )
        shared = row["id"]
    for system in systems[TEAM]:
        add_entitlement(company, staff.namesake, system, staff.head)
    return Access(frozenset(ends), frozenset(stays), shared, paper)


def _archive(company: Company, staff: Staff, until: str) -> tuple[Row, str]:
    """Add access by exception, and return it with the id of the document that its note names."""
    system = company.draws.choice("archive", names.ARCHIVES)
    document = write_retention(company, staff.head, staff.leaver, system, until)
    row = add_entitlement(
        company,
        staff.leaver,
        system,
        staff.head,
        level="read",
        basis="exception",
        note=f"For the audit: see {document['id']}.",
        entitlement_id=company.numbers.reserve("ENT"),
    )
    return row, document["id"]


def keep_to_these(
    company: Company, staff: Staff, tickets: Mapping[str, str], data: Mapping[str, str]
) -> None:
    """Give everything else that the background assigned to the leaver to a colleague."""
    leaver, colleague = staff.leaver.id, staff.named.id
    for owned in company.rows["datahub"]["ownerships"]:
        if owned["owner"] == leaver and owned["id"] not in data:
            owned["owner"] = colleague
    for ticket in company.rows["ticketdesk"]["tickets"]:
        if ticket["assignee"] == leaver and ticket["status"] != "closed" and ticket["id"] not in tickets:
            ticket["assignee"] = colleague
            _let_act(company, ticket, leaver, colleague)


def _let_act(company: Company, ticket: Row, before: str, after: str) -> None:
    for line in company.rows["ticketdesk"]["history"]:
        if line["ticket_id"] == ticket["id"] and line["actor"] == before:
            line["actor"] = after
