"""What a base's rows bring about by themselves."""

from services.datahub.events import BeginAbsence, EndAbsence, ExpireMetric, FinishRefresh, GrantAccess
from services.datahub.handlers import derive_due
from services.datahub.models import Absence, Grant, Job, Metric

START = 1000


def metric(*, as_of: int, ttl_s: int) -> Metric:
    return Metric(
        id="MET-0001", name="seats", unit="seats", as_of=as_of, ttl_s=ttl_s, source="billing", refresh_s=120
    )


def job(*, status: str, due_at: int) -> Job:
    return Job(
        id="JOB-0001",
        metric_id="MET-0001",
        requested_by="ana.lopez",
        started_at=0,
        due_at=due_at,
        status=status,
    )


def absence(*, starts_at: int, ends_at: int) -> Absence:
    return Absence(id="A-0001", person_id="sarah.chen", starts_at=starts_at, ends_at=ends_at, reason="leave")


def test_an_empty_base_brings_nothing_about() -> None:
    assert list(derive_due({}, START)) == []


def test_a_fresh_metric_expires_at_the_end_of_its_lifetime() -> None:
    due = list(derive_due({"metrics": [metric(as_of=900, ttl_s=600)]}, START))

    assert due == [(ExpireMetric(metric_id="MET-0001"), 1500, "expire:MET-0001")]


def test_a_metric_that_is_stale_at_the_start_expires_no_more() -> None:
    assert list(derive_due({"metrics": [metric(as_of=900, ttl_s=100)]}, START)) == []


def test_a_running_job_finishes_when_it_is_due_and_never_before_the_start() -> None:
    running = [job(status="running", due_at=1200), job(status="running", due_at=900)]

    due = list(derive_due({"jobs": running}, START))

    assert due == [
        (FinishRefresh(job_id="JOB-0001"), 1200, "refresh:JOB-0001"),
        (FinishRefresh(job_id="JOB-0001"), 1000, "refresh:JOB-0001"),
    ]


def test_a_finished_job_brings_nothing_about() -> None:
    assert list(derive_due({"jobs": [job(status="succeeded", due_at=900)]}, START)) == []


def test_a_coming_absence_begins_and_ends() -> None:
    due = list(derive_due({"absences": [absence(starts_at=2000, ends_at=3000)]}, START))

    assert due == [
        (BeginAbsence(person_id="sarah.chen", starts_at=2000), 2000, "away:A-0001"),
        (EndAbsence(person_id="sarah.chen", ends_at=3000), 3000, "back:A-0001"),
    ]


def test_a_present_absence_only_ends_and_a_past_one_brings_nothing_about() -> None:
    assert list(derive_due({"absences": [absence(starts_at=1000, ends_at=3000)]}, START)) == [
        (EndAbsence(person_id="sarah.chen", ends_at=3000), 3000, "back:A-0001")
    ]
    assert list(derive_due({"absences": [absence(starts_at=0, ends_at=1000)]}, START)) == []


def grant(grant_id: str, due_at: int, granted_at: int | None = None) -> Grant:
    return Grant(grant_id, "refresh_metrics", "ana.lopez", "Audit.", 0, due_at, granted_at)


def test_access_that_was_asked_for_is_granted_when_it_is_due_and_once() -> None:
    grants = [grant("ACC-0001", 1200), grant("ACC-0002", 900), grant("ACC-0003", 900, granted_at=900)]

    due = list(derive_due({"grants": grants}, START))

    assert due == [
        (GrantAccess(grant_id="ACC-0001"), 1200, "grant:ACC-0001"),
        (GrantAccess(grant_id="ACC-0002"), START, "grant:ACC-0002"),
    ]
