"""DataHub over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from .domain import Access, Approver, Lineage, Profile, Reading
from .models import Job, Record
from .schemas import (
    AccessView,
    ApproverView,
    JobId,
    JobsQuery,
    JobView,
    LineageView,
    MetricId,
    MetricReading,
    MetricsQuery,
    MetricSummary,
    PeopleQuery,
    PermissionName,
    PersonId,
    PersonView,
    ProfileView,
    RecordId,
    RecordsQuery,
    RecordView,
    RequestAccess,
    Role,
    UpdateRecord,
)
from .service import Accesses, Directory, Metrics, Records

# Not at `/metrics`, where the process serves its Prometheus metrics.
metrics = ToolRouter(prefix="/catalog/metrics", tags=["metrics"])
jobs = ToolRouter(prefix="/jobs", tags=["metrics"])
records = ToolRouter(prefix="/records", tags=["records"])
people = ToolRouter(prefix="/people", tags=["people"])
approvers = ToolRouter(prefix="/approvers", tags=["people"])
access = ToolRouter(prefix="/access", tags=["access"])


@metrics.get(
    "",
    response_model=Page[MetricSummary],
    summary="List metrics",
    description="Shows how fresh each is, but not its value: datahub_query_metric returns that.",
)
async def list_metrics(query: Annotated[MetricsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Metrics(unit).page(**query.model_dump()), query.limit)


@metrics.post(
    "/{metric_id}/query",
    idempotent=True,
    response_model=MetricReading,
    summary="Read a metric's current value",
    description="Returns the value, when it was taken, and whether it is stale. Do not rely on a stale value: "
    "datahub_refresh_data renews it.",
)
async def query_metric(metric_id: MetricId, unit: InWorld) -> Reading:
    return await Metrics(unit).query(metric_id)


@metrics.post(
    "/{metric_id}/refresh",
    response_model=JobView,
    status_code=202,
    summary="Refresh a metric from its source",
    description="Starts a job that ends at `due_at`. Wait until then and read the value, which may have changed, with "
    "datahub_query_metric; after a failed job, refresh again. Requires the permission `refresh_metrics`.",
)
async def refresh_data(metric_id: MetricId, unit: InWorld) -> Job:
    return await Metrics(unit).refresh(metric_id)


@metrics.get(
    "/{metric_id}/lineage",
    response_model=LineageView,
    summary="Read a metric's lineage",
    description="Returns the metrics it is computed from and those computed from it, nearest first, and whether each "
    "is stale.",
)
async def get_lineage(metric_id: MetricId, unit: InWorld) -> Lineage:
    return await Metrics(unit).lineage(metric_id)


@jobs.get(
    "",
    response_model=Page[JobView],
    summary="List refresh jobs",
    description="Shows whether each runs, until when, or how it ended.",
)
async def list_jobs(query: Annotated[JobsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Metrics(unit).jobs(**query.model_dump()), query.limit)


@jobs.get(
    "/{job_id}",
    response_model=JobView,
    summary="Read a refresh job",
    instead="datahub_list_jobs",
    description="Returns whether it runs, until when, or how it ended.",
)
async def get_job(job_id: JobId, unit: InWorld) -> Job:
    return await Metrics(unit).job(job_id)


@records.get(
    "",
    response_model=Page[RecordView],
    summary="List records of vendors, employees, contracts, expenses and so on",
    description="Names can be nearly equal: compare ids and fields before acting.",
)
async def list_records(query: Annotated[RecordsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Records(unit).page(**query.model_dump()), query.limit)


@records.get(
    "/{record_id}",
    response_model=RecordView,
    summary="Read a record",
    instead="datahub_list_records with the record's id as `q`",
    description="Returns its name, status and fields.",
)
async def get_record(record_id: RecordId, unit: InWorld) -> Record:
    return await Records(unit).get(record_id)


@records.patch(
    "/{record_id}",
    response_model=RecordView,
    summary="Update a record",
    description="Sets its name, status or single fields; others keep their values. A record becomes active only when "
    "a request about it is approved.",
)
async def update_record(record_id: RecordId, body: UpdateRecord, unit: InWorld) -> Record:
    return await Records(unit).update(record_id, **body.model_dump())


@people.get(
    "",
    response_model=Page[PersonView],
    summary="List people",
    description="Shows role, team and manager; datahub_get_person adds reports, absences and delegate.",
)
async def list_people(query: Annotated[PeopleQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Directory(unit).page(**query.model_dump()), query.limit)


@people.get(
    "/{person_id}",
    response_model=ProfileView,
    summary="Read a person's profile",
    description="Returns role, manager, reports, absences and delegate, with the approval types (empty: none) and the "
    "amount that the delegation covers.",
)
async def get_person(person_id: PersonId, unit: InWorld) -> Profile:
    return await Directory(unit).profile(person_id)


@approvers.get(
    "/{role}",
    response_model=ApproverView,
    summary="Find who decides for a role",
    instead="datahub_list_people with the `role`, then datahub_get_person for each of them and for their `delegate`",
    description="Returns the holder, any absence, and the delegate with the approval types (empty: none) and amount "
    "covered. The delegate decides only while the holder is away; if both are, follow the chain of "
    "delegates with datahub_get_person.",
)
async def get_approver(role: Role, unit: InWorld) -> Approver:
    return await Directory(unit).approver(role)


@access.get(
    "",
    response_model=Page[AccessView],
    summary="List permissions",
    description="Shows which of them you have or have requested.",
)
async def list_access(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Accesses(unit).page(**query.model_dump()), query.limit)


@access.get(
    "/{permission}",
    response_model=AccessView,
    summary="Read a permission",
    description="Returns what it allows, whether you have it, and from when if you requested it.",
)
async def get_access(permission: PermissionName, unit: InWorld) -> Access:
    return await Accesses(unit).get(permission)


@access.post(
    "",
    response_model=AccessView,
    status_code=202,
    summary="Request a permission",
    description="It is granted at `due_at` without a decision; other services learn of it shortly after. Request only "
    "what your task needs: requests stay on record.",
)
async def request_access(body: RequestAccess, unit: InWorld) -> Access:
    return await Accesses(unit).request(body.permission, reason=body.reason)
