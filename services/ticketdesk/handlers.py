"""What TicketDesk does when something happens elsewhere: a ticket shows what its approval request has come to."""

from companyos.chassis import Reactions, UnitOfWork

from .domain import Approval
from .events import ApprovalDecided, ApprovalRequested
from .service import Threads

reactions = Reactions()


@reactions.on(ApprovalRequested)
async def show_pending_approval(event: ApprovalRequested, unit: UnitOfWork) -> None:
    if event.ticket_id is not None:
        await Threads(unit).follow_request(event.request_id, event.ticket_id, Approval.PENDING)


@reactions.on(ApprovalDecided)
async def show_decided_approval(event: ApprovalDecided, unit: UnitOfWork) -> None:
    if event.ticket_id is not None:
        await Threads(unit).follow_request(event.request_id, event.ticket_id, event.outcome)
