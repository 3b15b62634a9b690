"""Periods: reads, and the lock that makes their values final."""

from dataclasses import dataclass

from companyos.chassis import ListPage, UnitOfWork

from ..models import Metric
from . import domain
from .domain import Category, Freshness, PeriodStatus
from .errors import PeriodBusy, PeriodLocked, PeriodUnknown
from .models import Period, PeriodLine
from .repository import PeriodRepository


@dataclass(frozen=True, kw_only=True)
class LineStanding:
    """A line of a period at one instant."""

    metric_id: str
    name: str
    category: Category
    owner: str
    reference: float
    value: float | None
    variance: float | None
    as_of: int
    freshness: Freshness


@dataclass(frozen=True, kw_only=True)
class PeriodStanding:
    """A period with its lines at one instant."""

    id: str
    entity: str
    name: str
    status: PeriodStatus
    starts_at: int
    ends_at: int
    locked_by: str | None
    locked_at: int | None
    version: int
    lines: list[LineStanding]


class Periods:
    """The rules of accounting periods, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = PeriodRepository(unit)

    async def page(
        self, *, entity: str | None, status: PeriodStatus | None, cursor: str | None, limit: int
    ) -> ListPage[Period]:
        """Return a page of periods."""
        return await self._repository.page(entity=entity, status=status, cursor=cursor, limit=limit)

    async def get(self, period_id: str) -> PeriodStanding:
        """Return a period with its lines and their freshness.

        Raises:
            PeriodUnknown: No such period in this world.
        """
        return await self._standing(await self._load(period_id))

    async def lock(self, period_id: str) -> PeriodStanding:
        """Make the values of a period final, even if they are stale or wrong.

        Raises:
            PeriodUnknown: No such period in this world.
            PeriodLocked: It is locked already.
            PeriodBusy: One of its metrics is being refreshed.
        """
        period = await self._load(period_id)
        if period.status == PeriodStatus.LOCKED:
            raise PeriodLocked(period.id)
        lines = await self._repository.lines(period.id)
        if job := await self._repository.running_job([line.metric_id for line in lines]):
            raise PeriodBusy(job.metric_id, job.due_at)

        period.status, period.version = PeriodStatus.LOCKED, period.version + 1
        period.locked_by, period.locked_at = self._unit.actor, self._unit.now
        for line in lines:
            metric = await self._unit.get(Metric, line.metric_id)
            line.locked_value = metric.value if metric else None
        return await self._standing(period)

    async def _load(self, period_id: str) -> Period:
        period = await self._unit.get(Period, period_id)
        if period is None:
            raise PeriodUnknown(period_id)
        return period

    async def _standing(self, period: Period) -> PeriodStanding:
        lines = await self._repository.lines(period.id)
        metrics = await self._repository.lineage(lines)
        return PeriodStanding(
            id=period.id,
            entity=period.entity,
            name=period.name,
            status=PeriodStatus(period.status),
            starts_at=period.starts_at,
            ends_at=period.ends_at,
            locked_by=period.locked_by,
            locked_at=period.locked_at,
            version=period.version,
            lines=[
                self._line(line, metrics, is_final=period.status == PeriodStatus.LOCKED)
                for line in lines
                if line.metric_id in metrics
            ],
        )

    def _line(self, line: PeriodLine, metrics: dict[str, Metric], *, is_final: bool) -> LineStanding:
        metric = metrics[line.metric_id]
        value = line.locked_value if is_final else metric.value
        return LineStanding(
            metric_id=metric.id,
            name=metric.name,
            category=Category(line.category),
            owner=line.owner,
            reference=line.reference,
            value=value,
            variance=domain.variance(value, line.reference),
            as_of=metric.as_of,
            freshness=domain.freshness(metric.id, metrics, self._unit.now),
        )
