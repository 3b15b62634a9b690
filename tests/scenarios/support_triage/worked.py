"""A support desk in which rows are written by hand: each ticket of a drawn morning, worked right or otherwise."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from companyos.sdk.scenario import Instance
from companyos.sdk.simtime import MINUTE
from scenarios.support_triage.cases import CHANGED, TAKEN, WITHDRAWN, SupportCase
from scenarios.support_triage.facts import Facts
from scenarios.support_triage.scenario import SCENARIO
from tests.scenarios.committed import Committed
from tests.scenarios.conftest import instance_of

COLLEAGUE = "mia.colleague"


@cache
def morning(seed: int) -> Instance[Facts]:
    """Return the instance of a seed."""
    return instance_of(SCENARIO, seed)


@cache
def seed_with(*kinds: str) -> int:
    """Return the first seed with tickets of these sorts, or with these interventions, which nobody else works."""
    return next(seed for seed in range(200) if all(any(cases(seed, kind)) for kind in kinds))


def cases(seed: int, kind: str) -> Iterator[SupportCase]:
    """Yield the tickets of a morning that is worked that have this sort alone, or this intervention."""
    facts = morning(seed).facts
    for case in facts.cases if facts.is_feasible else ():
        if case.has(kind) or (case.sort == kind and case.intervention is None):
            yield case


class Desk(Committed):
    """The desk of a seed, before anything was done."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.instance = morning(seed)
        self.facts = self.instance.facts
        super().__init__(self.instance)
        for metric in self.facts.metrics:
            self.read(metric["id"], metric["version"] + 1)

    def read(self, object_id: str, version: int = 1) -> None:
        """Write the receipt of the agent's read."""
        reader = self.facts.me.id
        row = {"object_id": object_id, "version": version, "reader": reader}
        self.write("datahub", "receipts", f"{object_id}@{version}:{reader}", **row)

    def work(self, case: SupportCase) -> None:
        """Do what is right for a ticket."""
        self.arrive(case)
        match "taken" if case.has(TAKEN) else "withdrawn" if case.has(WITHDRAWN) else case.sort:
            case "taken":
                self.ticket(case, assignee=COLLEAGUE)
                self.act(case, "assigned", COLLEAGUE, at=case.intervention.at if case.intervention else 0)
            case "vague":
                self.ticket(case, status="returned")
                self.desk("returns", f"{case.ticket_id}-R1", ticket_id=case.ticket_id)
            case "duplicate":
                self.ticket(case, status="closed")
                self.desk("merges", case.ticket_id, into=case.into)
            case "fixed" | "withdrawn":
                self.answer(case, at=case.due or 0)
                self.ticket(case, status="closed")
            case _:
                if case.has(CHANGED):
                    self.answer(case, case.first_document, at=case.at + MINUTE, number=2)
                self.answer(case, at=max(case.at, case.writes_again_at or 0) + MINUTE)
                self.ticket(case, priority=case.priority, assignee=case.assignee)
                self.desk("placements", case.ticket_id, queue=case.queue)
                if case.relates:
                    self.link(case.ticket_id, case.relates)

    def arrive(self, case: SupportCase) -> None:
        """Write a ticket as it is when it arrives."""
        if self.view.row("ticketdesk", "tickets", case.ticket_id) is None:
            known = {"kind": "support_case", "status": "new", "priority": None, "assignee": None}
            self.ticket(case, **known)
            self.desk("placements", case.ticket_id, queue="intake")

    def desk(self, table: str, row_id: str, **columns: Any) -> None:
        """Write a row of TicketDesk."""
        self.write("ticketdesk", table, row_id, **columns)

    def ticket(self, case: SupportCase, **columns: Any) -> None:
        """Write columns of a ticket."""
        self.desk("tickets", case.ticket_id, **columns)

    def answer(self, case: SupportCase, *documents: str | None, at: int, number: int = 1) -> None:
        """Write an answer, by default with its right document."""
        given = list(documents or [case.document])
        row = {"ticket_id": case.ticket_id, "author": self.facts.me.id, "answered_at": at}
        sent = [one for one in given if one]
        self.desk("answers", f"{case.ticket_id}-A{number}", documents=sent, **row)

    def link(self, ticket_id: str, target: str, kind: str = "relates", number: int = 1) -> None:
        """Write a link."""
        self.desk("links", f"{ticket_id}-L{number}", ticket_id=ticket_id, kind=kind, target=target)

    def act(self, case: SupportCase, action: str, actor: str = "", *, at: int = 0) -> None:
        """Write a line of a ticket's history; by default the agent did it."""
        actor = actor or self.facts.me.id
        row = {"ticket_id": case.ticket_id, "action": action, "actor": actor, "at": at}
        self.desk("history", f"{case.ticket_id}-H{action}-{actor}-{at}", **row)

    @property
    def missed(self) -> set[str]:
        """The musts that do not hold."""
        return {one.name for one in self.instance.musts if not one.holds(self.view)}

    @property
    def broken(self) -> set[str]:
        """The forbidden facts that hold."""
        return {one.name for one in self.instance.forbidden if one.holds(self.view)}

    @property
    def earned(self) -> set[str]:
        """The milestones that hold."""
        return {one.name for one in self.instance.milestones if one.holds(self.view)}


Change = Callable[[Desk, SupportCase], None]


def worked(seed: int) -> Desk:
    """Return a desk at which every ticket was worked right."""
    desk = Desk(seed)
    for case in desk.facts.cases:
        desk.work(case)
    return desk


def number_of_case(seed: int, case: SupportCase) -> int:
    """Return a ticket's number in the names of musts and milestones."""
    return [one.ticket_id for one in morning(seed).facts.cases].index(case.ticket_id) + 1
