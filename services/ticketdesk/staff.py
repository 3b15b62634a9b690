"""Staff: unassigns the tickets of colleagues who leave."""

from typing import ClassVar

from companyos.chassis import Area, Event, Reactions, UnitOfWork

from .domain import Action, Status
from .models import Person, Ticket
from .repository import TicketDeskRepository


class PersonDeactivated(Event):
    """From DataHub: a person's account was suspended or purged."""

    NAME: ClassVar[str] = "person.deactivated"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str


class EntitlementRevoked(Event):
    """From DataHub: a person lost access to a system."""

    NAME: ClassVar[str] = "entitlement.revoked"
    OBJECT: ClassVar[str] = "entitlement_id"

    entitlement_id: str
    person_id: str
    system: str


#: The name under which DataHub lists access to this service.
SYSTEM = "ticketdesk"


class Staff:
    """Keeps track of who can be assigned work, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def note_departure(self, person_id: str) -> None:
        """Unassign the open tickets of a person who left, and prevent new assignments."""
        person = await self._unit.get(Person, person_id)
        if person is None or not person.active:
            return
        person.active = False
        for ticket in await self._unit.all(Ticket, assignee=person_id):
            if ticket.status != Status.CLOSED:
                await self._rows.change(ticket, Action.ASSIGNED, assignee=None)


reactions = Reactions()


@reactions.on(PersonDeactivated)
async def unassign_the_tickets_of_who_left(event: PersonDeactivated, unit: UnitOfWork) -> None:
    await Staff(unit).note_departure(event.person_id)


@reactions.on(EntitlementRevoked)
async def unassign_the_tickets_of_who_lost_access(event: EntitlementRevoked, unit: UnitOfWork) -> None:
    if event.system == SYSTEM:
        await Staff(unit).note_departure(event.person_id)


AREA = Area(routers=[], reactions=reactions)
