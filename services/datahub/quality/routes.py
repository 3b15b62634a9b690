"""The quality area over HTTP."""

from typing import Any

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from ..models import Metric
from ..schemas import MetricId
from .schemas import GiveReason, MetricStatusView, PastValueView
from .service import Quality

quality = ToolRouter(prefix="/catalog/metrics/{metric_id}", tags=["quality"])


@quality.get(
    "/history",
    response_model=Page[PastValueView],
    summary="Read a metric's past values",
    description="Returns the values that its source job delivered, oldest first, and when each was taken. The last "
    "one is the present value.",
)
async def get_metric_history(metric_id: MetricId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Quality(unit).history(metric_id, **query.model_dump()), query.limit)


@quality.post(
    "/quarantine",
    response_model=MetricStatusView,
    summary="Quarantine a metric",
    description="Marks it as known to be wrong. Approval requests that rest on it become void and stay so, even when "
    "the quarantine is lifted; refreshing does not lift it. Metrics computed from it keep their status.",
)
async def quarantine_metric(metric_id: MetricId, body: GiveReason, unit: InWorld) -> Metric:
    return await Quality(unit).quarantine(metric_id, reason=body.reason)


@quality.post(
    "/release",
    response_model=MetricStatusView,
    summary="Lift the quarantine of a metric",
    description="Its value counts again. Requests that the quarantine voided stay void.",
)
async def release_metric(metric_id: MetricId, body: GiveReason, unit: InWorld) -> Metric:
    return await Quality(unit).release(metric_id, reason=body.reason)
