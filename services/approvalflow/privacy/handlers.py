"""ApprovalFlow's reaction to erased tickets."""

from companyos.chassis import Reactions, UnitOfWork

from .events import TicketErased
from .service import Privacy

reactions = Reactions()


@reactions.on(TicketErased)
async def void_the_requests_about_the_erased_ticket(event: TicketErased, unit: UnitOfWork) -> None:
    await Privacy(unit).ticket_erased(event.ticket_id)
