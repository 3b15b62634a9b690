"""ApprovalFlow's reactions to other services' events and to its own schedule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Permissions, Reactions, UnitOfWork

from .domain import AT_APPROVER, OPEN
from .events import (
    AccessGranted,
    ChangePolicy,
    DecideRequest,
    ExpireRequest,
    MetricExpired,
    MetricQuarantined,
    MetricRefreshed,
    MetricReleased,
    PersonAway,
    PersonBack,
    TicketMerged,
    TicketReopened,
    TicketReturned,
    TicketVerified,
)
from .models import Permission
from .service import Lifecycle, News, Policies, Quarantines

reactions = Reactions()


@reactions.on(TicketVerified)
async def release_the_requests_held_for_the_ticket(event: TicketVerified, unit: UnitOfWork) -> None:
    await News(unit).ticket_verified(event)


@reactions.on(TicketReopened)
async def void_the_requests_resting_on_the_ticket(event: TicketReopened, unit: UnitOfWork) -> None:
    await News(unit).ticket_reopened(event)


@reactions.on(TicketReturned)
async def void_the_requests_about_the_returned_ticket(event: TicketReturned, unit: UnitOfWork) -> None:
    await News(unit).ticket_reopened(event)


@reactions.on(TicketMerged)
async def void_the_requests_about_the_duplicate(event: TicketMerged, unit: UnitOfWork) -> None:
    await News(unit).ticket_merged(event)


@reactions.on(MetricRefreshed)
async def weigh_the_new_metric(event: MetricRefreshed, unit: UnitOfWork) -> None:
    await News(unit).metric_refreshed(event)


@reactions.on(MetricExpired)
async def hold_requests_until_the_metric_is_fresh_again(event: MetricExpired, unit: UnitOfWork) -> None:
    await News(unit).metric_expired(event)


@reactions.on(PersonAway)
async def remember_that_a_person_is_away(event: PersonAway, unit: UnitOfWork) -> None:
    await News(unit).person_away(event)


@reactions.on(PersonBack)
async def remember_that_a_person_is_back(event: PersonBack, unit: UnitOfWork) -> None:
    await News(unit).person_back(event)


@reactions.on(AccessGranted)
async def let_the_person_do_what_takes_the_permission(event: AccessGranted, unit: UnitOfWork) -> None:
    await Permissions(unit, Permission).grant(event.permission, event.person_id)


@reactions.due(DecideRequest)
async def let_the_approver_decide(due: DecideRequest, unit: UnitOfWork) -> None:
    await Lifecycle(unit).decide(due.request_id)


@reactions.due(ChangePolicy)
async def bring_the_policy_into_force(due: ChangePolicy, unit: UnitOfWork) -> None:
    await Policies(unit).change(due.change_id)


@reactions.due(ExpireRequest)
async def expire_the_undecided_request(due: ExpireRequest, unit: UnitOfWork) -> None:
    await Lifecycle(unit).expire(due.request_id)


@reactions.on(MetricQuarantined)
async def void_the_requests_resting_on_the_quarantined_metric(
    event: MetricQuarantined, unit: UnitOfWork
) -> None:
    await Quarantines(unit).begin(event.metric_id, number=event.number)


@reactions.on(MetricReleased)
async def let_requests_rest_on_the_metric_again(event: MetricReleased, unit: UnitOfWork) -> None:
    await Quarantines(unit).end(event.metric_id, number=event.number)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the work that a base's rows schedule after `start`, as (work, time, id).

    Open requests expire, pending ones are decided, and announced policy changes come into force. Work
    scheduled before `start` does not happen: such a request is overdue until somebody acts on it.
    """
    for change in rows.get("policy_changes", ()):
        if change.at > start:
            yield ChangePolicy(change_id=change.id), change.at, f"policy:{change.id}"
    lifetimes = {type_.id: type_.expires_s for type_ in rows.get("approval_types", ())}
    for request in rows.get("requests", ()):
        if request.status not in OPEN:
            continue
        expires_at = request.submitted_at + lifetimes[request.type]
        if expires_at > start:
            yield ExpireRequest(request_id=request.id), expires_at, f"expiry:{request.id}"
        if request.status in AT_APPROVER and (request.decision_due or 0) > start:
            yield DecideRequest(request_id=request.id), request.decision_due, f"decision:{request.id}"
