"""Merging over HTTP."""

from companyos.chassis import InWorld, ToolRouter

from ..schemas import TicketId
from .models import Merge
from .schemas import MergeTicket, MergeView
from .service import Merging

merging = ToolRouter(prefix="/tickets/{ticket_id}/merge", tags=["merging"])


@merging.post(
    "",
    response_model=MergeView,
    summary="Merge a duplicate into another ticket",
    description="Irreversible: closes the duplicate and links it to the ticket it repeats, which stays open and is "
    "answered for both. Open approval requests about the duplicate become void.",
)
async def merge_ticket(ticket_id: TicketId, body: MergeTicket, unit: InWorld) -> Merge:
    return await Merging(unit).merge(ticket_id, body.into)
