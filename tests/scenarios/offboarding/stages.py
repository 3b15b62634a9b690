"""Off-boardings at any stage: the committed state of a company, changed by hand, and what its grading says."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from companyos.sdk.company import Cast, Company, fill, hire_cast
from companyos.sdk.draws import Draws
from scenarios.offboarding import grading
from scenarios.offboarding.estate import keep_to_these
from scenarios.offboarding.facts import IN_FORCE, Facts, draw_facts
from scenarios.offboarding.scenario import SCENARIO
from scenarios.packs.staffing import EQUIPMENT

from ..committed import Committed

PEOPLE = ("datahub", "people")
TICKETS = ("ticketdesk", "tickets")
OWNERSHIPS = ("datahub", "ownerships")
ENTITLEMENTS = ("datahub", "entitlements")
REQUESTS = ("approvalflow", "requests")
RECEIPTS = ("datahub", "receipts")
EQUIPPED = "TD-9001"


def founded(number: int = 0) -> tuple[Company, Cast]:
    """Return a company with the people of its offices, and nothing else yet."""
    company = Company(Draws("test", "offboarding", number), SCENARIO.start, SCENARIO.packs, "small")
    return company, hire_cast(company, persona_role="people_partner", team="People", original=False)


@cache
def case_drawn_with(number: int, cause: str) -> tuple[Company, Facts]:
    """Return a company and the off-boarding in it, as the scenario writes them."""
    company, cast = founded(number)
    facts = draw_facts(company, cast, cause)
    fill(company, cast)
    keep_to_these(company, facts.staff, facts.tickets, facts.data)
    return company, facts


def first(cause: str, *, moves: bool = False, shared: bool | None = None) -> int:
    """Return the first company of a cause with these facts; `shared` says whether there is a shared account."""
    return next(
        number
        for number in range(60)
        if (facts := case_drawn_with(number, cause)[1]).moves is moves
        and shared in (None, facts.access.shared is not None)
    )


class Progress(Committed):
    """The committed state of an off-boarding."""

    def __init__(self, cause: str, number: int) -> None:
        company, self.facts = case_drawn_with(number, cause)
        super().__init__(company)

    def put(self, table: tuple[str, str], row_id: str, **columns: Any) -> None:
        """Write columns of a row of this table."""
        self.write(*table, row_id, **columns)

    def read(self, object_id: str, version: int = 1) -> None:
        """Let the agent read an object."""
        row = {"object_id": object_id, "version": version, "reader": self.facts.me.id}
        self.put(RECEIPTS, f"{object_id}@{version}", **row)

    def refresh(self, names: Sequence[str] = ()) -> None:
        """Read new values of these registers, by default of both."""
        for name in names or self.facts.metrics:
            metric = self.facts.metrics[name]
            self.read(metric["id"], metric["version"] + 1)

    def read_up(self) -> None:
        """Read the documents that decide."""
        for document in (self.facts.form, *self.facts.papers):
            self.read(document)

    def hand_over(self) -> None:
        """Give work, data and decisions to the right people."""
        facts = self.facts
        for ticket, person in facts.tickets.items():
            self.put(TICKETS, ticket, assignee=person)
        for thing, person in facts.data.items():
            self.put(OWNERSHIPS, thing, owner=person)
        self.put(PEOPLE, facts.staff.absent.id, delegate=facts.delegate)
        self.put(REQUESTS, facts.request["id"], approver=facts.decider)

    def end_access(self) -> None:
        """Hand over the shared account, and revoke what ends."""
        if self.facts.access.shared:
            self.put(ENTITLEMENTS, self.facts.access.shared, person_id=self.facts.staff.manager.id)
        for entitlement in sorted(self.facts.access.ends):
            self.put(ENTITLEMENTS, entitlement, revoked_at=self.facts.midnight - 1)

    def end(self) -> None:
        """Suspend the account of somebody who leaves, ask for their equipment, and pass the ticket on."""
        facts = self.facts
        self.put(TICKETS, facts.ticket["id"], assignee=facts.closer)
        if not facts.moves:
            self.put(PEOPLE, facts.leaver, active=False)
            asked = {"kind": EQUIPMENT, "subject": facts.employee["id"], "priority": facts.rules.priority}
            self.put(TICKETS, EQUIPPED, assignee=None, status="new", **asked)

    @property
    def failing(self) -> set[str]:
        """The musts that do not hold."""
        return {must.name for must in grading.musts(self.facts) if not must.holds(self.view)}

    @property
    def harms(self) -> set[str]:
        """The forbidden facts that hold."""
        return {one.name for one in grading.forbidden(self.facts) if one.holds(self.view)}

    @property
    def earned(self) -> set[str]:
        """The milestones that are credited."""
        return {one.name for one in grading.milestones(self.facts) if one.holds(self.view)}


def finished(cause: str = IN_FORCE, number: int | None = None) -> Progress:
    """Return an off-boarding that is done; by default of somebody who leaves and has a shared account."""
    company = Progress(cause, first(cause, shared=True) if number is None else number)
    for step in (company.refresh, company.read_up, company.hand_over, company.end_access, company.end):
        step()
    return company
