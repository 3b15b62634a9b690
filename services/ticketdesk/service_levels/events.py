"""The scheduled work of service levels."""

from typing import ClassVar

from companyos.chassis import Due


class CheckAnswer(Due):
    """A first answer may be overdue."""

    NAME: ClassVar[str] = "check_answer"

    ticket_id: str
