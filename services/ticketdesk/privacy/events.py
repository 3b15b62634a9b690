"""The event that erasures publish, and the area's view of DataHub's erasure event."""

from typing import ClassVar

from companyos.chassis import Event


class TicketErased(Event):
    """A closed ticket was permanently erased, with its comments, links and history."""

    NAME: ClassVar[str] = "ticket.erased"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str


class DataErased(Event):
    """From DataHub: an object was permanently erased or redacted."""

    NAME: ClassVar[str] = "data.erased"
    OBJECT: ClassVar[str] = "object_id"

    object_id: str
    mode: str
