"""The wire types of DataHub. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, Name, PageQuery, Scalar, SimTime, Text, Version, View

from .domain import JobStatus, MetricStatus, RecordStatus

MetricId = Annotated[Key, Path()]
JobId = Annotated[Key, Path()]
RecordId = Annotated[Key, Path()]
PersonId = Annotated[Key, Path()]
RoleName = Annotated[Key, AnyCase]
Role = Annotated[RoleName, Path(description="Such as `cfo`.")]
PermissionName = Annotated[Key, AnyCase, Path(description="Such as `refresh_metrics`.")]

ExpectedVersion = Annotated[
    Version | None, Field(description="The `version` you read; if it has changed since, the call is refused.")
]
#: A name that is not only whitespace.
Title = Annotated[Name, Field(pattern=r"\S")]

AnyJobStatus = Annotated[JobStatus, Field(strict=False), AnyCase]
AnyRecordStatus = Annotated[RecordStatus, Field(strict=False), AnyCase]


class MetricsQuery(PageQuery):
    """Which metrics to list."""

    name: Key | None = Field(None, description="Exact name.")
    subject: Key | None = Field(None, description="Id of the object it is about.")


class JobsQuery(PageQuery):
    """Which refresh jobs to list."""

    metric_id: Key | None = None
    status: AnyJobStatus | None = None


class RecordsQuery(PageQuery):
    """Which records to list."""

    kind: Annotated[Key, AnyCase] | None = Field(None, description="Such as `vendor`.")
    q: Key | None = Field(None, description="Text in the id, kind or name.")


class PeopleQuery(PageQuery):
    """Which people to list."""

    role: RoleName | None = Field(None, description="Such as `cfo`.")
    manager: Key | None = Field(None, description="Person id of whom they report to.")
    q: Key | None = Field(None, description="Text in the id, name, team or role.")


class MetricSummary(View):
    """A metric without its value, which datahub_query_metric returns."""

    id: str = Field(description="Id of the metric; the other metric tools take it as `metric_id`.")
    name: str = Field(description="What is measured, such as `compliance_score`.")
    subject: str | None = Field(description="Id of its subject; null if it is about the company.")
    unit: str = Field(description="Unit of the value.")
    status: MetricStatus = Field(description="`ok`, or `quarantined`: known to be wrong.")
    as_of: SimTime = Field(description="When the value was taken.")
    expires_at: SimTime = Field(description="When the value becomes stale.")
    is_stale: bool = Field(
        description="Whether the value is too old to rely on; datahub_refresh_data renews it."
    )
    source: str = Field(description="The job that takes the value.")
    refresh_s: int = Field(description="Duration of a refresh, in simulated seconds.")
    version: int = Field(description="Grows by one with every new value.")


class MetricReading(MetricSummary):
    """A metric with its value."""

    value: float | None = Field(description="The value; null if none was ever taken.")
    age_s: int = Field(description="Age of the value, in simulated seconds.")


class JobView(View):
    """A refresh of a metric."""

    id: str = Field(description="Id of the job.")
    metric_id: str = Field(description="The metric being refreshed.")
    status: JobStatus = Field(
        description="`running` until `due_at`; then `succeeded`, or `failed` with the value unchanged."
    )
    requested_by: str = Field(description="Person id of the requester.")
    started_at: SimTime = Field(description="When the refresh began.")
    due_at: SimTime = Field(description="When the source answers; the value cannot change before.")
    finished_at: SimTime | None = Field(description="When it ended; null while it runs.")
    error: str | None = Field(description="Why it failed and what to do; null unless it failed.")


class LineageNodeView(View):
    """A metric up or down the line from another."""

    id: str = Field(description="Id of the metric.")
    name: str = Field(description="What is measured.")
    subject: str | None = Field(description="Id of its subject; null if it is about the company.")
    status: MetricStatus = Field(description="`ok` or `quarantined`.")
    is_stale: bool = Field(description="Whether the value is too old to rely on.")
    distance: int = Field(description="Distance from the metric asked for; 1 is a direct neighbor.")


class LineageView(View):
    """Where a metric comes from and where it goes."""

    metric_id: str = Field(description="The metric asked for.")
    upstream: list[LineageNodeView] = Field(
        description="The metrics it is computed from, directly and through others, nearest first."
    )
    downstream: list[LineageNodeView] = Field(
        description="The metrics computed from it, directly and through others, nearest first."
    )


class RecordView(View):
    """A record of a vendor, contract, budget and so on."""

    id: str = Field(description="Id of the record; the other record tools take it as `record_id`.")
    kind: str = Field(
        description="What it is, such as `vendor`, `employee`, `contract`, `expense` or `budget`."
    )
    name: str = Field(description="Its name; two records may have similar names.")
    fields: dict[str, object] = Field(description="Its values by field; null where one is missing.")
    status: str = Field(
        description="`pending` before it is approved, `active`, `inactive`, or as its kind has it."
    )
    version: int = Field(description="Grows by one with every change.")


class UpdateRecord(Body):
    """The changes to a record; fields that are left out or null keep their values."""

    name: Title | None = Field(None, description="New name.")
    status: AnyRecordStatus | None = Field(None, description="`pending` or `inactive`.")
    fields: dict[Key, Scalar] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="New values by field.",
    )
    version: ExpectedVersion = None


class PersonView(View):
    """A person of the company."""

    id: str = Field(description="Id of the person.")
    name: str = Field(description="Full name.")
    role: str = Field(description="The role they hold, such as `cfo` or `analyst`.")
    team: str = Field(description="The team they belong to.")
    email: str = Field(description="Email address.")
    manager: str | None = Field(
        description="Person id of whom they report to; null for the head of the company."
    )
    active: bool = Field(description="Whether they still have an account.")


class AbsenceView(View):
    """An absence of a person."""

    starts_at: SimTime = Field(description="The first moment away.")
    ends_at: SimTime = Field(description="The moment of the return.")
    reason: str = Field(description="The reason, in a word or two.")


class ProfileView(PersonView):
    """A person with their reports, absences and delegate."""

    reports: list[str] = Field(description="Person ids of those who report to them, at most the first 50.")
    is_away: bool = Field(description="Whether they are away now.")
    away_until: SimTime | None = Field(description="When they return; null if they are present.")
    absences: list[AbsenceView] = Field(description="Present and coming absences.")
    delegate: str | None = Field(description="Person id of their delegate; null if there is none.")
    delegate_types: list[str] = Field(
        description="Approval types that the delegate may decide; none if empty."
    )
    delegate_limit: float | None = Field(
        description="Largest amount the delegate may decide; null if there is no limit."
    )


class DeputyView(View):
    """The delegate of an approver."""

    id: str = Field(description="Person id of the delegate.")
    name: str = Field(description="Full name.")
    role: str = Field(description="The delegate's own role.")
    available: bool = Field(description="Whether the delegate is present now and has an account.")
    away_until: SimTime | None = Field(description="When the delegate returns; null if they are present.")
    delegate: str | None = Field(
        description="Person id of the delegate's own delegate; null if there is none. datahub_get_person has the "
        "extent."
    )
    delegate_types: list[str] = Field(description="Approval types the delegate may decide; none if empty.")
    delegate_limit: float | None = Field(
        description="Largest amount the delegate may decide; null if there is no limit."
    )


class ApproverView(View):
    """The person who decides for a role."""

    role: str = Field(description="The role asked for.")
    id: str = Field(description="Person id of the holder.")
    name: str = Field(description="Full name of the holder.")
    available: bool = Field(description="Whether the holder is present now, and decides in person.")
    away_until: SimTime | None = Field(description="When the holder returns; null if they are present.")
    delegate: DeputyView | None = Field(
        description="The holder's delegate, who decides while the holder is away; null if there is none."
    )
    on_duty: str | None = Field(
        description="Person id of who decides now: the holder or, while the holder is away, the delegate within "
        "the types and limit of the delegation. Null if both are away: follow the delegate's own delegate."
    )
    others: list[str] = Field(description="Person ids of other holders of the role.")


class RequestAccess(Body):
    """A permission to ask for."""

    permission: Annotated[Key, AnyCase] = Field(description="Such as `refresh_metrics`.")
    reason: Text = Field(description="Kept on record.")


class AccessView(View):
    """A permission, and whether the caller has it."""

    id: str = Field(description="Name of the permission; other tools take it as `permission`.")
    allows: str = Field(description="What it allows.")
    held: bool = Field(description="Whether you have it now.")
    grant_s: int = Field(description="Time from request to grant, in simulated seconds.")
    due_at: SimTime | None = Field(
        description="When a request of yours is or was granted; null if you made none."
    )
