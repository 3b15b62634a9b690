"""The tables of DataHub: one dataclass per table, with times in simulated seconds."""

from dataclasses import field
from typing import Any

from companyos.chassis import world_metadata, world_table

from . import domain
from .domain import JobStatus, MetricStatus, RecordStatus

metadata = world_metadata("datahub")


@world_table(metadata, "people", indexes=[("role",), ("manager",)])
class Person:
    """A person of the company, with their delegation.

    Attributes:
        delegate: Person id of the delegate while this person is away.
        delegate_types: Approval types that the delegate may decide.
        delegate_limit: Largest amount that the delegate may decide; None means no limit.
        manager: Person id of their manager; None for the head of the company.
        active: Whether they still have an account.
    """

    id: str
    name: str
    role: str
    team: str
    email: str
    delegate: str | None = None
    delegate_types: list[str] = field(default_factory=list)
    delegate_limit: float | None = None
    manager: str | None = None
    active: bool = True


@world_table(metadata, "absences", indexes=[("person_id",)])
class Absence:
    """One absence of a person: away from `starts_at` until just before `ends_at`."""

    id: str
    person_id: str
    starts_at: int
    ends_at: int
    reason: str


@world_table(metadata, "metrics", indexes=[("name",), ("subject",)], maintained=("as_of", "version"))
class Metric:
    """A metric about a subject, taken at `as_of` and fresh for `ttl_s` seconds.

    Attributes:
        source: Name of the job that measures the value.
        upstream: Ids of the metrics from which it is computed.
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
        """The first instant at which the metric is stale."""
        return domain.expires_at(self.as_of, self.ttl_s)


@world_table(metadata, "sources", hidden=True)
class Source:
    """The hidden truth about a metric: the values that refreshes will return. Never shown.

    Attributes:
        id: Id of the metric.
        values: The values of successive successful refreshes; the last repeats.
        failures: Numbers of the refreshes, from 0, that fail.
        weights: For a metric that every refresh recomputes: the factor for each upstream metric's current
            value, which is added to the source's value.
    """

    id: str
    values: list[float] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)


@world_table(
    metadata,
    "jobs",
    indexes=[("metric_id",), ("status",)],
    maintained=("requested_by", "started_at", "due_at", "status", "finished_at", "error"),
)
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


@world_table(metadata, "records", indexes=[("kind",)], maintained=("version",))
class Record:
    """A record of a vendor, contract, budget …; `fields` depend on the kind."""

    id: str
    kind: str
    name: str
    fields: dict[str, Any] = field(default_factory=dict)
    status: str = RecordStatus.PENDING
    version: int = 1


@world_table(metadata, "permissions")
class Permission:
    """An action that not everybody may take.

    Attributes:
        id: Its name, such as `refresh_metrics`.
        allows: The action, in words, in any service.
        grant_s: How long a requested grant takes.
        roles: The roles that have it; if empty, everybody has it.
    """

    id: str
    allows: str
    grant_s: int
    roles: list[str] = field(default_factory=list)


@world_table(
    metadata,
    "grants",
    indexes=[("person_id",)],
    maintained=("person_id", "requested_at", "due_at", "granted_at"),
)
class Grant:
    """A requested permission, granted at `granted_at`."""

    id: str
    permission: str
    person_id: str
    reason: str
    requested_at: int
    due_at: int
    granted_at: int | None = None


@world_table(metadata, "receipts", journal=True)
class Receipt:
    """Proof that a reader saw a version of a metric, document or message, with the time of the first read.

    Attributes:
        id: `<object>@<version>:<reader>`.
    """

    id: str
    object_id: str
    version: int
    reader: str
    at: int


@world_table(metadata, "changes", indexes=[("object_id",)], journal=True)
class Change:
    """The change that created a version of a record or metric; id `<object>@<version>`.

    Attributes:
        actor: Person id, or the approval request that caused the change.
        before: The changed columns with their old values.
        after: The same columns with their new values.
    """

    id: str
    object_id: str
    version: int
    at: int
    actor: str
    action: str
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
