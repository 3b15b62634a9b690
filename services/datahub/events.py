"""The events that DataHub publishes and consumes, and its scheduled work."""

from typing import ClassVar

from companyos.chassis import Due, Event


class MetricRefreshed(Event):
    """A refresh returned a value, which is fresh until `expires_at`."""

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
    """A metric expired without a refresh."""

    NAME: ClassVar[str] = "metric.expired"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    version: int


class PersonAway(Event):
    """A person is away until `until`; `version` counts the announcements of their absences."""

    NAME: ClassVar[str] = "person.away"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    until: int
    version: int


class PersonBack(Event):
    """A person is back."""

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
    """A person was granted a permission."""

    NAME: ClassVar[str] = "access.granted"
    OBJECT: ClassVar[str] = "permission"

    permission: str
    person_id: str


class ApprovalDecided(Event):
    """From ApprovalFlow: a request about `subject` was approved or rejected."""

    NAME: ClassVar[str] = "approval.decided"
    OBJECT: ClassVar[str] = "request_id"
    FACTS: ClassVar[tuple[str, ...]] = ("subject",)

    request_id: str
    outcome: str
    subject: str | None = None
    activates_record: bool = False


class TicketReopened(Event):
    """From TicketDesk: a verification was revoked."""

    NAME: ClassVar[str] = "ticket.reopened"
    OBJECT: ClassVar[str] = "ticket_id"
    FACTS: ClassVar[tuple[str, ...]] = ("kind", "subject")

    ticket_id: str
    kind: str
    subject: str | None


class FinishRefresh(Due):
    """The source of a running job answers."""

    NAME: ClassVar[str] = "finish_refresh"

    job_id: str


class ExpireMetric(Due):
    """A metric expires."""

    NAME: ClassVar[str] = "expire_metric"

    metric_id: str


class BeginAbsence(Due):
    """A person's absence starts."""

    NAME: ClassVar[str] = "begin_absence"

    person_id: str
    starts_at: int


class EndAbsence(Due):
    """A person's absence ends."""

    NAME: ClassVar[str] = "end_absence"

    person_id: str
    ends_at: int


class GrantAccess(Due):
    """A requested permission is granted."""

    NAME: ClassVar[str] = "grant_access"

    grant_id: str
