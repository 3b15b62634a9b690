"""Carries out what other people intend to do about tickets."""

from companyos.chassis import UnitOfWork, acting_as

from ..domain import Status
from ..models import Ticket
from ..repository import TicketDeskRepository
from ..service import Threads, TicketDesk
from ..service_levels.service import Answers
from .domain import IntendedAct, is_untouched
from .models import Intention


class Colleagues:
    """Carries out intentions in one unit of work; skips what the ticket no longer allows."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def carry_out(self, intention_id: str) -> None:
        """Do what somebody intends to do, in their name."""
        intention = await self._unit.get(Intention, intention_id)
        ticket = None if intention is None else await self._rows.find_ticket(intention.ticket_id)
        if intention is None or ticket is None:
            return
        with acting_as(intention.person, self._unit):
            if intention.act == IntendedAct.TAKE:
                await self._take(ticket, intention.person)
            elif intention.act == IntendedAct.ANSWER:
                await self._answer(ticket, intention)
            else:
                await Threads(self._unit).comment(ticket.id, intention.text)

    async def _take(self, ticket: Ticket, person_id: str) -> None:
        """Assign a ticket to a colleague who is still there, if nobody has worked on it."""
        person = await self._rows.person(person_id)
        actions = [line.action for line in await self._rows.history(ticket.id)]
        is_free = is_untouched(ticket.status, ticket.priority, ticket.assignee, actions)
        if is_free and person is not None and person.active:
            await TicketDesk(self._unit).assign(ticket.id, person_id)

    async def _answer(self, ticket: Ticket, intention: Intention) -> None:
        """Answer a ticket that is still the colleague's."""
        if ticket.assignee == intention.person and ticket.status != Status.CLOSED:
            answers = Answers(self._unit)
            await answers.answer(ticket.id, body=intention.text, document_ids=intention.documents)
