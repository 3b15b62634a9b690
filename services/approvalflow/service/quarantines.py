"""The effects of quarantines on requests.

No request with an approver is based on a quarantined metric: the quarantine voids it, or the hand-over does
if it comes later. So quarantines commute with every other event of a step.
"""

from collections.abc import Iterable

from companyos.chassis import UnitOfWork

from ..models import Metric, QuarantinedMetric, Request
from ..repository import ApprovalRepository
from .lifecycle import Lifecycle


class Quarantines:
    """Applies the events about quarantines, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._lifecycle = Lifecycle(unit)

    async def begin(self, metric_id: str, *, number: int) -> None:
        """Void the requests that are based on the metric.

        If the quarantine was lifted before this event arrived, void only those submitted before it was
        lifted.
        """
        known = await self._unit.get(QuarantinedMetric, metric_id)
        if known is None or number > known.number:
            self._unit.add(QuarantinedMetric(metric_id, number, True, self._unit.published_at))
            await self._void(await self._resting_on(metric_id))
        elif number == known.number - 1 and not known.active:
            resting = await self._resting_on(metric_id)
            await self._void([one for one in resting if one.submitted_at < known.since])

    async def end(self, metric_id: str, *, number: int) -> None:
        """Allow requests to use the metric again; voided requests stay void."""
        known = await self._unit.get(QuarantinedMetric, metric_id)
        if known is None or number > known.number:
            self._unit.add(QuarantinedMetric(metric_id, number, False, self._unit.published_at))

    async def _resting_on(self, metric_id: str) -> list[Request]:
        metric = await self._unit.get(Metric, metric_id)
        return [] if metric is None else await ApprovalRepository(self._unit).resting_on(metric)

    async def _void(self, requests: Iterable[Request]) -> None:
        for request in requests:
            await self._lifecycle.void_for_quarantine(request)
