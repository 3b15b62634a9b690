"""The rules for merging a duplicate into the ticket that it repeats."""

from typing import Final

from companyos.chassis import UnitOfWork

from ..domain import Action, LinkKind, Status
from ..models import Link, Ticket
from ..repository import TicketDeskRepository
from ..service import Threads
from .errors import MergedIntoItself, WorkHasBegun
from .events import TicketMerged
from .models import Merge

_WORKED_ON: Final = frozenset({Status.VERIFIED, Status.IN_PROGRESS, Status.DONE})


class Merging:
    """Merges tickets, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def merge(self, ticket_id: str, into: str) -> Merge:
        """Close a duplicate in favor of an open ticket, and link the two.

        Raises:
            TicketUnknown, TicketClosed: One of them does not exist, or is closed.
            MergedIntoItself, WorkHasBegun: The ticket cannot be a duplicate.
        """
        ticket = await self._rows.open_ticket(ticket_id)
        if into == ticket.id:
            raise MergedIntoItself(ticket.id)
        if ticket.status in _WORKED_ON:
            raise WorkHasBegun(ticket.id, ticket.status)
        other = await self._rows.open_ticket(into, field="into")

        await self._link(ticket, other)
        values = {"status": Status.CLOSED, "resolution": f"Merged into {other.id}."}
        await self._rows.change(ticket, Action.MERGED, **values)
        merge = Merge(ticket.id, other.id, self._unit.actor, self._unit.now)
        self._unit.add(merge)
        self._unit.record(TicketMerged(ticket_id=ticket.id, into=other.id))
        return merge

    async def _link(self, ticket: Ticket, other: Ticket) -> None:
        """Link a duplicate to the ticket that it repeats, unless the link exists."""
        known = {(link.kind, link.target) for link in await self._rows.parts(Link, ticket.id)}
        if (LinkKind.DUPLICATES, other.id) not in known:
            await Threads(self._unit).link(ticket.id, LinkKind.DUPLICATES, other.id)
