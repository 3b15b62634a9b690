"""What holds tickets up: tickets that wait for others, and for figures and requests that other services keep."""

from companyos.chassis import UnitOfWork

from .. import errors, events
from ..domain import (
    BLOCKABLE,
    Action,
    Approval,
    Prospect,
    Status,
    is_resolved,
    once_decided,
    once_refreshed,
    once_unblocked,
)
from ..models import Ticket
from ..repository import TicketDeskRepository


class Blockers:
    """What blocks tickets and frees them, in one unit of work.

    What other services announce is kept of what some ticket waits for, and of nothing else.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def block(self, ticket: Ticket, blocker: Ticket) -> None:
        """Make a ticket wait for another, whatever it was doing.

        Raises:
            NotBlockable: Its work is done.
            BlockerCycle: The other one waits for it already.
        """
        if ticket.status not in BLOCKABLE:
            raise errors.NotBlockable(ticket.id, ticket.status)
        if ticket.id in await self._rows.all_blockers(blocker):
            raise errors.BlockerCycle(ticket.id, blocker.id)

        blocked_by = [*ticket.blocked_by, blocker.id]
        await self._rows.change(ticket, Action.BLOCKED, status=Status.BLOCKED, blocked_by=blocked_by)

    async def resolve(self, ticket_id: str, blocker_id: str, version: int | None = None) -> Ticket:
        """Free a ticket from a blocker that holds it up no more; free of all, it is back in triage.

        Raises:
            TicketUnknown, TicketClosed, VersionConflict: As for every change of a ticket.
            NotABlocker: That does not block this ticket.
            BlockerUnresolved: The ticket it waits for is unfinished or unverified, the figure was not refreshed, or
                the request not approved.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        if blocker_id not in ticket.blocked_by:
            raise errors.NotABlocker(ticket.id, blocker_id, ticket.blocked_by)
        await self._refuse_unresolved(blocker_id)

        left = [other for other in ticket.blocked_by if other != blocker_id]
        status = once_unblocked(ticket.status, left)
        await self._rows.change(ticket, Action.UNBLOCKED, status=status, blocked_by=left)
        if not left:
            self._unit.record(events.TicketUnblocked(ticket_id=ticket.id))
        return ticket

    async def figure_refreshed(self, metric_id: str, version: int) -> None:
        """Take in that a figure has a version, which settles what waited for a newer one than it knew."""
        awaited = await self._rows.awaited(metric_id)
        if awaited is not None:
            awaited.prospect = once_refreshed(awaited.prospect, version=version, since=awaited.since)

    async def request_decided(self, request_id: str, outcome: Approval) -> None:
        """Take in what a request has come to, which settles what waited for its approval."""
        awaited = await self._rows.awaited(request_id)
        if awaited is not None:
            awaited.prospect = once_decided(outcome)

    async def _refuse_unresolved(self, blocker_id: str) -> None:
        awaited = await self._rows.awaited(blocker_id)
        if awaited is not None:
            if awaited.prospect != Prospect.SETTLED:
                raise errors.BlockerUnresolved.outside(awaited.id, awaited.kind, awaited.prospect)
            return
        blocker = await self._rows.ticket(blocker_id, field="blocker_id")
        if not is_resolved(blocker.status, blocker.verified_by):
            raise errors.BlockerUnresolved.by_ticket(blocker.id, blocker.status, blocker.verified_by)
