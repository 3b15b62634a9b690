"""Answers over HTTP."""

from companyos.chassis import InWorld, ToolRouter

from ..schemas import TicketId
from .models import Answer
from .schemas import AnswerTicket, AnswerView
from .service import Answers

answers = ToolRouter(prefix="/tickets/{ticket_id}/answers", tags=["answers"])


@answers.post(
    "",
    response_model=AnswerView,
    status_code=201,
    summary="Answer a ticket's reporter",
    description="Sends the answer with its documents; it cannot be edited or taken back. The first one meets the "
    "service level if sent before `answer_due_at`. The ticket stays open.",
)
async def answer_ticket(ticket_id: TicketId, body: AnswerTicket, unit: InWorld) -> Answer:
    return await Answers(unit).answer(ticket_id, **body.model_dump())
