"""The queries for texts in TicketDesk that may name people, and for the rows that belong to a ticket."""

from typing import Final

from companyos.chassis import ListPage, Mentioning, UnitOfWork, WorldRow, find_mentions

from ..models import Answer, Comment, HistoryLine, Link, Ticket
from ..returns.models import Return
from .domain import DataType

PLACES: Final = {
    DataType.TICKET: Mentioning(Ticket, ("title", "description", "resolution", "evidence")),
    DataType.COMMENT: Mentioning(Comment, ("body",)),
}
#: The tables whose rows belong to a ticket and repeat its texts.
_PARTS: Final = (
    (HistoryLine, ("before", "after")),
    (Return, ("question",)),
    (Answer, ("body",)),
)


class PrivacyRepository:
    """Reads rows that may contain personal data, in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def mentions(self, names: list[str], *, after: str | None, limit: int) -> ListPage[WorldRow]:
        """Return a page of the tickets and comments that contain any of these names, ordered by id."""
        return await find_mentions(self._unit, list(PLACES.values()), names, after=after, limit=limit)

    async def object(self, object_id: str) -> Ticket | Comment | None:
        """Return a ticket or a comment, or None."""
        ticket = await self._unit.get(Ticket, object_id)
        return ticket if ticket is not None else await self._unit.get(Comment, object_id)

    async def texts_of(self, ticket: Ticket) -> list[tuple[WorldRow, tuple[str, ...]]]:
        """Return the rows that repeat a ticket's texts, each with the columns that repeat them."""
        return [
            (row, columns)
            for part, columns in _PARTS
            for row in await self._unit.all(part, ticket_id=ticket.id)
        ]

    async def attached_to(self, ticket: Ticket) -> list[WorldRow]:
        """Return the comments and links of a ticket."""
        comments = await self._unit.all(Comment, ticket_id=ticket.id)
        return [*comments, *await self._unit.all(Link, ticket_id=ticket.id)]

    async def about(self, object_id: str) -> list[Ticket]:
        """Return the tickets about an object of another service."""
        return await self._unit.all(Ticket, subject=object_id)

    async def links_to(self, object_id: str) -> list[Link]:
        """Return the links of tickets to an object of another service."""
        return await self._unit.all(Link, target=object_id)
