"""The effects of changes on the metrics of the changed systems.

The value of a refresh depends only on the set of live changes, so announcements may arrive in any order.
"""

from companyos.chassis import UnitOfWork

from ..models import Source
from .models import LiveChange, Remedy


class Recoveries:
    """Applies announced changes to the sources of metrics, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def begin(self, change_id: str, system: str, procedure: str) -> None:
        """Make the metrics that a change fixes recover at their next refresh, unless it has already ended."""
        if await self._unit.get(LiveChange, change_id) is None:
            self._unit.add(LiveChange(change_id, system, procedure))
        await self._update(system, procedure)

    async def end(self, change_id: str, system: str, procedure: str) -> None:
        """Undo the recovery of the metrics that only this change has fixed, at their next refresh."""
        known = await self._unit.get(LiveChange, change_id)
        if known is None:
            self._unit.add(LiveChange(change_id, system, procedure, ended=True))
        else:
            known.ended = True
        await self._update(system, procedure)

    async def _update(self, system: str, procedure: str) -> None:
        changes = await self._unit.all(LiveChange, system=system, procedure=procedure)
        is_live = any(not change.ended for change in changes)
        for remedy in await self._unit.all(Remedy, system=system, procedure=procedure):
            source = await self._unit.get(Source, remedy.id)
            if source is not None:
                source.values = remedy.after if is_live else remedy.before
