"""TicketDesk's reactions to other services' events about blockers, approvals and permissions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Permissions, Reactions, UnitOfWork

from .domain import Approval, due_at, is_awaited, later_instants
from .events import AccessGranted, ApprovalDecided, ApprovalRequested, CheckAnswer, MetricRefreshed
from .models import Permission
from .service import Blockers, Threads
from .service.service_levels import Clocks, check_id

reactions = Reactions()


@reactions.on(ApprovalRequested)
async def show_pending_approval(event: ApprovalRequested, unit: UnitOfWork) -> None:
    if event.ticket_id is not None:
        await Threads(unit).follow_request(event.request_id, event.ticket_id, Approval.PENDING)


@reactions.on(ApprovalDecided)
async def show_decided_approval(event: ApprovalDecided, unit: UnitOfWork) -> None:
    await Blockers(unit).request_decided(event.request_id, event.outcome)
    if event.ticket_id is not None:
        await Threads(unit).follow_request(event.request_id, event.ticket_id, event.outcome)


@reactions.on(MetricRefreshed)
async def settle_what_waits_for_the_metric(event: MetricRefreshed, unit: UnitOfWork) -> None:
    await Blockers(unit).metric_refreshed(event.metric_id, event.version)


@reactions.on(AccessGranted)
async def let_the_person_do_what_takes_the_permission(event: AccessGranted, unit: UnitOfWork) -> None:
    await Permissions(unit, Permission).grant(event.permission, event.person_id)


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
        for instant in later_instants(deadlines, after=start):
            yield CheckAnswer(ticket_id=clock.id), instant, check_id(clock.id, instant)
