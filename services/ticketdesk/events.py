"""The events TicketDesk publishes, and its own small views of those it reacts to."""

from typing import ClassVar, Literal

from companyos.chassis import Event

from .domain import Approval, Kind


class TicketVerified(Event):
    """Somebody has checked a ticket's facts; approvals that wait for it may go on."""

    NAME: ClassVar[str] = "ticket.verified"

    ticket_id: str
    kind: Kind
    subject: str | None
    reporter: str
    verified_by: str
    version: int


class TicketReopened(Event):
    """A ticket's verification was taken back; approvals that rest on it are void."""

    NAME: ClassVar[str] = "ticket.reopened"

    ticket_id: str
    version: int


class TicketUnblocked(Event):
    """A ticket has lost its last blocker."""

    NAME: ClassVar[str] = "ticket.unblocked"

    ticket_id: str


class TicketClosed(Event):
    """A ticket has ended for good."""

    NAME: ClassVar[str] = "ticket.closed"

    ticket_id: str
    resolution: str


class ApprovalRequested(Event):
    """Somebody asked for an approval, about a ticket or about none."""

    NAME: ClassVar[str] = "approval.requested"

    request_id: str
    ticket_id: str | None


class ApprovalDecided(Event):
    """An approval request was decided."""

    NAME: ClassVar[str] = "approval.decided"

    request_id: str
    ticket_id: str | None
    outcome: Literal[Approval.APPROVED, Approval.REJECTED]
