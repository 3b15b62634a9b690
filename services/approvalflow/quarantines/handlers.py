"""ApprovalFlow's reactions to quarantines."""

from companyos.chassis import Reactions, UnitOfWork

from .events import MetricQuarantined, MetricReleased
from .service import Quarantines

reactions = Reactions()


@reactions.on(MetricQuarantined)
async def void_the_requests_resting_on_the_quarantined_metric(
    event: MetricQuarantined, unit: UnitOfWork
) -> None:
    await Quarantines(unit).begin(event.metric_id, number=event.number)


@reactions.on(MetricReleased)
async def let_requests_rest_on_the_metric_again(event: MetricReleased, unit: UnitOfWork) -> None:
    await Quarantines(unit).end(event.metric_id, number=event.number)
