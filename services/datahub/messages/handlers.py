"""The reaction of colleagues to messages."""

from companyos.chassis import Reactions, UnitOfWork

from .events import AnswerMessage
from .service import Messages

reactions = Reactions()


@reactions.due(AnswerMessage)
async def answer_the_message(due: AnswerMessage, unit: UnitOfWork) -> None:
    """Send the colleague's answer, now or, if they are away, on their return."""
    await Messages(unit).answer(due.message_id)
