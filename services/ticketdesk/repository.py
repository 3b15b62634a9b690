"""TicketDesk's queries, and the only method that changes a ticket, so that every change is recorded."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from companyos.chassis import ListPage, UnitOfWork, VersionConflict, page_after

from .domain import Action, LinkKind, Priority, Status, by_number, due_at, level_id
from .errors import TicketClosed, TicketUnknown
from .models import (
    AnswerClock,
    Calendar,
    Comment,
    ExternalBlocker,
    HistoryLine,
    Link,
    Person,
    ServiceLevel,
    Ticket,
    TicketKind,
)

FIRST_NUMBER = 1001
#: The columns of a ticket that searches read.
SEARCHED = ("id", "kind", "title", "description", "subject")

#: The column that a history line is about, with its values before and after.
Change = tuple[str, object, object]
Part = TypeVar("Part", Comment, Link, HistoryLine)


class TicketDeskRepository:
    """Reads and writes rows in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def find_ticket(self, ticket_id: str) -> Ticket | None:
        """Return a ticket, or None."""
        return await self._unit.get(Ticket, ticket_id)

    async def ticket(self, ticket_id: str, version: int | None = None, *, field: str = "ticket_id") -> Ticket:
        """Return a ticket as the caller has read it.

        Args:
            ticket_id: The ticket's id.
            version: The version that the caller expects; None for any.
            field: The argument that named the ticket, for the refusal's text.

        Raises:
            TicketUnknown: No such ticket in this world.
            VersionConflict: The ticket has another version.
        """
        ticket = await self.find_ticket(ticket_id)
        if ticket is None:
            raise TicketUnknown(ticket_id, field=field)
        if version not in (None, ticket.version):
            raise VersionConflict(ticket.version, version)
        return ticket

    async def open_ticket(
        self, ticket_id: str, version: int | None = None, *, field: str = "ticket_id"
    ) -> Ticket:
        """Return a ticket like `ticket` does, but only if it is open.

        Raises:
            TicketClosed: The ticket is closed.
        """
        ticket = await self.ticket(ticket_id, version, field=field)
        if ticket.status == Status.CLOSED:
            raise TicketClosed(ticket.id, field=field)
        return ticket

    async def tickets(
        self, filters: Mapping[str, str | None], *, q: str | None, after: str | None, limit: int
    ) -> ListPage[Ticket]:
        """Return a page of the tickets that match every given filter and contain `q`, by id."""
        given = {column: value for column, value in filters.items() if value is not None}
        contains = (SEARCHED, q) if q is not None else None
        return await self._unit.page(Ticket, after=after, limit=limit, contains=contains, **given)

    async def next_ticket_id(self) -> str:
        """Return the id of the next ticket of this world."""
        return await self._unit.next_id(Ticket, "TD-", start=FIRST_NUMBER)

    async def all_blockers(self, ticket: Ticket) -> set[str]:
        """Return the ids of the tickets that this one waits for, directly or indirectly."""
        found: set[str] = set()
        waiting = list(ticket.blocked_by)
        while waiting:
            blocker_id = waiting.pop()
            if blocker_id not in found and (blocker := await self.find_ticket(blocker_id)):
                waiting += blocker.blocked_by
            found.add(blocker_id)
        return found

    async def external_blocker(self, object_id: str) -> ExternalBlocker | None:
        """Return the known state of a metric or a request that some ticket waits for, or None."""
        return await self._unit.get(ExternalBlocker, object_id)

    async def person(self, person_id: str) -> Person | None:
        """Return a colleague, or None."""
        return await self._unit.get(Person, person_id)

    async def kind(self, kind_id: str) -> TicketKind | None:
        """Return a kind of ticket, or None."""
        return await self._unit.get(TicketKind, kind_id)

    async def kinds(self) -> list[TicketKind]:
        """Return the company's kinds of ticket, ordered by id."""
        return sorted(await self._unit.all(TicketKind), key=lambda kind: kind.id)

    async def parts(self, part: type[Part], ticket_id: str) -> list[Part]:
        """Return a ticket's comments, links or history, oldest first."""
        return sorted(await self._unit.all(part, ticket_id=ticket_id), key=_age)

    async def page_of_parts(
        self, part: type[Part], ticket_id: str, *, cursor: str | None, limit: int
    ) -> ListPage[Part]:
        """Return a page of `parts`.

        Raises:
            CursorUnknown: The ticket has never had a part with this id.
        """
        last = await self._unit.row_of_cursor(cursor, part, ticket_id=ticket_id)
        return page_after(await self.parts(part, ticket_id), last, limit, place=_age)

    async def requests(self, ticket_id: str) -> set[str]:
        """Return the ids of the approval requests that are linked to a ticket."""
        return {
            link.target for link in await self._unit.all(Link, ticket_id=ticket_id, kind=LinkKind.APPROVAL)
        }

    async def change(
        self, ticket: Ticket, action: Action, *, reason: str | None = None, **values: object
    ) -> None:
        """Set columns of a ticket, increment its version and write the history.

        Values that equal the current ones are ignored. A reason gets its own history line; columns with times
        do not, because each line has its own time.
        """
        new = {column: value for column, value in values.items() if getattr(ticket, column) != value}
        if not new:
            return
        changes: list[Change] = [
            (column, getattr(ticket, column), value)
            for column, value in new.items()
            if not column.endswith("_at")
        ]
        if reason is not None:
            changes.append(("reason", None, reason))

        await self.write_history(ticket, action, changes)
        for column, value in new.items():
            setattr(ticket, column, value)
        self.touch(ticket)

    def touch(self, ticket: Ticket) -> None:
        """Increment a ticket's version."""
        ticket.version += 1
        ticket.updated_at = self._unit.now

    async def write_history(self, ticket: Ticket, action: Action, changes: Iterable[Change]) -> None:
        """Write one history line for each change, numbered in order."""
        for change in changes:
            line_id = await self._unit.next_id(HistoryLine, f"{ticket.id}-H")
            self.add_line(line_id, ticket, action, change)

    def add_line(self, line_id: str, ticket: Ticket, action: Action, change: Change) -> None:
        """Write a history line for the caller's current act on a ticket."""
        column, before, after = change
        self._unit.add(
            HistoryLine(
                id=line_id,
                ticket_id=ticket.id,
                at=self._unit.now,
                actor=self._unit.actor,
                action=action,
                field=column,
                before=_as_text(before),
                after=_as_text(after),
            )
        )


def _age(part: Comment | Link | HistoryLine) -> tuple[int, int, str]:
    at = part.at if isinstance(part, HistoryLine) else part.created_at
    return (at, *by_number(part.id))


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    return ", ".join(value) if isinstance(value, list) else str(value)


class ServiceLevelRepository:
    """Reads service levels in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def clock(self, ticket_id: str) -> AnswerClock | None:
        """Return the clock of a ticket, or None if no service level covers it."""
        return await self._unit.get(AnswerClock, ticket_id)

    async def due(self, clock: AnswerClock, priority: Priority | None) -> int | None:
        """Return when a ticket's first answer is due at this priority, or None without a service level."""
        level = await self._unit.get(ServiceLevel, level_id(clock.tier, priority))
        return None if level is None else await self._deadline(clock, level)

    async def deadlines(self, clock: AnswerClock) -> list[int]:
        """Return when a ticket's first answer is due at each priority of its tier."""
        levels = await self._unit.all(ServiceLevel, tier=clock.tier)
        return [await self._deadline(clock, level) for level in levels]

    async def _deadline(self, clock: AnswerClock, level: ServiceLevel) -> int:
        calendar = await self._unit.get(Calendar, level.calendar)
        assert calendar is not None, f"{level.id} names no calendar"
        return due_at(clock.started_at, level.answer_s, calendar.hours)
