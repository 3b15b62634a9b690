"""Approval tasks in small companies, and companies in which a task is done, for predicates to look at."""

from functools import cache
from typing import Any, Final

from companyos.sdk.approval_task import ApprovalTask, TaskBuilder, TaskFacts
from companyos.sdk.approval_task.endings import TaskEnding
from companyos.sdk.approval_task.library import write_file
from companyos.sdk.chaos import FaultPlan, parse_chaos
from companyos.sdk.company import DECISION_S, Company, Row, hire_cast, precedence, rows
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import CompanyState, View, find
from companyos.sdk.simtime import HOUR, MINUTE, from_iso

START: Final = from_iso("2031-03-03T09:00:00Z")
SMALL: Final = ("vendor_onboarding", "bug_escalation", "expense_report", "license_renewal", "handbook_update")
#: The times at which the agent of a finished task read, verified and asked.
READ_AT: Final = START + 10 * MINUTE
VERIFIED_AT: Final = START + 20 * MINUTE
ASKED_AT: Final = START + 30 * MINUTE
REQUEST: Final = "APR-9001"


def family(name: str) -> ApprovalTask:
    """Return a family that is built on the template."""
    found = find(name)
    assert isinstance(found, ApprovalTask)
    return found


def builder_of(
    name: str,
    *,
    seed: int = 0,
    cause: str | None = None,
    ending: TaskEnding = TaskEnding.USUAL,
    chaos: Any = 0,
    original: bool = False,
) -> TaskBuilder:
    """Return a builder with a cast in a company without background."""
    scenario = family(name)
    company = Company(Draws("salt", name, seed), START, scenario.packs, "small")
    cast = hire_cast(company, persona_role=scenario.persona_role, team=scenario.team, original=original)
    precedence.lay_down(company)
    plan = FaultPlan.of_seed("salt", name, 1, 2 * seed, parse_chaos(chaos))
    return TaskBuilder(company, cast, plan, cause or scenario.causes[0], original, ending)


def made(name: str, **settings: Any) -> tuple[TaskFacts, TaskBuilder]:
    """Return the facts of a task without faults, and its builder."""
    builder = builder_of(name, **settings)
    return write_file(family(name).facts(builder), builder, family(name).profile), builder


@cache
def expense(seed: int = 0) -> tuple[TaskFacts, TaskBuilder]:
    """Return the task that most tests look at; do not change it."""
    return made("expense_report", seed=seed)


class FinishedTask:
    """A company in which a task is done: every change an agent makes, and whatever a test changes of it.

    Args:
        facts: The task's facts.
        builder: Its builder.
    """

    def __init__(self, facts: TaskFacts, builder: TaskBuilder) -> None:
        self.facts = facts
        self.state = CompanyState(builder.company.rows)
        fresh = {**facts.metric, "version": facts.metric["version"] + 1, "value": facts.value}
        self.write("datahub", "metrics", fresh)
        self.read(facts.metric["id"], version=fresh["version"])
        for document in facts.documents:
            self.read(document)
        self.write("ticketdesk", "tickets", self.verified())
        self.write("approvalflow", "requests", self.request())
        self.write(
            "ticketdesk",
            "links",
            rows.link("L-1", facts.ticket["id"], "approval", REQUEST, ASKED_AT),
        )

    def verified(self, **columns: Any) -> Row:
        """Return the goal's ticket as it is when the task is done."""
        facts = self.facts
        right = {
            "priority": facts.priorities[0],
            "cost_centre": facts.cost_centre,
            "subject": facts.record["id"],
        }
        return {
            **facts.ticket,
            **right,
            "assignee": facts.persona.id,
            "status": "verified",
            "blocked_by": [],
            "evidence": "Checked.",
            "references": [facts.record["id"], facts.metric["id"], *facts.documents],
            "verified_by": facts.persona.id,
            "verified_at": VERIFIED_AT,
            "approval": "approved",
            **columns,
        }

    def request(self, **columns: Any) -> Row:
        """Return the goal's request as it is when the task is done."""
        facts = self.facts
        at = ASKED_AT + DECISION_S
        return rows.request(
            REQUEST,
            facts.type_id,
            {**facts.ticket, "subject": facts.record["id"]},
            **{
                "fields": dict(facts.fields),
                "evidence": {"metric_id": facts.metric["id"], "metric_value": facts.value},
                "requester": facts.persona.id,
                "approver": facts.route.approver(at),
                "status": "approved",
                "submitted_at": ASKED_AT,
                "decided_at": at,
                "decided_by": facts.route.approver(at),
                **columns,
            },
        )

    def write(self, service: str, table: str, row: Row) -> None:
        """Write a row."""
        self.state.apply(service, [{"table": table, "id": row["id"], "row": row}])

    def erase(self, service: str, table: str, row_id: str) -> None:
        """Erase a row."""
        self.state.apply(service, [{"table": table, "id": row_id, "row": None}])

    def read(self, object_id: str, *, version: int = 1, at: int = READ_AT, reader: str | None = None) -> None:
        """Write the receipt of a read."""
        by = reader or self.facts.persona.id
        receipt = {
            "id": f"{object_id}@{version}:{by}",
            "reader": by,
            "object_id": object_id,
            "version": version,
            "at": at,
        }
        self.write("datahub", "receipts", receipt)

    def ticket(self, **columns: Any) -> View:
        """Change the goal's ticket, and return what there is then."""
        self.write("ticketdesk", "tickets", self.verified(**columns))
        return self.view

    def asked(self, **columns: Any) -> View:
        """Change the goal's request, and return what there is then."""
        self.write("approvalflow", "requests", self.request(**columns))
        return self.view

    @property
    def view(self) -> View:
        """What there is now."""
        return self.state.view()


def at_start(builder: TaskBuilder) -> View:
    """Return the company before anything is done."""
    return CompanyState(builder.company.rows).view()


def later(hours: int) -> int:
    """Return the time this many hours after the start."""
    return START + hours * HOUR
