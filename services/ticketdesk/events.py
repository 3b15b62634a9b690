"""The events that TicketDesk publishes, and its own views of those that it consumes."""

from typing import ClassVar, Literal

from companyos.chassis import Due, Event

from .domain import Approval


class TicketVerified(Event):
    """A ticket's facts were verified; approvals that wait for it may continue."""

    NAME: ClassVar[str] = "ticket.verified"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
    kind: str
    subject: str | None
    reporter: str
    verified_by: str
    version: int


class TicketReopened(Event):
    """A ticket's verification was revoked; requests that are based on it become void."""

    NAME: ClassVar[str] = "ticket.reopened"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
    kind: str
    subject: str | None
    reporter: str
    version: int


class TicketUnblocked(Event):
    """A ticket lost its last blocker."""

    NAME: ClassVar[str] = "ticket.unblocked"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str


class TicketClosed(Event):
    """A ticket was permanently closed."""

    NAME: ClassVar[str] = "ticket.closed"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
    resolution: str


class MetricRefreshed(Event):
    """A metric has a newer version, which a ticket may have waited for."""

    NAME: ClassVar[str] = "metric.refreshed"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    version: int


class ApprovalRequested(Event):
    """A person requested an approval, with or without a ticket."""

    NAME: ClassVar[str] = "approval.requested"
    OBJECT: ClassVar[str] = "request_id"
    FACTS: ClassVar[tuple[str, ...]] = ("ticket_id",)

    request_id: str
    ticket_id: str | None


class ApprovalDecided(Event):
    """An approval request was decided."""

    NAME: ClassVar[str] = "approval.decided"
    OBJECT: ClassVar[str] = "request_id"
    FACTS: ClassVar[tuple[str, ...]] = ("ticket_id",)

    request_id: str
    ticket_id: str | None
    outcome: Literal[Approval.APPROVED, Approval.REJECTED]


class AccessGranted(Event):
    """A person was granted a permission."""

    NAME: ClassVar[str] = "access.granted"
    OBJECT: ClassVar[str] = "permission"

    permission: str
    person_id: str


class AssetAssigned(Event):
    """From DataHub: an asset has a new holder."""

    NAME: ClassVar[str] = "asset.assigned"
    OBJECT: ClassVar[str] = "asset_id"
    FACTS: ClassVar[tuple[str, ...]] = ("asset_class",)

    asset_id: str
    asset_class: str
    holder: str
    previous: str | None


class AssetReturned(Event):
    """From DataHub: an asset is back in the pool."""

    NAME: ClassVar[str] = "asset.returned"
    OBJECT: ClassVar[str] = "asset_id"
    FACTS: ClassVar[tuple[str, ...]] = ("asset_class",)

    asset_id: str
    asset_class: str
    previous: str


class ClearanceChanged(Event):
    """From DataHub: a person's clearance level changed."""

    NAME: ClassVar[str] = "clearance.changed"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    before: int
    level: int


class CheckAnswer(Due):
    """A first answer may be overdue."""

    NAME: ClassVar[str] = "check_answer"

    ticket_id: str
