"""The queries for texts in DataHub that may name people, and for the rows that depend on them."""

from typing import Final

from companyos.chassis import ListPage, Mentioning, UnitOfWork, WorldRow, find_mentions

from ..documents.models import Document
from ..entitlements.models import Entitlement, Ownership
from ..messages.models import Message
from ..models import Change, Record
from .domain import DataType

PLACES: Final = {
    DataType.RECORD: Mentioning(Record, ("name", "fields")),
    DataType.DOCUMENT: Mentioning(Document, ("title", "body")),
    DataType.MESSAGE: Mentioning(Message, ("sender", "recipient", "subject", "body")),
    DataType.ENTITLEMENT: Mentioning(Entitlement, ("person_id", "note")),
}


class PrivacyRepository:
    """Reads rows that may contain personal data, in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def mentions(self, names: list[str], *, after: str | None, limit: int) -> ListPage[WorldRow]:
        """Return a page of the objects that contain any of these names, ordered by id."""
        return await find_mentions(self._unit, list(PLACES.values()), names, after=after, limit=limit)

    async def object(self, object_id: str) -> tuple[DataType, WorldRow] | None:
        """Return an object with its type, or None."""
        await self._unit.fetch(*((place.row, object_id) for place in PLACES.values()))
        for type_, place in PLACES.items():
            if (row := await self._unit.get(place.row, object_id)) is not None:
                return type_, row
        return None

    async def changes(self, object_id: str) -> list[Change]:
        """Return the recorded changes of an object."""
        return await self._unit.all(Change, object_id=object_id)

    async def ownership(self, object_id: str) -> Ownership | None:
        """Return the ownership of an object, or None."""
        return await self._unit.get(Ownership, object_id)
