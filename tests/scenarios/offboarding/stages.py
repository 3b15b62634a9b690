"""Off-boardings at any stage: the committed state of a company, changed by hand, and what its grading says."""

from typing import Any

from companyos.scenario import CompanyState, View
from scenarios.offboarding import grading
from scenarios.offboarding.facts import IN_FORCE
from scenarios.packs.staffing import EQUIPMENT

from .drawn import drawn

PEOPLE = ("datahub", "people")
TICKETS = ("ticketdesk", "tickets")
OWNERSHIPS = ("datahub", "ownerships")
ENTITLEMENTS = ("datahub", "entitlements")
REQUESTS = ("approvalflow", "requests")
RECEIPTS = ("datahub", "receipts")


def first(cause: str, **facts: bool) -> int:
    """Return the first company of a cause with these facts; `shared` says whether there is a shared account."""
    for number in range(60):
        _, found = drawn(number, cause)
        known = {"moves": found.moves, "shared": found.access.shared is not None}
        if all(known[name] == value for name, value in facts.items()):
            return number
    raise LookupError(facts)


class Progress:
    """The committed state of an off-boarding, to be written to."""

    def __init__(self, cause: str, number: int) -> None:
        company, self.facts = drawn(number, cause)
        self.state = CompanyState(company.rows)

    @property
    def view(self) -> View:
        return self.state.view()

    def write(self, table: tuple[str, str], row_id: str, **columns: Any) -> None:
        """Change columns of a row, or add a row of these columns."""
        row = self.view.row(*table, row_id) or {"id": row_id}
        self.state.apply(table[0], [{"table": table[1], "id": row_id, "row": {**row, **columns}}])

    def read(self, object_id: str, version: int = 1, reader: str = "") -> None:
        """Let the agent or somebody else read an object."""
        reader = reader or self.facts.me.id
        row = {"object_id": object_id, "version": version, "reader": reader}
        self.write(RECEIPTS, f"{object_id}@{version}:{reader}", **row)

    def refresh(self) -> None:
        """Read new values of both registers."""
        for metric in self.facts.metrics.values():
            self.read(metric["id"], metric["version"] + 1)

    def read_up(self) -> None:
        """Read the documents that decide."""
        for document in (self.facts.form, *self.facts.papers):
            self.read(document)

    def hand_over(self) -> None:
        """Give work, data and decisions to the right people."""
        facts = self.facts
        for ticket, person in facts.tickets.items():
            self.write(TICKETS, ticket, assignee=person)
        for thing, person in facts.data.items():
            self.write(OWNERSHIPS, thing, owner=person)
        self.write(PEOPLE, facts.staff.absent.id, delegate=facts.delegate)
        self.write(REQUESTS, facts.request["id"], approver=facts.decider)

    def end_access(self) -> None:
        """Hand over the shared account, and revoke what ends."""
        if self.facts.access.shared:
            self.write(ENTITLEMENTS, self.facts.access.shared, person_id=self.facts.staff.manager.id)
        for entitlement in self.facts.access.ends:
            self.write(ENTITLEMENTS, entitlement, revoked_at=1)

    def end(self) -> None:
        """Suspend the account of somebody who leaves, ask for their equipment, and pass the ticket on."""
        self.write(TICKETS, self.facts.ticket["id"], assignee=self.facts.closer)
        if not self.facts.moves:
            self.write(PEOPLE, self.facts.leaver, active=False)
            self.ask_for_equipment("TD-9001")

    def ask_for_equipment(self, ticket_id: str, **columns: Any) -> None:
        """File a ticket about the leaver's equipment."""
        usual = {
            "kind": EQUIPMENT,
            "subject": self.facts.employee["id"],
            "priority": self.facts.rules.priority,
            "assignee": None,
            "status": "new",
        }
        self.write(TICKETS, ticket_id, **{**usual, **columns})

    @property
    def failing(self) -> list[str]:
        """The musts that do not hold."""
        return [must.name for must in grading.musts(self.facts) if not must.holds(self.view)]

    @property
    def harms(self) -> list[str]:
        """The forbidden facts that hold."""
        return [one.name for one in grading.forbidden(self.facts) if one.holds(self.view)]

    @property
    def earned(self) -> set[str]:
        """The milestones that are credited."""
        return {one.name for one in grading.milestones(self.facts) if one.holds(self.view)}


def finished(cause: str = IN_FORCE, number: int | None = None) -> Progress:
    """Return an off-boarding that is done; by default of somebody who leaves and has a shared account."""
    company = Progress(cause, first(cause, moves=False, shared=True) if number is None else number)
    for step in (company.refresh, company.read_up, company.hand_over, company.end_access, company.end):
        step()
    return company
