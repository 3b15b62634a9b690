"""The rules for returning a ticket to its reporter."""

from collections.abc import Sequence

from companyos.chassis import UnitOfWork

from ..domain import Action, Approval, Status
from ..models import Ticket
from ..repository import TicketDeskRepository
from ..service import Clocks
from .domain import RETURNABLE
from .errors import NotReturnable
from .events import TicketReturned
from .models import Return


class Returns:
    """Returns tickets, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def return_ticket(
        self, ticket_id: str, *, question: str, references: Sequence[str], version: int | None = None
    ) -> Return:
        """Return a ticket to its reporter, which revokes its verification and its approval; blockers remain.

        For its service level, the question counts as a first answer.

        Raises:
            TicketUnknown, TicketClosed, VersionConflict: As for every change of a ticket.
            NotReturnable: It is done, or was already returned.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        if ticket.status not in RETURNABLE:
            raise NotReturnable(ticket.status)

        await self._rows.change(
            ticket,
            Action.RETURNED,
            reason=question,
            status=Status.RETURNED,
            evidence=None,
            references=[],
            verified_by=None,
            verified_at=None,
            approval=Approval.NONE,
        )
        asked = await self._ask(ticket, question, references)
        await Clocks(self._unit).stop(ticket)
        self._unit.record(
            TicketReturned(
                ticket_id=ticket.id,
                kind=ticket.kind,
                subject=ticket.subject,
                reporter=ticket.reporter,
                version=ticket.version,
            )
        )
        return asked

    async def _ask(self, ticket: Ticket, question: str, references: Sequence[str]) -> Return:
        asked = Return(
            id=await self._unit.next_id(Return, f"{ticket.id}-R"),
            ticket_id=ticket.id,
            question=question,
            returned_by=self._unit.actor,
            returned_at=self._unit.now,
            references=list(dict.fromkeys(references)),
        )
        self._unit.add(asked)
        return asked
