"""The rules of the quality area: a metric's past values and its quarantine."""

from dataclasses import dataclass

from companyos.chassis import ListPage, UnitOfWork

from ..domain import MetricStatus
from ..errors import MetricUnknown
from ..models import Change, Metric
from .errors import AlreadyQuarantined, NotQuarantined
from .events import MetricQuarantined, MetricReleased
from .models import Quarantine
from .repository import QualityRepository


@dataclass(frozen=True, kw_only=True)
class PastValue:
    """A value that a metric had from some version on, and the job that took it."""

    id: str
    metric_id: str
    version: int
    value: float | None
    as_of: int
    source: str
    requested_by: str


class Quality:
    """The rules of past values and quarantines, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = QualityRepository(unit)

    async def history(self, metric_id: str, *, cursor: str | None, limit: int) -> ListPage[PastValue]:
        """Return a page of the values that a metric's source job took, oldest first.

        Raises:
            MetricUnknown: No such metric in this world.
        """
        metric = await self._load(metric_id)
        taken = await self._repository.values_taken(metric.id, cursor=cursor, limit=limit)
        return taken.map(lambda change: _past_value(metric, change))

    async def quarantine(self, metric_id: str, *, reason: str) -> Metric:
        """Mark a metric as known to be wrong; it keeps its value, and a refresh does not lift the mark.

        Raises:
            MetricUnknown: No such metric in this world.
            AlreadyQuarantined: It is already marked.
        """
        metric = await self._load(metric_id)
        if metric.status == MetricStatus.QUARANTINED:
            raise AlreadyQuarantined(metric.id)

        metric.status = MetricStatus.QUARANTINED
        quarantine_id = await self._unit.next_id(Quarantine, f"{metric.id}-Q")
        self._unit.add(Quarantine(quarantine_id, metric.id, self._unit.actor, reason, self._unit.now))
        self._unit.record(MetricQuarantined(metric_id=metric.id, number=await self._number(metric)))
        return metric

    async def release(self, metric_id: str, *, reason: str) -> Metric:
        """Lift the quarantine of a metric.

        Raises:
            MetricUnknown: No such metric in this world.
            NotQuarantined: It is not quarantined.
        """
        metric = await self._load(metric_id)
        if metric.status != MetricStatus.QUARANTINED:
            raise NotQuarantined(metric.id)

        metric.status = MetricStatus.OK
        if lasting := await self._repository.lasting(metric.id):
            lasting.released_by, lasting.released_at = self._unit.actor, self._unit.now
            lasting.release_reason = reason
        self._unit.record(MetricReleased(metric_id=metric.id, number=await self._number(metric)))
        return metric

    async def _load(self, metric_id: str) -> Metric:
        metric = await self._unit.get(Metric, metric_id)
        if metric is None:
            raise MetricUnknown(metric_id)
        return metric

    async def _number(self, metric: Metric) -> int:
        return await self._unit.next_number(f"quarantine:{metric.id}")


def _past_value(metric: Metric, change: Change) -> PastValue:
    return PastValue(
        id=change.id,
        metric_id=metric.id,
        version=change.version,
        value=change.after["value"],
        as_of=change.after["as_of"],
        source=metric.source,
        requested_by=change.actor,
    )
