"""The task builder: writes a task's metric, tickets and routes into its company."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.chaos import FaultPlan
from companyos.sdk.company import ApprovalType, Cast, Company, PacksDoNotFit, Person, Row, TicketKind
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, MINUTE

from .endings import TaskEnding
from .facts import Measurement, TaskFacts
from .route import Absence, Route, lay_route


@dataclass(frozen=True)
class TaskBuilder:
    """A company with its people, its drawn faults and the hidden cause.

    Attributes:
        ending: What the documents say about the case.
        original: Whether to use the names and numbers of the original seeds.
        routes: The route to the approver, for every role that may have to decide.
    """

    company: Company
    cast: Cast
    plan: FaultPlan
    cause: str
    original: bool
    ending: TaskEnding = TaskEnding.USUAL
    routes: dict[str, Route] = field(default_factory=dict)

    @property
    def draws(self) -> Draws:
        """The draws, shared by both tasks of a pair."""
        return self.company.draws

    def approval_type(self, type_id: str) -> ApprovalType:
        """Return the company's approval type with this id, as it was before faults are applied."""
        return self.company.approval_types[type_id]

    def terms(self, type_id: str) -> Row:
        """Return an approval type's row in ApprovalFlow."""
        return self.company.row("approvalflow", "approval_types", type_id)

    def person(self, person_id: str) -> Person:
        """Return the person with this id."""
        return self.company.person(person_id)

    def priorities(self, ticket: Row) -> tuple[str, ...]:
        """Return the acceptable final priorities: the ticket's own, or all of its kind's if it has none."""
        return (ticket["priority"],) if ticket["priority"] else self._kind(ticket["kind"]).allowed

    def stale_metric(
        self, name: str, subject: str | None, unit: str, *, stale: float, fresh: float
    ) -> Measurement:
        """Add a metric that is four days old, has a lifetime of two days, and is current after a refresh."""
        metric = self.company.add_metric(
            name,
            subject,
            stale,
            unit,
            metric_id=self.company.numbers.reserve("MET"),
            age_s=4 * DAY,
            ttl_s=2 * DAY,
            refresh_s=self.draws.integer("refresh_s", 5, 15) * MINUTE,
            values=[fresh],
        )
        return Measurement(metric, fresh)

    def fresh_metric(self, name: str, subject: str | None, unit: str, value: float) -> Row:
        """Add a metric that is a day old and stays fresh for longer than the task can take."""
        metric_id = self.company.numbers.reserve("MET")
        return self.company.add_metric(
            name, subject, value, unit, metric_id=metric_id, age_s=DAY, ttl_s=300 * DAY
        )

    def new_ticket(
        self,
        kind: str,
        title: str,
        description: str | None,
        record: Row,
        *,
        value: str | None = None,
        **columns: Any,
    ) -> Row:
        """Add a new ticket about a record, with the record's cost centre.

        Without a description, one is built from the phrases of its kind; it may state `value`, a metric with
        its unit.
        """
        ticket_id, reporter = self.company.numbers.reserve("TD"), self.cast.reporter
        if description is None:
            facts = {"name": record["name"], "value": value}
            description = self.company.describe(ticket_id, kind, reporter, **facts)
        return self.company.add_ticket(
            ticket_id,
            kind,
            title,
            description,
            reporter,
            subject=record["id"],
            **{"cost_centre": record["fields"]["cost_centre"], **columns},
        )

    def goal_ticket(
        self,
        kind: str,
        title: str,
        description: str | None,
        record: Row,
        *,
        value: str | None = None,
        priority: str | None = None,
    ) -> Row:
        """Add the goal's ticket, described like those of `new_ticket`.

        Raises:
            PacksDoNotFit: The persona's role may not verify tickets of this kind, as every approval task
                requires.
        """
        if (role := self.cast.persona.role) not in self._kind(kind).verifier_roles:
            raise PacksDoNotFit(f"The role {role} has to be one of verifier_roles of the ticket kind {kind}.")
        return self.new_ticket(kind, title, description, record, value=value, priority=priority)

    def route(self, role: str, type_id: str, *, amount: int | None = None, away: bool = False) -> Route:
        """Set who decides for a role: its holder, or the delegate while the holder is `away` for days."""
        absence = Absence.COVERED if away else Absence.NONE
        route = lay_route(self.company, self.cast, role, type_id, absence, amount=amount)
        self.routes[role] = route
        return route

    def task_facts(
        self,
        ticket: Row,
        record: Row,
        type_id: str,
        measurement: Measurement,
        *,
        fields: Mapping[str, Any],
        route: Route,
        mark: str,
        **others: Any,
    ) -> TaskFacts:
        """Return the facts of a task; `others` add to or replace those derived from its ticket and record."""
        usual = {
            "priorities": self.priorities(ticket),
            "cost_centre": record["fields"]["cost_centre"],
            "verifier_roles": self._kind(ticket["kind"]).verifier_roles,
            "metrics": tuple(metric["id"] for metric in self.company.about(record["id"])),
        }
        return TaskFacts(
            persona=self.cast.persona,
            ticket=ticket,
            record=record,
            type_id=type_id,
            measurement=measurement,
            fields=fields,
            route=route,
            start=self.company.start,
            mark=mark,
            **{**usual, **others},
        )

    def _kind(self, kind: str) -> TicketKind:
        return self.company.content.ticket_kinds[kind]
