"""Records: reads, changes, and activation by approvals."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork, VersionConflict

from .. import domain
from ..domain import RecordStatus
from ..errors import ActivationNeedsApproval, NothingToChange, RecordUnknown
from ..events import RecordChanged
from ..models import Change, Record
from ..repository import DataHubRepository


class Records:
    """The rules of the company's records, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = DataHubRepository(unit)

    async def get(self, record_id: str) -> Record:
        """Return a record.

        Raises:
            RecordUnknown: No such record in this world.
        """
        record = await self._unit.get(Record, record_id)
        if record is None:
            raise RecordUnknown(record_id)
        return record

    async def page(
        self, *, kind: str | None, q: str | None, cursor: str | None, limit: int
    ) -> ListPage[Record]:
        """Return a page of records."""
        return await self._repository.records(kind=kind, q=q, cursor=cursor, limit=limit)

    async def update(
        self,
        record_id: str,
        *,
        name: str | None,
        status: RecordStatus | None,
        fields: dict[str, Any] | None,
        version: int | None,
    ) -> Record:
        """Change a record, merging `fields` into its own; an edit that changes nothing creates no version.

        Raises:
            NothingToChange: None of name, status and fields is given.
            RecordUnknown: No such record in this world.
            VersionConflict: The record is not at the expected version.
            ActivationNeedsApproval: The edit would make it active.
        """
        if name is None and status is None and fields is None:
            raise NothingToChange
        record = await self.get(record_id)
        if version is not None and version != record.version:
            raise VersionConflict(record.version, version)
        if status is not None and domain.needs_approval(record.status, status):
            raise ActivationNeedsApproval(record.id)

        wanted = {
            "name": name or record.name,
            "status": status or record.status,
            "fields": record.fields | (fields or {}),
        }
        self._change(record, wanted, actor=self._unit.actor, action="updated")
        return record

    async def activate(self, record_id: str, *, request_id: str) -> None:
        """Activate the record that an approved request is about, if there is one."""
        record = await self._unit.get(Record, record_id)
        if record is not None:
            self._change(record, {"status": str(RecordStatus.ACTIVE)}, actor=request_id, action="activated")

    def _change(self, record: Record, wanted: dict[str, Any], *, actor: str, action: str) -> None:
        current = {column: getattr(record, column) for column in wanted}
        changed = domain.changed_names(current, wanted)
        if not changed:
            return
        for column in changed:
            setattr(record, column, wanted[column])
        record.version += 1
        self._unit.add(
            Change(
                id=f"{record.id}@{record.version}",
                object_id=record.id,
                version=record.version,
                at=self._unit.now,
                actor=actor,
                action=action,
                before={column: current[column] for column in changed},
                after={column: wanted[column] for column in changed},
            )
        )
        self._unit.record(RecordChanged(record_id=record.id, status=record.status, version=record.version))
