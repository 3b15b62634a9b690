"""Queues: routes tickets, files arriving ones, and finds tickets by a query."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork, acting_as

from ..domain import Action, Status
from ..merging.models import Merge
from ..models import AnswerClock, Ticket
from ..repository import ServiceLevelRepository, TicketDeskRepository
from ..service import Clocks
from .domain import Malformed, parsed
from .errors import QueryInvalid, QueueUnknown
from .models import Arrival, Placement, Queue
from .repository import QueueRepository


class Queues:
    """Routes and finds tickets, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)
        self._levels = ServiceLevelRepository(unit)

    async def list(self, *, cursor: str | None, limit: int) -> ListPage[Queue]:
        """Return a page of the company's queues, by id."""
        return await self._unit.page(Queue, after=cursor, limit=limit)

    async def route(self, ticket_id: str, queue: str, *, version: int | None = None) -> Placement:
        """Put a ticket into a queue, even if it was in another one.

        Raises:
            TicketUnknown, TicketClosed, VersionConflict: As for every change of a ticket.
            QueueUnknown: There is no such queue.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        if await self._unit.get(Queue, queue) is None:
            raise QueueUnknown(queue, [one.id for one in await self._unit.all(Queue)])

        before = await self._unit.get(Placement, ticket.id)
        if before is not None and before.queue == queue:
            return before
        change = ("queue", before and before.queue, queue)
        await self._rows.write_history(ticket, Action.ROUTED, [change])
        placement = Placement(ticket.id, queue, self._unit.actor, self._unit.now)
        self._unit.add(placement)
        return placement

    async def find(self, q: str, *, cursor: str | None, limit: int) -> ListPage[Any]:
        """Return a page of the tickets that match a query, by id, each with its queue and its service level.

        Raises:
            QueryInvalid: The query is not valid.
        """
        try:
            query = parsed(q)
        except Malformed as malformed:
            raise QueryInvalid(malformed) from None
        rows = QueueRepository(self._unit)
        page = await rows.matching(query, after=cursor, limit=limit)
        ids = [one.id for one in page.items]
        await self._unit.fetch(
            *((row, ticket_id) for ticket_id in ids for row in (Placement, AnswerClock, Merge))
        )
        wrote_at = {comment.ticket_id: comment.created_at for comment in await rows.reporters_comments(ids)}
        queued = [await self._queue_entry(ticket, wrote_at.get(ticket.id)) for ticket in page.items]
        return ListPage([_Queued(**columns) for columns in queued], page.total)

    async def take_in(self, arrival_id: str) -> None:
        """File an arriving ticket in the name of its reporter."""
        arrival = await self._unit.get(Arrival, arrival_id)
        if arrival is None or await self._rows.find_ticket(arrival.id) is not None:
            return
        ticket = Ticket(
            id=arrival.id,
            kind=arrival.kind,
            title=arrival.title,
            description=arrival.description,
            status=Status.NEW,
            reporter=arrival.reporter,
            requires_approval=False,
            created_at=self._unit.now,
            updated_at=self._unit.now,
            subject=arrival.subject,
        )
        self._unit.add(ticket)
        self._unit.add(Placement(ticket.id, arrival.queue, arrival.reporter, self._unit.now))
        await Clocks(self._unit).start(ticket, arrival.tier)
        with acting_as(arrival.reporter, self._unit):
            await self._rows.write_history(ticket, Action.CREATED, [("status", None, ticket.status)])

    async def _queue_entry(self, ticket: Ticket, reporter_wrote_at: int | None) -> dict[str, Any]:
        placement = await self._unit.get(Placement, ticket.id)
        clock = await self._levels.clock(ticket.id)
        merge = await self._unit.get(Merge, ticket.id)
        return {
            **vars(ticket),
            "queue": placement and placement.queue,
            "tier": clock and clock.tier,
            "answer_due_at": clock and await self._levels.due(clock, ticket.priority),
            "answered_at": clock and clock.answered_at,
            "breached_at": clock and clock.breached_at,
            "reporter_wrote_at": reporter_wrote_at,
            "merged_into": merge and merge.into,
        }


class _Queued:
    """A ticket with its queue and its service level, as attributes."""

    def __init__(self, **columns: Any) -> None:
        vars(self).update(columns)
