"""The scheduled work of the inbox."""

from typing import ClassVar

from companyos.chassis import Due


class AnswerQuestion(Due):
    """A requester answers a question."""

    NAME: ClassVar[str] = "answer_question"

    question_id: str
