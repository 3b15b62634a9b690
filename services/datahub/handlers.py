"""DataHub's reactions to decided approvals and to its own schedule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .domain import JobStatus
from .events import ApprovalDecided, BeginAbsence, EndAbsence, ExpireMetric, FinishRefresh, GrantAccess
from .service import Accesses, Directory, Metrics, Records

reactions = Reactions()


@reactions.on(ApprovalDecided)
async def activate_the_approved_record(event: ApprovalDecided, unit: UnitOfWork) -> None:
    """Activate the subject of an approved request, if its type activates records."""
    if event.outcome == "approved" and event.activates_record and event.subject is not None:
        await Records(unit).activate(event.subject, request_id=event.request_id)


@reactions.due(FinishRefresh)
async def finish_the_refresh(due: FinishRefresh, unit: UnitOfWork) -> None:
    """End the job, with a new value or a failure."""
    await Metrics(unit).finish_refresh(due.job_id)


@reactions.due(ExpireMetric)
async def expire_the_metric(due: ExpireMetric, unit: UnitOfWork) -> None:
    """Announce that the metric is stale, unless it was refreshed first."""
    await Metrics(unit).expire(due.metric_id)


@reactions.due(BeginAbsence)
async def announce_that_a_person_is_away(due: BeginAbsence, unit: UnitOfWork) -> None:
    """Announce that the person is away from now on."""
    await Directory(unit).begin_absence(due.person_id, at=due.starts_at)


@reactions.due(EndAbsence)
async def announce_that_a_person_is_back(due: EndAbsence, unit: UnitOfWork) -> None:
    """Announce that the person is back, unless another absence continues."""
    await Directory(unit).end_absence(due.person_id, at=due.ends_at)


@reactions.due(GrantAccess)
async def grant_the_access(due: GrantAccess, unit: UnitOfWork) -> None:
    """Give the person the permission."""
    await Accesses(unit).grant(due.grant_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the work that a base's rows schedule after `start`, as (work, time, id).

    Fresh metrics expire, running jobs finish, absences begin and end, and requested access is granted.
    """
    for metric in rows.get("metrics", ()):
        if metric.expires_at > start:
            yield ExpireMetric(metric_id=metric.id), metric.expires_at, f"expire:{metric.id}"
    for job in rows.get("jobs", ()):
        if job.status == JobStatus.RUNNING:
            yield FinishRefresh(job_id=job.id), max(job.due_at, start), f"refresh:{job.id}"
    for grant in rows.get("grants", ()):
        if grant.granted_at is None:
            yield GrantAccess(grant_id=grant.id), max(grant.due_at, start), f"grant:{grant.id}"
    for absence in rows.get("absences", ()):
        person_id, starts_at, ends_at = absence.person_id, absence.starts_at, absence.ends_at
        if starts_at > start:
            yield BeginAbsence(person_id=person_id, starts_at=starts_at), starts_at, f"away:{absence.id}"
        if ends_at > start:
            yield EndAbsence(person_id=person_id, ends_at=ends_at), ends_at, f"back:{absence.id}"
