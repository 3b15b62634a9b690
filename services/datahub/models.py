"""The tables of DataHub: one dataclass per row, times in simulated seconds."""

from dataclasses import field
from typing import Any

from companyos.chassis import world_metadata, world_table

from . import domain
from .domain import JobStatus, MetricStatus, RecordStatus

metadata = world_metadata("datahub")


@world_table(metadata, "people", indexes=[("role",)])
class Person:
    """Someone of the company, with what they may decide and who stands in for them.

    Attributes:
        delegate: Person id of the stand-in while this person is away.
        delegate_types: Approval types the stand-in may decide.
        delegate_limit: Largest amount the stand-in may decide; None means no limit.
        approval_limit: Largest amount this person may decide; None means no limit.
    """

    id: str
    name: str
    role: str
    team: str
    email: str
    manager: str | None = None
    delegate: str | None = None
    delegate_types: list[str] = field(default_factory=list)
    delegate_limit: float | None = None
    approval_limit: float | None = None


@world_table(metadata, "absences", indexes=[("person_id",)])
class Absence:
    """One absence of a person: away from `starts_at` until just before `ends_at`."""

    id: str
    person_id: str
    starts_at: int
    ends_at: int
    reason: str


@world_table(metadata, "metrics", indexes=[("name",), ("subject",)])
class Metric:
    """A figure about a subject, as it was at `as_of`; fresh for `ttl_s` seconds from then on.

    Attributes:
        source: Name of the job that takes the figure.
        upstream: Ids of the metrics it is computed from.
        refresh_s: How long a refresh takes.
    """

    id: str
    name: str
    unit: str
    as_of: int
    ttl_s: int
    source: str
    refresh_s: int
    subject: str | None = None
    value: float | None = None
    upstream: list[str] = field(default_factory=list)
    status: MetricStatus = MetricStatus.OK
    version: int = 1

    @property
    def expires_at(self) -> int:
        """The first instant at which the figure is stale."""
        return domain.expires_at(self.as_of, self.ttl_s)


@world_table(metadata, "sources", hidden=True)
class Source:
    """What the world really is: the values that refreshes of a metric will bring. Never shown.

    Attributes:
        id: Id of the metric.
        values: What successive successful refreshes bring; the last repeats.
        failures: Numbers of the refreshes, from 0, that fail.
    """

    id: str
    values: list[float] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)


@world_table(metadata, "jobs", indexes=[("metric_id",), ("status",)])
class Job:
    """One refresh of a metric, running until `due_at`."""

    id: str
    metric_id: str
    requested_by: str
    started_at: int
    due_at: int
    status: JobStatus = JobStatus.RUNNING
    finished_at: int | None = None
    error: str | None = None


@world_table(metadata, "records", indexes=[("kind",)])
class Record:
    """What the company knows of a vendor, contract, budget …; `fields` depend on the kind."""

    id: str
    kind: str
    name: str
    fields: dict[str, Any] = field(default_factory=dict)
    status: str = RecordStatus.PENDING
    version: int = 1


@world_table(metadata, "permissions")
class Permission:
    """Something that not everybody may do.

    Attributes:
        id: Its name, such as `refresh_metrics`.
        allows: What it allows, in words, wherever that is done.
        grant_s: How long it takes until it is granted to somebody who asks for it.
        roles: The roles that have it; without any, everybody has.
    """

    id: str
    allows: str
    grant_s: int
    roles: list[str] = field(default_factory=list)


@world_table(metadata, "grants", indexes=[("person_id",)])
class Grant:
    """A permission that somebody asked for, and has from `granted_at` on."""

    id: str
    permission: str
    person_id: str
    reason: str
    requested_at: int
    due_at: int
    granted_at: int | None = None


@world_table(metadata, "receipts", journal=True)
class Receipt:
    """Proof that a reader saw a version of a metric, and when first; id `<metric>@<version>:<reader>`."""

    id: str
    metric_id: str
    version: int
    reader: str
    at: int


@world_table(metadata, "changes", journal=True)
class Change:
    """What made a version of a record or metric; id `<object>@<version>`.

    Attributes:
        actor: Person id, or the approval request that caused the change.
        before: The columns that changed, as they were.
        after: The same columns, as they are since.
    """

    id: str
    object_id: str
    version: int
    at: int
    actor: str
    action: str
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
