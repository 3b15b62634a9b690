"""Recoveries: updates the sources of a system's metrics when a change that fixes it goes live.

The value of a refresh depends only on the set of live changes, so announcements may arrive in any order.
"""

from dataclasses import field
from typing import ClassVar

from companyos.chassis import Area, Event, Reactions, UnitOfWork, world_table

from .models import Source, metadata


@world_table(metadata, "remedies", hidden=True, indexes=[("system",)])
class Remedy:
    """The values of a metric while a procedure is live on a system, and while it is not. Never shown.

    Attributes:
        id: Id of the metric.
        before: The refresh values while the procedure is not live on the system.
        after: The refresh values while it is live.
    """

    id: str
    system: str
    procedure: str
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)


@world_table(metadata, "live_changes", hidden=True, indexes=[("system",)])
class LiveChange:
    """A change as last announced by TicketDesk, under the change's id.

    Attributes:
        ended: Whether it was rolled back, which is final.
    """

    id: str
    system: str
    procedure: str
    ended: bool = False


class ChangeRolledOut(Event):
    """From TicketDesk: a procedure was carried out on a system."""

    NAME: ClassVar[str] = "change.rolled_out"
    OBJECT: ClassVar[str] = "change_id"
    FACTS: ClassVar[tuple[str, ...]] = ("system", "procedure")

    change_id: str
    system: str
    procedure: str


class ChangeRolledBack(ChangeRolledOut):
    """From TicketDesk: a procedure on a system was undone."""

    NAME: ClassVar[str] = "change.rolled_back"


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


reactions = Reactions()


@reactions.on(ChangeRolledOut)
async def let_what_the_change_mends_recover(event: ChangeRolledOut, unit: UnitOfWork) -> None:
    await Recoveries(unit).begin(event.change_id, event.system, event.procedure)


@reactions.on(ChangeRolledBack)
async def let_what_the_change_had_mended_fail_again(event: ChangeRolledBack, unit: UnitOfWork) -> None:
    await Recoveries(unit).end(event.change_id, event.system, event.procedure)


AREA = Area(routers=[], reactions=reactions)
