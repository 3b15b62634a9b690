"""TicketDesk's reactions to other services' events about blockers, approvals and permissions."""

from companyos.chassis import Permissions, Reactions, UnitOfWork

from .domain import Approval
from .events import AccessGranted, ApprovalDecided, ApprovalRequested, MetricRefreshed
from .models import Permission
from .service import Blockers, Threads

reactions = Reactions()


@reactions.on(ApprovalRequested)
async def show_pending_approval(event: ApprovalRequested, unit: UnitOfWork) -> None:
    if event.ticket_id is not None:
        await Threads(unit).follow_request(event.request_id, event.ticket_id, Approval.PENDING)


@reactions.on(ApprovalDecided)
async def show_decided_approval(event: ApprovalDecided, unit: UnitOfWork) -> None:
    await Blockers(unit).request_decided(event.request_id, event.outcome)
    if event.ticket_id is not None:
        await Threads(unit).follow_request(event.request_id, event.ticket_id, event.outcome)


@reactions.on(MetricRefreshed)
async def settle_what_waits_for_the_metric(event: MetricRefreshed, unit: UnitOfWork) -> None:
    await Blockers(unit).metric_refreshed(event.metric_id, event.version)


@reactions.on(AccessGranted)
async def let_the_person_do_what_takes_the_permission(event: AccessGranted, unit: UnitOfWork) -> None:
    await Permissions(unit, Permission).grant(event.permission, event.person_id)
