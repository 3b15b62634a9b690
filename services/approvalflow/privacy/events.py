"""The area's view of TicketDesk's event about erased tickets."""

from typing import ClassVar

from companyos.chassis import Event


class TicketErased(Event):
    """From TicketDesk: a closed ticket was permanently erased."""

    NAME: ClassVar[str] = "ticket.erased"
    OBJECT: ClassVar[str] = "ticket_id"

    ticket_id: str
