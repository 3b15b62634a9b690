"""Returns over HTTP."""

from companyos.chassis import InWorld, ToolRouter

from ..schemas import TicketId
from .models import Return
from .schemas import ReturnTicket, ReturnView
from .service import Returns

returns = ToolRouter(prefix="/tickets/{ticket_id}/returns", tags=["returns"])


@returns.post(
    "",
    response_model=ReturnView,
    status_code=201,
    summary="Return a ticket to its reporter with a question",
    description="For facts that are wrong or do not suffice. Clears verification and approval, and voids a pending "
    "request about it. ticketdesk_reopen_ticket takes it back.",
)
async def return_ticket(ticket_id: TicketId, body: ReturnTicket, unit: InWorld) -> Return:
    return await Returns(unit).return_ticket(ticket_id, **body.model_dump())
