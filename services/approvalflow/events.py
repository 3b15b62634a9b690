"""What ApprovalFlow announces, what it hears, and what it has due on the simulated clock."""

from typing import ClassVar

from companyos.chassis import Due, Event

from .decisions import Outcome


class ApprovalRequested(Event):
    """Somebody asked for a decision."""

    NAME: ClassVar[str] = "approval.requested"
    OBJECT: ClassVar[str] = "request_id"

    request_id: str
    type: str
    ticket_id: str | None
    subject: str | None


class ApprovalDecided(Event):
    """An approver decided; an approval that activates its record says so."""

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


class TicketVerified(Event):
    """Heard from the tickets: the facts of a ticket have been checked."""

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
    """Heard from the tickets: a verification no longer stands."""

    NAME: ClassVar[str] = "ticket.reopened"
    OBJECT: ClassVar[str] = "ticket_id"
    FACTS: ClassVar[tuple[str, ...]] = ("kind",)

    ticket_id: str
    kind: str
    version: int
    subject: str | None = None
    reporter: str | None = None


class MetricRefreshed(Event):
    """Heard from the figures: a metric has a new value, which counts until `expires_at`."""

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
    """Heard from the figures: a metric outlived its lifetime without a refresh."""

    NAME: ClassVar[str] = "metric.expired"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    version: int


class PersonAway(Event):
    """Heard from the directory: a person is away until `until`."""

    NAME: ClassVar[str] = "person.away"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    until: int
    version: int


class PersonBack(Event):
    """Heard from the directory: a person is here again."""

    NAME: ClassVar[str] = "person.back"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    version: int


class AccessGranted(Event):
    """Heard from who grants access: somebody has a permission from now on."""

    NAME: ClassVar[str] = "access.granted"
    OBJECT: ClassVar[str] = "permission"

    permission: str
    person_id: str


class DecideRequest(Due):
    """The approver looks at a request."""

    NAME: ClassVar[str] = "decide_request"

    request_id: str


class ChangePolicy(Due):
    """An announced change of a policy comes into force."""

    NAME: ClassVar[str] = "change_policy"

    change_id: str


class ExpireRequest(Due):
    """A request has stayed undecided for too long."""

    NAME: ClassVar[str] = "expire_request"

    request_id: str
