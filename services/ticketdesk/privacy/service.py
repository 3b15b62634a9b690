"""Personal data: found by a person's identifiers, and permanently erased or redacted."""

from companyos.chassis import ListPage, UnitOfWork, WorldRow, mask, mentioned

from ..domain import Action, Status
from ..models import Comment, Ticket
from ..repository import TicketDeskRepository
from .domain import DataType, ErasureMode
from .errors import NothingToRedact, PersonalDataUnknown, TicketStillOpen
from .events import TicketErased
from .models import Erasure
from .repository import PLACES, PrivacyRepository
from .schemas import FoundData


class Privacy:
    """The rules for personal data, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = PrivacyRepository(unit)
        self._tickets = TicketDeskRepository(unit)

    async def find(self, identifiers: list[str], *, cursor: str | None, limit: int) -> ListPage[FoundData]:
        """Return a page of the tickets and comments that contain any of these identifiers, ordered by id."""
        found = await self._rows.mentions(identifiers, after=cursor, limit=limit)
        return ListPage([await self._found_data(row, identifiers) for row in found.items], found.total)

    async def erase(
        self, object_id: str, *, mode: ErasureMode, basis: str, identifiers: list[str]
    ) -> Erasure:
        """Remove a closed ticket or a comment, or mask identifiers in it, and record the erasure.

        Raises:
            PersonalDataUnknown: No such ticket or comment in this world.
            TicketStillOpen: The ticket to remove is not closed.
            NothingToRedact: It contains none of the identifiers to mask.
        """
        row = await self._rows.object(object_id)
        if row is None:
            raise PersonalDataUnknown(object_id)
        if mode == ErasureMode.REDACT:
            await self._redact(row, identifiers)
        elif isinstance(row, Ticket):
            await self._remove(row)
        else:
            self._unit.remove(row)
        erasure = Erasure(row.id, _type(row), mode, self._unit.actor, self._unit.now, basis)
        self._unit.add(erasure)
        return erasure

    async def forget(self, object_id: str) -> None:
        """Remove an erased object as the subject of tickets, and remove the links to it."""
        for ticket in await self._rows.about(object_id):
            line_id = f"{ticket.id}-H-erased-{object_id}"
            self._tickets.add_line(line_id, ticket, Action.UPDATED, ("subject", object_id, None))
            ticket.subject = None
            self._tickets.touch(ticket)
        for link in await self._rows.links_to(object_id):
            self._unit.remove(link)

    async def _redact(self, row: Ticket | Comment, identifiers: list[str]) -> None:
        if not mask(row, PLACES[_type(row)].columns, identifiers):
            raise NothingToRedact(row.id)
        if isinstance(row, Ticket):
            for part, columns in await self._rows.texts_of(row):
                mask(part, columns, identifiers)
            self._tickets.touch(row)

    async def _remove(self, ticket: Ticket) -> None:
        if ticket.status != Status.CLOSED:
            raise TicketStillOpen(ticket.id, ticket.status)
        for part, _ in await self._rows.texts_of(ticket):
            self._unit.remove(part)
        for part in await self._rows.attached_to(ticket):
            self._unit.remove(part)
        self._unit.remove(ticket)
        self._unit.record(TicketErased(ticket_id=ticket.id))

    async def _found_data(self, row: WorldRow, identifiers: list[str]) -> FoundData:
        type_ = _type(row)
        ticket = row if isinstance(row, Ticket) else await self._unit.get(Ticket, _ticket_id(row))
        return FoundData(
            id=row.id,
            type=type_,
            kind=ticket.kind if ticket else "",
            title=ticket.title if ticket else "",
            status=ticket.status if ticket else "",
            matches=mentioned(row, PLACES[type_].columns, identifiers),
        )


def _type(row: WorldRow) -> DataType:
    return DataType.TICKET if isinstance(row, Ticket) else DataType.COMMENT


def _ticket_id(row: WorldRow) -> str:
    assert isinstance(row, Comment)
    return row.ticket_id
