"""First answers: the clock that runs until a reporter hears back, and the answers that stop it."""

from collections.abc import Sequence
from typing import Final

from companyos.chassis import UnitOfWork, acting_as

from ..domain import Action, is_awaited, later_instants
from ..events import CheckAnswer
from ..models import Answer, AnswerClock, Ticket
from ..repository import ServiceLevelRepository, TicketDeskRepository

#: The actor of what no person does.
_CLOCK: Final = "service_level"


class Clocks:
    """Starts, stops and checks the clocks of tickets, in one unit of work.

    A priority can change at any time, so a clock is checked at the deadline of every priority.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)
        self._levels = ServiceLevelRepository(unit)

    async def start(self, ticket: Ticket, tier: str) -> None:
        """Start the clock of a new ticket."""
        clock = AnswerClock(ticket.id, tier, self._unit.now)
        self._unit.add(clock)
        for instant in later_instants(await self._levels.deadlines(clock), after=self._unit.now):
            self._unit.schedule(CheckAnswer(ticket_id=ticket.id), at=instant, id=check_id(ticket.id, instant))

    async def stop(self, ticket: Ticket) -> None:
        """Stop the clock of a ticket whose reporter just heard back, if it is still running."""
        clock = await self._levels.clock(ticket.id)
        if clock is None or clock.answered_at is not None:
            return
        clock.answered_at = self._unit.now
        due = await self._levels.due(clock, ticket.priority)
        if due is not None and due < self._unit.now and clock.breached_at is None:
            clock.breached_at = self._unit.now
        for instant in later_instants(await self._levels.deadlines(clock), after=self._unit.now):
            await self._unit.cancel(check_id(ticket.id, instant))

    async def check(self, ticket_id: str) -> None:
        """Record the breach of a service level if the first answer is overdue."""
        ticket, clock = await self._rows.find_ticket(ticket_id), await self._levels.clock(ticket_id)
        if ticket is None or clock is None or clock.breached_at is not None:
            return
        due = await self._levels.due(clock, ticket.priority)
        if due is None or due > self._unit.now or not is_awaited(ticket.status, clock.answered_at):
            return
        clock.breached_at = self._unit.now
        with acting_as(_CLOCK, self._unit):
            await self._rows.write_history(ticket, Action.BREACHED, [("answer_due_at", None, due)])


class Answers:
    """Answers reporters, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)
        self._clocks = Clocks(unit)

    async def answer(
        self, ticket_id: str, *, body: str, document_ids: Sequence[str], version: int | None = None
    ) -> Answer:
        """Send an answer to a ticket's reporter, which stops its clock; the ticket stays open.

        Raises:
            TicketUnknown, TicketClosed, VersionConflict: As for every change of a ticket.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        answer = Answer(
            id=await self._unit.next_id(Answer, f"{ticket.id}-A"),
            ticket_id=ticket.id,
            author=self._unit.actor,
            body=body,
            answered_at=self._unit.now,
            documents=list(dict.fromkeys(document_ids)),
        )
        self._unit.add(answer)
        await self._clocks.stop(ticket)
        await self._rows.write_history(ticket, Action.ANSWERED, [("answer", None, answer.id)])
        return answer


def check_id(ticket_id: str, instant: int) -> str:
    """Return the id of the check of a ticket's clock at an instant."""
    return f"answer:{ticket_id}:{instant}"
