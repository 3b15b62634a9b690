"""Blockers: the other tickets, and the metrics and requests in other services, that a ticket waits for."""

from companyos.chassis import UnitOfWork

from .. import errors, events
from ..domain import (
    BLOCKABLE,
    Action,
    Approval,
    ExternalStatus,
    Status,
    is_resolved,
    once_decided,
    once_refreshed,
    once_unblocked,
)
from ..models import Ticket
from ..repository import TicketDeskRepository


class Blockers:
    """Blocks and unblocks tickets, in one unit of work.

    Only those events of other services that concern a ticket's blockers are stored.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def block(self, ticket: Ticket, blocker: Ticket) -> None:
        """Block a ticket on another.

        Raises:
            NotBlockable: The ticket is finished or returned.
            BlockerCycle: The other ticket already waits for it.
        """
        if ticket.status not in BLOCKABLE:
            raise errors.NotBlockable(ticket.id, ticket.status)
        if ticket.id in await self._rows.all_blockers(blocker):
            raise errors.BlockerCycle(ticket.id, blocker.id)

        blocked_by = [*ticket.blocked_by, blocker.id]
        await self._rows.change(ticket, Action.BLOCKED, status=Status.BLOCKED, blocked_by=blocked_by)

    async def resolve(self, ticket_id: str, blocker_id: str, version: int | None = None) -> Ticket:
        """Remove a resolved blocker from a ticket; if it was the last one, the ticket returns to triage.

        Raises:
            TicketUnknown, TicketClosed, VersionConflict: As for every change of a ticket.
            NotABlocker: The object does not block this ticket.
            BlockerUnresolved: The blocking ticket is unfinished or unverified, the metric was not refreshed, or
                the request was not approved.
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

    async def metric_refreshed(self, metric_id: str, version: int) -> None:
        """Apply a metric's new version, which settles blockers that wait for one newer than `since`."""
        awaited = await self._rows.external_blocker(metric_id)
        if awaited is not None:
            awaited.status = once_refreshed(awaited.status, version=version, since=awaited.since)

    async def request_decided(self, request_id: str, outcome: Approval) -> None:
        """Apply a request's outcome; an approval settles the blockers that wait for it."""
        awaited = await self._rows.external_blocker(request_id)
        if awaited is not None:
            awaited.status = once_decided(outcome)

    async def _refuse_unresolved(self, blocker_id: str) -> None:
        awaited = await self._rows.external_blocker(blocker_id)
        if awaited is not None:
            if awaited.status != ExternalStatus.SETTLED:
                raise errors.BlockerUnresolved.outside(awaited.id, awaited.kind, awaited.status)
            return
        blocker = await self._rows.ticket(blocker_id, field="blocker_id")
        if not is_resolved(blocker.status, blocker.verified_by):
            raise errors.BlockerUnresolved.by_ticket(blocker.id, blocker.status, blocker.verified_by)
