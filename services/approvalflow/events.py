"""The events that ApprovalFlow publishes and consumes, and its scheduled work."""

from typing import ClassVar

from companyos.chassis import Due, Event

from .decisions import Outcome


class ApprovalRequested(Event):
    """A person requested a decision."""

    NAME: ClassVar[str] = "approval.requested"
    OBJECT: ClassVar[str] = "request_id"

    request_id: str
    type: str
    ticket_id: str | None
    subject: str | None


class ApprovalDecided(Event):
    """An approver decided; the event says whether an approval activates its record."""

    NAME: ClassVar[str] = "approval.decided"
    OBJECT: ClassVar[str] = "request_id"

    request_id: str
    type: str
    ticket_id: str | None
    subject: str | None
    outcome: Outcome
    activates_record: bool
    decided_by: str
    reason_code: str | None


class BudgetConsumed(Event):
    """An approval or an order committed an amount in a cost centre's budget, the named or the current one."""

    NAME: ClassVar[str] = "budget.consumed"
    OBJECT: ClassVar[str] = "request_id"

    request_id: str
    cost_centre: str
    amount: float
    budget_id: str | None = None


class TicketVerified(Event):
    """From TicketDesk: a ticket's facts have been checked."""

    NAME: ClassVar[str] = "ticket.verified"
    OBJECT: ClassVar[str] = "ticket_id"
    FACTS: ClassVar[tuple[str, ...]] = ("kind",)

    ticket_id: str
    kind: str
    version: int
    subject: str | None = None
    reporter: str | None = None
    verified_by: str | None = None


class TicketReopened(Event):
    """From TicketDesk: a verification was revoked."""

    NAME: ClassVar[str] = "ticket.reopened"
    OBJECT: ClassVar[str] = "ticket_id"
    FACTS: ClassVar[tuple[str, ...]] = ("kind",)

    ticket_id: str
    kind: str
    version: int
    subject: str | None = None
    reporter: str | None = None


class TicketReturned(TicketReopened):
    """From TicketDesk: a ticket went back to its reporter with a question, and its verification was revoked."""

    NAME: ClassVar[str] = "ticket.returned"


class TicketMerged(Event):
    """From TicketDesk: a duplicate was closed in favor of another ticket."""

    NAME: ClassVar[str] = "ticket.merged"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
    into: str


class MetricRefreshed(Event):
    """From DataHub: a metric has a new value, which is fresh until `expires_at`."""

    NAME: ClassVar[str] = "metric.refreshed"
    OBJECT: ClassVar[str] = "metric_id"
    FACTS: ClassVar[tuple[str, ...]] = ("name", "subject")
    INSTANTS: ClassVar[tuple[str, ...]] = ("as_of",)

    metric_id: str
    name: str
    as_of: int
    expires_at: int
    version: int
    subject: str | None = None
    value: float | None = None


class MetricExpired(Event):
    """From DataHub: a metric expired without a refresh."""

    NAME: ClassVar[str] = "metric.expired"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    version: int


class PersonAway(Event):
    """From DataHub: a person is away until `until`."""

    NAME: ClassVar[str] = "person.away"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    until: int
    version: int


class PersonBack(Event):
    """From DataHub: a person is back."""

    NAME: ClassVar[str] = "person.back"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    version: int


class AccessGranted(Event):
    """From DataHub: a person was granted a permission."""

    NAME: ClassVar[str] = "access.granted"
    OBJECT: ClassVar[str] = "permission"

    permission: str
    person_id: str


class ClearanceChanged(Event):
    """From DataHub: a person's clearance level changed."""

    NAME: ClassVar[str] = "clearance.changed"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    before: int
    level: int


class DecideRequest(Due):
    """An approver looks at a request."""

    NAME: ClassVar[str] = "decide_request"

    request_id: str


class ChangePolicy(Due):
    """An announced policy change comes into force."""

    NAME: ClassVar[str] = "change_policy"

    change_id: str


class ExpireRequest(Due):
    """A request expires undecided."""

    NAME: ClassVar[str] = "expire_request"

    request_id: str


class MetricQuarantined(Event):
    """From DataHub: a metric is known to be wrong; `number` orders a metric's quarantines and releases."""

    NAME: ClassVar[str] = "metric.quarantined"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    number: int


class MetricReleased(Event):
    """From DataHub: a metric's quarantine was lifted; `number` orders a metric's quarantines and releases."""

    NAME: ClassVar[str] = "metric.released"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    number: int
