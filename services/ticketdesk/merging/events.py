"""The event that merging publishes."""

from typing import ClassVar

from companyos.chassis import Event


class TicketMerged(Event):
    """A duplicate was closed in favor of another ticket; open approval requests about it become void."""

    NAME: ClassVar[str] = "ticket.merged"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
    into: str
