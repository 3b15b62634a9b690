"""Personal data: found by a person's identifiers, and permanently erased or redacted."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork, WorldRow, mask, mentioned

from .domain import DataType, ErasureMode
from .errors import NothingToRedact, PersonalDataUnknown
from .events import DataErased
from .models import Erasure
from .repository import PLACES, PrivacyRepository
from .schemas import FoundData

#: Columns of a change that repeat the texts of its object.
_REPEATED = ("before", "after")


class Privacy:
    """The rules for personal data, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = PrivacyRepository(unit)

    async def find(self, identifiers: list[str], *, cursor: str | None, limit: int) -> ListPage[FoundData]:
        """Return a page of the objects that contain any of these identifiers, ordered by id."""
        found = await self._rows.mentions(identifiers, after=cursor, limit=limit)
        return found.map(lambda row: _found_data(row, identifiers))

    async def erase(
        self, object_id: str, *, mode: ErasureMode, basis: str, identifiers: list[str]
    ) -> Erasure:
        """Remove an object, or mask identifiers in it, and record the erasure.

        Raises:
            PersonalDataUnknown: No such object in this world.
            NothingToRedact: It contains none of the identifiers to mask.
        """
        found = await self._rows.object(object_id)
        if found is None:
            raise PersonalDataUnknown(object_id)
        type_, row = found
        if mode == ErasureMode.REDACT:
            await self._redact(type_, row, identifiers)
        else:
            await self._remove(row)
        erasure = Erasure(row.id, type_, mode, self._unit.actor, self._unit.now, basis)
        self._unit.add(erasure)
        self._unit.record(DataErased(object_id=row.id, type=type_, mode=mode))
        return erasure

    async def _redact(self, type_: DataType, row: Any, identifiers: list[str]) -> None:
        if not mask(row, PLACES[type_].columns, identifiers):
            raise NothingToRedact(row.id)
        if type_ in (DataType.RECORD, DataType.ENTITLEMENT, DataType.DOCUMENT):
            row.version += 1
        for change in await self._rows.changes(row.id):
            mask(change, _REPEATED, identifiers)

    async def _remove(self, row: WorldRow) -> None:
        for change in await self._rows.changes(row.id):
            self._unit.remove(change)
        ownership = await self._rows.ownership(row.id)
        if ownership is not None:
            self._unit.remove(ownership)
        self._unit.remove(row)


def _found_data(row: WorldRow, identifiers: list[str]) -> FoundData:
    type_, place = next((type_, place) for type_, place in PLACES.items() if isinstance(row, place.row))
    record: Any = row
    match type_:
        case DataType.RECORD:
            kind, title = record.kind, record.name
        case DataType.DOCUMENT:
            kind, title = record.kind, record.title
        case DataType.MESSAGE:
            kind, title = "message", record.subject
        case DataType.ENTITLEMENT:
            kind, title = record.system, record.person_id
    return FoundData(
        id=row.id, type=type_, kind=kind, title=title, matches=mentioned(row, place.columns, identifiers)
    )
