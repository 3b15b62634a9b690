"""The queries of the periods area, except lookups of one row by its id."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork

from ..models import Job, Metric
from ..repository import DataHubRepository
from .models import Period, PeriodLine


class PeriodRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._metrics = DataHubRepository(unit)

    async def page(
        self, *, entity: str | None, status: str | None, cursor: str | None, limit: int
    ) -> ListPage[Period]:
        """Return a page of periods, optionally of one entity or one status."""
        given = {"entity": entity, "status": status}
        filters: dict[str, Any] = {column: value for column, value in given.items() if value is not None}
        return await self._unit.page(Period, after=cursor, limit=limit, **filters)

    async def lines(self, period_id: str) -> list[PeriodLine]:
        """Return the lines of a period."""
        return await self._unit.all(PeriodLine, period_id=period_id)

    async def lineage(self, lines: list[PeriodLine]) -> dict[str, Metric]:
        """Return the metrics of these lines and all metrics from which they are computed, by id."""
        await self._unit.fetch(*((Metric, line.metric_id) for line in lines))
        own = [await self._unit.get(Metric, line.metric_id) for line in lines]
        frontier = [metric for metric in own if metric is not None]
        found: dict[str, Metric] = {}
        while frontier:
            found |= {metric.id: metric for metric in frontier}
            frontier = [one for one in await self._metrics.feeding(frontier) if one.id not in found]
        return found

    async def running_job(self, metric_ids: list[str]) -> Job | None:
        """Return a job that is refreshing one of these metrics, if any."""
        for metric_id in metric_ids:
            if job := await self._metrics.running_job(metric_id):
                return job
        return None
