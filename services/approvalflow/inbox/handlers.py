"""The inbox's reactions to its own schedule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .events import AnswerQuestion
from .service import Inbox

reactions = Reactions()


@reactions.due(AnswerQuestion)
async def let_the_requester_answer(due: AnswerQuestion, unit: UnitOfWork) -> None:
    await Inbox(unit).answer(due.question_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the pending answers to a base's open questions, as (work, time, id)."""
    for question in rows.get("questions", ()):
        if question.answered_at is None:
            yield (
                AnswerQuestion(question_id=question.id),
                max(question.due_at, start),
                f"answer:{question.id}",
            )
