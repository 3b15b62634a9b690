"""The queries of changes."""

from collections.abc import Mapping
from typing import Any

from companyos.chassis import ListPage, UnitOfWork

from .domain import ChangeStatus
from .models import PlannedRollout


class ChangeRepository:
    """Reads changes in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def find(self, change_id: str) -> PlannedRollout | None:
        """Return a change, or None."""
        return await self._unit.get(PlannedRollout, change_id)

    async def of_ticket(self, ticket_id: str, status: ChangeStatus) -> PlannedRollout | None:
        """Return a ticket's planned or live change, of which it has at most one each, or None."""
        found = await self._unit.all(PlannedRollout, ticket_id=ticket_id, status=status)
        return found[0] if found else None

    async def page(
        self, filters: Mapping[str, str | None], *, after: str | None, limit: int
    ) -> ListPage[PlannedRollout]:
        """Return a page of the changes that match every given filter, by id."""
        given: dict[str, Any] = {column: value for column, value in filters.items() if value is not None}
        return await self._unit.page(PlannedRollout, after=after, limit=limit, **given)

    async def next_id(self) -> str:
        """Return the id of the next change of this world."""
        return await self._unit.next_id(PlannedRollout, "CHG-", start=101)
