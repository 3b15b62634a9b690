"""The scheduled work of messages."""

from typing import ClassVar

from companyos.chassis import Due


class AnswerMessage(Due):
    """A colleague answers a message."""

    NAME: ClassVar[str] = "answer_message"

    message_id: str
