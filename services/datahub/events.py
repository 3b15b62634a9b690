"""What DataHub announces, what it hears, and what it has due on the simulated clock."""

from typing import ClassVar

from companyos.chassis import Due, Event


class MetricRefreshed(Event):
    """A refresh brought a figure; it counts until `expires_at`."""

    NAME: ClassVar[str] = "metric.refreshed"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    subject: str | None
    name: str
    value: float | None
    as_of: int
    expires_at: int
    version: int


class MetricExpired(Event):
    """A figure outlived its lifetime without a refresh."""

    NAME: ClassVar[str] = "metric.expired"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    version: int


class PersonAway(Event):
    """A person is away from now until `until`; `version` counts what is announced of their comings and goings."""

    NAME: ClassVar[str] = "person.away"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    until: int
    version: int


class PersonBack(Event):
    """A person is here again."""

    NAME: ClassVar[str] = "person.back"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    version: int


class RecordChanged(Event):
    """A record has a new version."""

    NAME: ClassVar[str] = "record.changed"
    OBJECT: ClassVar[str] = "record_id"

    record_id: str
    status: str
    version: int


class AccessGranted(Event):
    """Somebody has a permission from now on."""

    NAME: ClassVar[str] = "access.granted"
    OBJECT: ClassVar[str] = "permission"

    permission: str
    person_id: str


class ApprovalDecided(Event):
    """Heard from the approvals: a request about `subject` was approved or rejected."""

    NAME: ClassVar[str] = "approval.decided"
    OBJECT: ClassVar[str] = "request_id"
    FACTS: ClassVar[tuple[str, ...]] = ("subject",)

    request_id: str
    outcome: str
    subject: str | None = None
    activates_record: bool = False


class FinishRefresh(Due):
    """The source of a running job answers."""

    NAME: ClassVar[str] = "finish_refresh"

    job_id: str


class ExpireMetric(Due):
    """A figure reaches the end of its lifetime."""

    NAME: ClassVar[str] = "expire_metric"

    metric_id: str


class BeginAbsence(Due):
    """An absence of a person starts."""

    NAME: ClassVar[str] = "begin_absence"

    person_id: str
    starts_at: int


class EndAbsence(Due):
    """An absence of a person ends."""

    NAME: ClassVar[str] = "end_absence"

    person_id: str
    ends_at: int


class GrantAccess(Due):
    """A permission that was asked for is granted."""

    NAME: ClassVar[str] = "grant_access"

    grant_id: str
