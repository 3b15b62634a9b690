"""The queries of the quality area."""

from sqlalchemy import Text, bindparam, func, select, tuple_

from companyos.chassis import ListPage, PagedQuery, UnitOfWork, live

from ..models import Change
from .models import Quarantine

_CHANGES = live(Change)
# By length first, so that version 10 follows version 9.
_VERSION = (func.length(_CHANGES.c.id), _CHANGES.c.id)
_AFTER = bindparam("after", type_=Text)

VALUES_TAKEN = PagedQuery(
    select(_CHANGES)
    .where(_CHANGES.c.object_id == bindparam("metric_id", type_=Text))
    .where(_CHANGES.c.action == "refreshed"),
    Change,
    after=tuple_(*_VERSION) > tuple_(func.length(_AFTER), _AFTER),
    order=_VERSION,
)


class QualityRepository:
    """Reads rows in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def values_taken(self, metric_id: str, *, cursor: str | None, limit: int) -> ListPage[Change]:
        """Return a page of the changes that gave a metric a value, oldest first."""
        await self._unit.row_of_cursor(cursor, Change, object_id=metric_id)
        return await self._unit.find_page(VALUES_TAKEN, metric_id=metric_id, after=cursor, limit=limit)

    async def lasting(self, metric_id: str) -> Quarantine | None:
        """Return a metric's current quarantine, if there is one."""
        found = await self._unit.all(Quarantine, metric_id=metric_id, released_at=None)
        return found[0] if found else None
