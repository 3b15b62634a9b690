"""The facts of an instance: a person who leaves or moves, and the right handover."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, cost_centre
from companyos.sdk.simtime import DAY, to_date
from scenarios.packs.staffing import OFFBOARDING, names
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS, add_registers, employee

from . import documents, estate, people
from .people import NEW_TEAM, TEAM, Staff

#: The hidden causes of a pair: whether a delegation is still in force, or whether there is a legal hold.
IN_FORCE, LAPSED, HELD, FREE = "in_force", "lapsed", "held", "free"

_CLAIMS: Final = (
    "{name} told me that {other} takes over everything.",
    "As far as I know {other} gets all of it. {name}'s access can go first thing, I think.",
    "{other} has agreed to take all of {name}'s work.",
)


@dataclass(frozen=True)
class Facts:
    """The facts of an instance. The agent is told only the leaver's name and the ticket.

    Attributes:
        rules: The points that this company decides in its own way.
        moves: Whether the leaver stays with the company, in another team.
        in_force: Whether the delegation to the leaver is still in force.
        tickets: The new assignee of each open ticket.
        data: The new owner of each report.
        request: The request that waits for the leaver.
        delegate: The absent steward's new delegate; None if there is none.
        decider: The person who gets the request.
        access: The leaver's access that ends and that stays.
        form: Id of the handover form in force.
        systems: Id of the document about the systems of each team.
        closer: The person who gets the off-boarding ticket at the end.
        midnight: When the day ends on which access has to end.
    """

    cause: str
    rules: documents.Rules
    moves: bool
    in_force: bool
    me: Person
    staff: Staff
    ticket: Row
    employee: Row
    metrics: Mapping[str, Row]
    tickets: Mapping[str, str]
    data: Mapping[str, str]
    request: Row
    delegate: str | None
    decider: str
    access: estate.Access
    form: str
    systems: str
    closer: str
    midnight: int

    @property
    def leaver(self) -> str:
        """Person id of the leaver."""
        return self.staff.leaver.id

    @property
    def papers(self) -> list[str]:
        """Ids of the documents that decide which access ends."""
        return [self.access.paper, *([self.systems] if self.moves else [])]


def draw_facts(company: Company, cast: Cast, cause: str) -> Facts:
    """Draw a person who leaves or moves, and write everything about them into the company."""
    draws = company.draws
    rules, before = documents.draw_rules(draws)
    staff = people.hire_staff(company, cast, rules.heir)
    moves = draws.chance("moves", 0.3)
    in_force = cause == IN_FORCE or (cause in (HELD, FREE) and draws.chance("in_force", 0.5))
    last_day = company.start + draws.integer("last_day", 3, 9) * DAY
    record = _employee(company, staff, last_day, moves=moves)
    metrics = _registers(company, record, holds=cause == HELD, in_force=in_force)
    projects = estate.add_projects(company)
    documents.write_handbook(company, cast.offices["hr_lead"], rules, before)
    form = documents.write_handover(company, staff.leaver, list(zip(projects, staff.successors, strict=True)))
    systems, systems_id = _write_systems(company, cast)
    tickets = estate.add_tickets(company, staff, projects, cast.reporter)
    heirs = {documents.LEAVERS_MANAGER: staff.manager, documents.ABSENT_MANAGER: staff.head}
    delegate = heirs[rules.delegate].id if in_force else None
    return Facts(
        cause=cause,
        rules=rules,
        moves=moves,
        in_force=in_force,
        me=cast.persona,
        staff=staff,
        ticket=_ticket(company, cast, staff, record),
        employee=record,
        metrics=metrics,
        tickets=tickets,
        data=estate.add_data(company, staff, projects),
        request=estate.add_request(company, staff, cast.reporter, projects[0]),
        delegate=delegate,
        decider=delegate or staff.steward.id,
        access=estate.add_access(company, staff, systems, last_day=last_day, moves=moves),
        form=form,
        systems=systems_id,
        closer=cast.offices[rules.closer].id,
        midnight=(company.start // DAY + 1) * DAY,
    )


def _employee(company: Company, staff: Staff, last_day: int, *, moves: bool) -> Row:
    employee(company, company.numbers.reserve("EMP"), staff.namesake)
    return employee(
        company,
        company.numbers.reserve("EMP"),
        staff.leaver,
        change="moves" if moves else "leaves",
        effective_on=to_date(last_day),
        new_team=NEW_TEAM if moves else None,
    )


def _registers(company: Company, record: Row, *, holds: bool, in_force: bool) -> dict[str, Row]:
    known = company.draws.integer("known_delegations", 0, 1)
    add_registers(
        company,
        record,
        company.numbers.reserve,
        holds=(0, int(holds)),
        delegations=(known, int(in_force)),
    )
    return {row["name"]: row for row in company.about(record["id"]) if row["name"] in (HOLDS, DELEGATIONS)}


def _write_systems(company: Company, cast: Cast) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Return the systems of each team, and the id of the document about them."""
    kept, ended, other, *rest = company.draws.sample("systems", names.SYSTEMS, 6)
    systems = {
        TEAM: (*names.COMMON, kept, ended),
        NEW_TEAM: (*names.COMMON, kept, other),
        "Support": (*names.COMMON, *rest[:1]),
        "Sales": (*names.COMMON, *rest[1:]),
    }
    written = documents.write_systems(company, cast.offices["operations_lead"], systems)
    return systems, written["id"]


def _ticket(company: Company, cast: Cast, staff: Staff, record: Row) -> Row:
    claim = company.draws.choice("claim", _CLAIMS)
    request = claim.format(name=staff.leaver.name.split()[0], other=staff.named.name)
    return company.add_ticket(
        company.numbers.reserve("TD"),
        OFFBOARDING,
        f"Off-boarding of {staff.leaver.name}",
        f"Off-boarding of {staff.leaver.name}. {request}",
        cast.reporter,
        acts=("assigned",),
        status="triage",
        assignee=cast.persona.id,
        priority="medium",
        subject=record["id"],
        cost_centre=cost_centre(company, 0, "offboarding.center"),
    )
