"""The rules for colleagues who leave."""

from companyos.chassis import UnitOfWork

from ..domain import Action, Status
from ..models import Person, Ticket
from ..repository import TicketDeskRepository

#: The name under which DataHub lists access to this service.
SYSTEM = "ticketdesk"


class Staff:
    """Keeps track of who can be assigned work, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def left(self, person_id: str) -> None:
        """Unassign the open tickets of a person who left, and prevent new assignments."""
        person = await self._unit.get(Person, person_id)
        if person is None or not person.active:
            return
        person.active = False
        for ticket in await self._unit.all(Ticket, assignee=person_id):
            if ticket.status != Status.CLOSED:
                await self._rows.change(ticket, Action.ASSIGNED, assignee=None)
