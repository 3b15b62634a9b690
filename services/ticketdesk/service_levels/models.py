"""Calendars, service levels, and the clock of each ticket, which runs until the first answer."""

from dataclasses import field

from companyos.chassis import world_table

from ..domain import Priority
from ..models import metadata
from .domain import Hours


@world_table(metadata, "calendars")
class Calendar:
    """The opening hours of a desk: seconds of the day, and weekdays with Monday as 0."""

    id: str
    opens_s: int
    closes_s: int
    weekdays: list[int]

    @property
    def hours(self) -> Hours:
        """The opening hours as the rules use them."""
        return Hours(self.opens_s, self.closes_s, frozenset(self.weekdays))


@world_table(metadata, "service_levels", indexes=[("tier",)])
class ServiceLevel:
    """How soon a first answer is due for a contract tier and a priority; id `<tier>:<priority>`.

    Attributes:
        answer_s: Seconds of the calendar's opening hours.
    """

    id: str
    tier: str
    priority: Priority
    answer_s: int
    calendar: str


@world_table(metadata, "answer_clocks", maintained=("started_at", "answered_at", "breached_at"))
class AnswerClock:
    """The clock of a ticket's first answer, under the ticket's id.

    Attributes:
        tier: The contract tier on file when the ticket was filed.
        answered_at: When it was first answered, or returned with a question.
        breached_at: When the answer was found to be overdue.
    """

    id: str
    tier: str
    started_at: int
    answered_at: int | None = None
    breached_at: int | None = None


@world_table(metadata, "answers", indexes=[("ticket_id",)], maintained=("author", "answered_at"))
class Answer:
    """An answer to a ticket's reporter; id `<ticket>-A<n>`.

    Attributes:
        documents: Ids of the documents sent with it.
    """

    id: str
    ticket_id: str
    author: str
    body: str
    answered_at: int
    documents: list[str] = field(default_factory=list)
