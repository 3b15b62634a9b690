"""The queries of service levels."""

from companyos.chassis import UnitOfWork

from ..domain import Priority
from .domain import due_at, level_id
from .models import AnswerClock, Calendar, ServiceLevel


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
