"""The reaction of service levels to answers that may be overdue."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .domain import distinct, due_at, is_awaited
from .events import CheckAnswer
from .service import Clocks, check_id

reactions = Reactions()


@reactions.due(CheckAnswer)
async def record_the_breach_if_the_answer_is_overdue(due: CheckAnswer, unit: UnitOfWork) -> None:
    await Clocks(unit).check(due.ticket_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the checks for every clock that runs at the start, like those of clocks started in this world."""
    statuses = {ticket.id: ticket.status for ticket in rows["tickets"]}
    hours = {calendar.id: calendar.hours for calendar in rows["calendars"]}
    for clock in rows["answer_clocks"]:
        if not is_awaited(statuses[clock.id], clock.answered_at):
            continue
        levels = [level for level in rows["service_levels"] if level.tier == clock.tier]
        deadlines = [due_at(clock.started_at, level.answer_s, hours[level.calendar]) for level in levels]
        for instant in distinct(deadlines, after=start):
            yield CheckAnswer(ticket_id=clock.id), instant, check_id(clock.id, instant)
