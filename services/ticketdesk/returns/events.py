"""The event that returns publish."""

from typing import ClassVar

from companyos.chassis import Event


class TicketReturned(Event):
    """A ticket was returned to its reporter; its verification is revoked, and requests based on it end."""

    NAME: ClassVar[str] = "ticket.returned"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
    kind: str
    subject: str | None
    reporter: str
    version: int
