"""What goes over DataHub's wire. Every description here is read by agents: it is part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import Body, Key, Name, PageQuery, SimTime, Text, Version, View

from .domain import JobStatus, MetricStatus, RecordStatus

MetricId = Annotated[Key, Path(description="Id of the metric, such as `MET-0104`; list_metrics finds it.")]
JobId = Annotated[
    Key, Path(description="Id of the refresh job, such as `JOB-0001`; refresh_data returns it.")
]
RecordId = Annotated[Key, Path(description="Id of the record, such as `V-104`; list_records finds it.")]
PersonId = Annotated[Key, Path(description="Id of the person, such as `ana.lopez`; list_people finds it.")]
Role = Annotated[
    Key,
    Path(description="A role of the company, such as `cfo`, `cto`, `hr_lead` or `procurement`."),
]
PermissionName = Annotated[
    Key, Path(description="Name of the permission, such as `refresh_metrics`; list_access finds it.")
]

ExpectedVersion = Annotated[
    Version | None,
    Field(
        description="The record's `version` as you last read it. Where somebody has changed the record since, the "
        "call is refused and changes nothing. Leave it out to act on whatever the record is now."
    ),
]
#: A name that says something: not only spaces.
Title = Annotated[Name, Field(pattern=r"\S")]

Integer = Annotated[int, Field(ge=-(10**15), le=10**15)]
Number = Annotated[float, Field(ge=-1e15, le=1e15)]
#: What a record's field can hold: one value, not a structure.
Scalar = bool | Integer | Number | Annotated[str, Field(max_length=4000)] | None


class MetricsQuery(PageQuery):
    """Which metrics to list."""

    name: Key | None = Field(
        None, description="Only metrics of exactly this name, such as `compliance_score`."
    )
    subject: Key | None = Field(None, description="Only metrics about this, such as the record id `V-104`.")


class JobsQuery(PageQuery):
    """Which refresh jobs to list."""

    metric_id: Key | None = Field(None, description="Only jobs that refresh this metric.")
    status: JobStatus | None = Field(None, description="Only jobs of this status.")


class RecordsQuery(PageQuery):
    """Which records to list."""

    kind: Key | None = Field(None, description="Only records of exactly this kind, such as `vendor`.")
    q: Key | None = Field(None, description="Only records whose id or name contains this text, in any case.")


class PeopleQuery(PageQuery):
    """Which people to list."""

    role: Key | None = Field(None, description="Only people who hold exactly this role, such as `cfo`.")
    q: Key | None = Field(
        None, description="Only people whose id, name or team contains this text, in any case."
    )


class MetricSummary(View):
    """A metric without its figure, which query_metric tells."""

    id: str = Field(description="Id of the metric; the other metric tools take it as `metric_id`.")
    name: str = Field(description="What is measured, such as `compliance_score`.")
    subject: str | None = Field(
        description="Id of what the figure is about; null if it is about the company."
    )
    unit: str = Field(description="Unit of the figure.")
    status: MetricStatus = Field(
        description="`ok`, or `quarantined`: known to be wrong and not to be relied upon."
    )
    as_of: SimTime = Field(description="When the figure was taken.")
    expires_at: SimTime = Field(description="From when on the figure is stale.")
    is_stale: bool = Field(
        description="Whether the figure is too old to be relied upon; refresh_data renews it."
    )
    source: str = Field(description="The job that takes the figure.")
    refresh_s: int = Field(description="How long a refresh takes, in simulated seconds.")
    version: int = Field(description="Grows by one with every new figure.")


class MetricReading(MetricSummary):
    """A metric with its figure."""

    value: float | None = Field(description="The figure; null if none was ever taken.")
    age_s: int = Field(description="How long ago the figure was taken, in simulated seconds.")


class JobView(View):
    """A refresh of a metric."""

    id: str = Field(description="Id of the job; get_job takes it as `job_id`.")
    metric_id: str = Field(description="The metric being refreshed.")
    status: JobStatus = Field(
        description="`running` until `due_at`; then `succeeded`, or `failed` with the figure unchanged."
    )
    requested_by: str = Field(description="Person id of who asked for the refresh.")
    started_at: SimTime = Field(description="When the refresh began.")
    due_at: SimTime = Field(description="When the source answers; the figure cannot change before.")
    finished_at: SimTime | None = Field(description="When it ended; null while it runs.")
    error: str | None = Field(description="Why it failed and what to do; null unless it failed.")


class LineageNodeView(View):
    """A metric up or down the line from another."""

    id: str = Field(description="Id of the metric.")
    name: str = Field(description="What is measured.")
    subject: str | None = Field(
        description="Id of what the figure is about; null if it is about the company."
    )
    status: MetricStatus = Field(description="`ok` or `quarantined`.")
    is_stale: bool = Field(description="Whether the figure is too old to be relied upon.")
    distance: int = Field(description="Steps from the metric asked for; 1 is a direct neighbour.")
    upstream: list[str] = Field(description="Ids of the metrics this one is computed from directly.")


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
    """What the company knows of a vendor, contract, budget and so on."""

    id: str = Field(description="Id of the record; the other record tools take it as `record_id`.")
    kind: str = Field(
        description="What it is, such as `vendor`, `employee`, `contract`, `expense` or `budget`."
    )
    name: str = Field(description="What people call it; two records may have similar names.")
    fields: dict[str, object] = Field(
        description="What is known of it, by field; null where a value is missing."
    )
    status: str = Field(
        description="`pending` before it is approved, `active`, `inactive`, or as its kind has it."
    )
    version: int = Field(description="Grows by one with every change.")


class UpdateRecord(Body):
    """What to change of a record. What is left out or null stays as it is."""

    name: Title | None = Field(None, description="New name, as people will call it.")
    status: RecordStatus | None = Field(
        None,
        strict=False,
        description="New status: `pending` or `inactive`. A record becomes `active` by an approval only.",
    )
    fields: dict[Key, Scalar] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="Fields to set, by name, each one text, number, boolean or null. Others stay as is.",
    )
    version: ExpectedVersion = None


class PersonView(View):
    """Someone of the company."""

    id: str = Field(description="Id of the person; get_person takes it as `person_id`.")
    name: str = Field(description="Full name.")
    role: str = Field(description="The role they hold, such as `cfo` or `analyst`.")
    team: str = Field(description="The team they belong to.")
    email: str = Field(description="Address for mail.")
    manager: str | None = Field(description="Person id of whom they report to; null at the top.")


class AbsenceView(View):
    """A time during which a person is away."""

    starts_at: SimTime = Field(description="The first moment away.")
    ends_at: SimTime = Field(description="The moment of the return.")
    reason: str = Field(description="Why, in a word or two.")


class ProfileView(PersonView):
    """Someone of the company, whether they are here, and who stands in for them."""

    is_away: bool = Field(description="Whether they are away now.")
    away_until: SimTime | None = Field(description="When they are back; null if they are here.")
    absences: list[AbsenceView] = Field(description="Present and coming absences.")
    delegate: str | None = Field(
        description="Person id of who stands in while they are away; null if nobody does."
    )
    delegate_types: list[str] = Field(description="Approval types that the delegate may decide.")
    delegate_limit: float | None = Field(
        description="Largest amount the delegate may decide; null if there is no limit."
    )
    approval_limit: float | None = Field(
        description="Largest amount the person may decide; null if there is no limit."
    )


class DeputyView(View):
    """Who stands in for an approver."""

    id: str = Field(description="Person id of the delegate.")
    name: str = Field(description="Full name.")
    role: str = Field(description="The delegate's own role.")
    available: bool = Field(description="Whether the delegate is here now.")
    away_until: SimTime | None = Field(description="When the delegate is back; null if they are here.")
    delegate: str | None = Field(
        description="Person id of who stands in for the delegate in turn; get_person tells how far. Null if nobody "
        "does."
    )
    delegate_types: list[str] = Field(description="Approval types the delegate may decide; no others.")
    delegate_limit: float | None = Field(
        description="Largest amount the delegate may decide; null if there is no limit."
    )


class ApproverView(View):
    """Who decides for a role."""

    role: str = Field(description="The role asked for.")
    id: str = Field(description="Person id of who holds the role.")
    name: str = Field(description="Full name of the holder.")
    available: bool = Field(description="Whether the holder is here now. Who is here decides in person.")
    away_until: SimTime | None = Field(description="When the holder is back; null if they are here.")
    approval_limit: float | None = Field(
        description="Largest amount the holder may decide; null if there is no limit."
    )
    delegate: DeputyView | None = Field(
        description="Who stands in while the holder is away, and for what; null if nobody does."
    )
    on_duty: str | None = Field(
        description="Person id of who decides now: the holder, or while the holder is away the delegate, within "
        "the delegate's types and limit. Null if neither is here: see who stands in for the delegate."
    )
    others: list[str] = Field(description="Person ids of others who hold the same role.")


class RequestAccess(Body):
    """A permission to ask for."""

    permission: Key = Field(description="Name of the permission, such as `refresh_metrics`.")
    reason: Text = Field(description="What you need it for; it goes on record.")


class AccessView(View):
    """A permission, and how you stand to it."""

    id: str = Field(description="Name of the permission; other tools take it as `permission`.")
    allows: str = Field(description="What it allows.")
    held: bool = Field(description="Whether you have it now.")
    grant_s: int = Field(description="How long it takes until it is granted, in simulated seconds.")
    due_at: SimTime | None = Field(
        description="From when on you have it, or had it, because you asked for it; null if you have not asked."
    )
