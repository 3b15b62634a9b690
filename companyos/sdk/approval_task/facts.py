"""The private facts of a task: its ticket, metric and decision."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.company import Person, Row
from companyos.sdk.scenario import InjectedFault

from .route import Route


@dataclass(frozen=True)
class Measurement:
    """The metric that the decision is based on: its value at the start, and after a refresh.

    Attributes:
        failures: The refreshes that fail, counted from 0.
    """

    metric: Row
    value: float
    failures: tuple[int, ...] = ()


@dataclass(frozen=True)
class Objection:
    """An approver's objection to one attempt.

    Attributes:
        states: The fields that it asks for, with their right values.
        evidence: The kind of evidence that must be attached: `record` or `metric`.
    """

    attempt: int
    reason_code: str
    remedy: str
    states: Mapping[str, Any] = field(default_factory=dict)
    evidence: str | None = None


@dataclass(frozen=True)
class ExternalBlocker:
    """The blocker in another service, behind the last of the blocking tickets.

    Attributes:
        kind: `data`, a metric to be refreshed, or `approval`, a request to be decided.
        takes_s: How long it takes, from the refresh or from the start.
    """

    kind: str
    id: str
    takes_s: int


@dataclass(frozen=True)
class TaskFacts:
    """The private facts of an instance.

    Attributes:
        persona: The employee that the agent plays.
        ticket: The goal's ticket at the start.
        record: The record that the ticket is about.
        type_id: The approval type to request.
        measurement: The metric that the decision is based on, before and after a refresh.
        priorities: The acceptable final priorities of the ticket.
        cost_centre: The ticket's right cost centre.
        verifier_roles: Roles that may verify it.
        fields: The fields that a correct request states.
        further: The fields that it may also state.
        route: The people who may decide it.
        start: The simulated second at which the episode starts.
        mark: The field that distinguishes the record from others with the same name.
        blockers: Tickets that block the goal's, the nearest first, each blocked by the next.
        awaits: The external blocker of the last of them, or of the goal's ticket if there are none.
        settled_at: When the policy that decides the request comes into force.
        lacks: The permission that the work needs but the agent's role does not have.
        wrong_record: The record whose cost centre must be corrected, because another record takes precedence.
        fillable: Fields of the ticket that may be empty.
        objections: The approver's objections to the first attempts.
        faults: The faults that were injected.
        form: The case's form in force, if cases of its kind have one.
        exclusions: The exclusion list in force, which names the cases on hold, if there is one.
        not_offered: The faults that were drawn but not injected, because the scenario does not support them.
        metrics: Ids of all metrics about the record; the measured one is among them, unless it is about nothing.
    """

    persona: Person
    ticket: Row
    record: Row
    type_id: str
    measurement: Measurement
    priorities: tuple[str, ...]
    cost_centre: str
    verifier_roles: tuple[str, ...]
    fields: Mapping[str, Any]
    route: Route
    start: int
    mark: str
    blockers: tuple[Row, ...] = ()
    awaits: ExternalBlocker | None = None
    settled_at: int | None = None
    lacks: Row | None = None
    wrong_record: Row | None = None
    fillable: tuple[str, ...] = ("cost_centre", "priority")
    further: Mapping[str, Any] = field(default_factory=dict)
    objections: tuple[Objection, ...] = ()
    faults: tuple[InjectedFault, ...] = ()
    not_offered: tuple[str, ...] = ()
    form: Row | None = None
    exclusions: Row | None = None
    metrics: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents that a verification must name."""
        return () if self.form is None else (self.form["id"],)

    @property
    def metric(self) -> Row:
        """The metric that the decision is based on, stale as it is at the start."""
        return self.measurement.metric

    @property
    def value(self) -> float:
        """The metric's value after a refresh."""
        return self.measurement.value

    @property
    def is_blocked(self) -> bool:
        """Whether something blocks the ticket."""
        return bool(self.blockers) or self.awaits is not None

    @property
    def refreshable(self) -> tuple[str, ...]:
        """Ids of the metrics to refresh: the task's own, and one that blocks a ticket."""
        waited_for = (self.awaits.id,) if self.awaits and self.awaits.kind == "data" else ()
        return (self.metric["id"], *waited_for)

    @property
    def empty_fields(self) -> dict[str, str]:
        """The ticket's empty fields, each with a correct value."""
        right = {
            "subject": self.record["id"],
            "priority": self.priorities[0],
            "cost_centre": self.cost_centre,
        }
        return {name: value for name, value in right.items() if self.ticket[name] != value}

    @property
    def called(self) -> str:
        """The record's name as the ticket gives it, with the id unless the ticket omits it."""
        name = str(self.record["name"])
        return f"{name} ({self.record['id']})" if self.ticket["subject"] else name

    @property
    def correction(self) -> dict[str, Any] | None:
        """The right values of the wrong record's fields."""
        wrong = self.wrong_record
        return wrong and {**wrong["fields"], "cost_centre": self.cost_centre}
