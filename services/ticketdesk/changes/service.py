"""The rules for planning changes and carrying them out."""

from companyos.chassis import ListPage, UnitOfWork

from ..domain import Action
from ..repository import TicketDeskRepository
from . import errors
from .domain import Category, ChangeStatus, Procedure, is_early
from .events import ChangeRolledBack, ChangeRolledOut
from .models import PlannedRollout
from .repository import ChangeRepository


class Changes:
    """Plans, rolls out and rolls back changes, in one unit of work.

    People must check that a change is approved; a production system does not know about approvals.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = ChangeRepository(unit)
        self._tickets = TicketDeskRepository(unit)

    async def page(
        self, *, ticket_id: str | None, system: str | None, cursor: str | None, limit: int
    ) -> ListPage[PlannedRollout]:
        """Return a page of changes."""
        filters = {"ticket_id": ticket_id, "system": system}
        return await self._rows.page(filters, after=cursor, limit=limit)

    async def plan(
        self,
        ticket_id: str,
        *,
        system: str,
        procedure: Procedure,
        category: Category,
        starts_at: int | None = None,
    ) -> PlannedRollout:
        """Plan a change for a ticket, replacing one that is still planned.

        Raises:
            TicketUnknown, TicketClosed: There is no such open ticket.
            StartMissing, StartPassed: An ordinary change has no start time, or one in the past.
            ChangeInProduction: A change of the ticket is live.
        """
        ticket = await self._tickets.open_ticket(ticket_id)
        self._refuse_start(category, starts_at)
        if live := await self._rows.of_ticket(ticket.id, ChangeStatus.ROLLED_OUT):
            raise errors.ChangeInProduction(ticket.id, live.id)

        values = {"system": system, "procedure": procedure, "category": category, "starts_at": starts_at}
        change = await self._rows.of_ticket(ticket.id, ChangeStatus.PLANNED)
        if change is None:
            change = PlannedRollout(
                id=await self._rows.next_id(),
                ticket_id=ticket.id,
                system=system,
                procedure=procedure,
                category=category,
                starts_at=starts_at,
                planned_by=self._unit.actor,
                planned_at=self._unit.now,
            )
            self._unit.add(change)
        else:
            self._set(change, **values, planned_by=self._unit.actor, planned_at=self._unit.now)
        await self._tickets.write_history(ticket, Action.CHANGE_PLANNED, [("change", None, change.id)])
        return change

    async def roll_out(self, change_id: str) -> PlannedRollout:
        """Carry a planned change out in production.

        Raises:
            ChangeUnknown: There is no such change.
            ChangeNotPlanned: It was rolled out before.
            ChangeNotDue: It is an ordinary change whose time has not come.
        """
        change = await self._load(change_id)
        if change.status != ChangeStatus.PLANNED:
            raise errors.ChangeNotPlanned(change.id, change.status)
        if change.starts_at is not None and is_early(change.category, change.starts_at, self._unit.now):
            raise errors.ChangeNotDue(change.id, change.starts_at, self._unit.now)

        by, now = self._unit.actor, self._unit.now
        self._set(change, status=ChangeStatus.ROLLED_OUT, rolled_out_by=by, rolled_out_at=now)
        await self._tell(change, Action.CHANGE_ROLLED_OUT)
        self._unit.record(
            ChangeRolledOut(
                change_id=change.id,
                ticket_id=change.ticket_id,
                system=change.system,
                procedure=change.procedure,
            )
        )
        return change

    async def roll_back(self, change_id: str, *, reason: str) -> PlannedRollout:
        """Undo a live change.

        Raises:
            ChangeUnknown: There is no such change.
            ChangeNotLive: It is not in production.
        """
        change = await self._load(change_id)
        if change.status != ChangeStatus.ROLLED_OUT:
            raise errors.ChangeNotLive(change.id, change.status)

        self._set(change, status=ChangeStatus.ROLLED_BACK, rolled_back_at=self._unit.now)
        await self._tell(change, Action.CHANGE_ROLLED_BACK, reason)
        self._unit.record(
            ChangeRolledBack(
                change_id=change.id,
                ticket_id=change.ticket_id,
                system=change.system,
                procedure=change.procedure,
            )
        )
        return change

    async def _load(self, change_id: str) -> PlannedRollout:
        change = await self._rows.find(change_id)
        if change is None:
            raise errors.ChangeUnknown(change_id)
        return change

    def _refuse_start(self, category: Category, starts_at: int | None) -> None:
        if category == Category.ORDINARY and starts_at is None:
            raise errors.StartMissing
        if starts_at is not None and starts_at <= self._unit.now:
            raise errors.StartPassed(starts_at, self._unit.now)

    async def _tell(self, change: PlannedRollout, action: Action, reason: str | None = None) -> None:
        """Write a line to the history of the change's ticket, even if the ticket is closed."""
        ticket = await self._tickets.ticket(change.ticket_id)
        entries = [("change", None, change.id)] + ([("reason", None, reason)] if reason else [])
        await self._tickets.write_history(ticket, action, entries)

    def _set(self, change: PlannedRollout, **values: object) -> None:
        for column, value in values.items():
            setattr(change, column, value)
        change.version += 1
