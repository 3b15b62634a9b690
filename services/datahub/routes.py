"""DataHub over HTTP. Each route translates and nothing else; what it is described as is what agents read."""

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

metrics = ToolRouter(prefix="/metrics", tags=["metrics"])
jobs = ToolRouter(prefix="/jobs", tags=["metrics"])
records = ToolRouter(prefix="/records", tags=["records"])
people = ToolRouter(prefix="/people", tags=["people"])
approvers = ToolRouter(prefix="/approvers", tags=["people"])
access = ToolRouter(prefix="/access", tags=["access"])


@metrics.get(
    "",
    response_model=Page[MetricSummary],
    summary="List metrics",
    description="Finds the metrics the company keeps, by name and by what they are about, with how fresh each "
    "is but without its figure: query_metric tells that.",
)
async def list_metrics(query: Annotated[MetricsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Metrics(unit).page(**query.model_dump()), query.limit)


@metrics.post(
    "/{metric_id}/query",
    response_model=MetricReading,
    summary="Read a metric's current figure",
    description="Tells the figure, when it was taken and whether it is stale. DataHub keeps a receipt that you "
    "have read this version; nothing else changes. Do not rely on a stale figure: refresh_data renews it.",
)
async def query_metric(metric_id: MetricId, unit: InWorld) -> Reading:
    return await Metrics(unit).query(metric_id)


@metrics.post(
    "/{metric_id}/refresh",
    response_model=JobView,
    status_code=202,
    summary="Refresh a metric from its source",
    description="Starts a job that asks the source for a new figure and ends at its `due_at`. Let that time "
    "pass, see with get_job that it succeeded, and read the figure with query_metric: it may have changed. A "
    "failed job leaves the figure as it was; refresh again then. A metric has at most one running job. Takes the "
    "permission `refresh_metrics`.",
)
async def refresh_data(metric_id: MetricId, unit: InWorld) -> Job:
    return await Metrics(unit).refresh(metric_id)


@metrics.get(
    "/{metric_id}/lineage",
    response_model=LineageView,
    summary="See where a metric comes from",
    description="Lists the metrics that this one is computed from and those computed from it, nearest first, "
    "at most 200 each way, with whether each is stale.",
)
async def get_lineage(metric_id: MetricId, unit: InWorld) -> Lineage:
    return await Metrics(unit).lineage(metric_id)


@jobs.get(
    "",
    response_model=Page[JobView],
    summary="List refresh jobs",
    description="Finds refresh jobs by the metric they refresh and by status, in the order of their ids.",
)
async def list_jobs(query: Annotated[JobsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Metrics(unit).jobs(**query.model_dump()), query.limit)


@jobs.get(
    "/{job_id}",
    response_model=JobView,
    summary="Look at a refresh job",
    instead="datahub_list_jobs",
    description="Tells whether a refresh is running, until when, or how it ended.",
)
async def get_job(job_id: JobId, unit: InWorld) -> Job:
    return await Metrics(unit).job(job_id)


@records.get(
    "",
    response_model=Page[RecordView],
    summary="List records",
    description="Finds the company's records of vendors, employees, contracts, expenses, budgets and so on, by "
    "kind and by text in their id or name. Names can be nearly equal: compare ids and fields before you act.",
)
async def list_records(query: Annotated[RecordsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Records(unit).page(**query.model_dump()), query.limit)


@records.get(
    "/{record_id}",
    response_model=RecordView,
    summary="Read a record",
    instead="datahub_list_records with the record's id as `q`",
    description="Tells all that is known of a vendor, employee, contract, expense, budget or the like.",
)
async def get_record(record_id: RecordId, unit: InWorld) -> Record:
    return await Records(unit).get(record_id)


@records.patch(
    "/{record_id}",
    response_model=RecordView,
    summary="Change a record",
    description="Sets the name, the status or single fields of a record. Fields you do not name keep their "
    "values. A record cannot be made active this way: that happens by itself when a request about it is "
    "approved.",
)
async def update_record(record_id: RecordId, body: UpdateRecord, unit: InWorld) -> Record:
    return await Records(unit).update(record_id, **body.model_dump())


@people.get(
    "",
    response_model=Page[PersonView],
    summary="List people",
    description="Finds people of the company by the role they hold and by text in their id, name or team.",
)
async def list_people(query: Annotated[PeopleQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Directory(unit).page(**query.model_dump()), query.limit)


@people.get(
    "/{person_id}",
    response_model=ProfileView,
    summary="Look a person up",
    description="Tells a person's role and manager, whether and until when they are away, what they may "
    "approve, and who stands in for them, for which approval types and up to which amount.",
)
async def get_person(person_id: PersonId, unit: InWorld) -> Profile:
    return await Directory(unit).profile(person_id)


@approvers.get(
    "/{role}",
    response_model=ApproverView,
    summary="Find out who decides for a role",
    instead="datahub_list_people with the `role`, then datahub_get_person for each of them and for their `delegate`",
    description="Tells who holds a role, whether they are here now or until when they are away, and who stands "
    "in for them, for which approval types and up to which amount. A delegate decides only while the holder is "
    "away; while the delegate is away too, who stands in for the delegate, and so on: follow them with get_person.",
)
async def get_approver(role: Role, unit: InWorld) -> Approver:
    return await Directory(unit).approver(role)


@access.get(
    "",
    response_model=Page[AccessView],
    summary="List permissions",
    description="Tells what takes a permission in the company, and which permissions you have or have asked for.",
)
async def list_access(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Accesses(unit).page(**query.model_dump()), query.limit)


@access.get(
    "/{permission}",
    response_model=AccessView,
    summary="See whether you have a permission",
    description="Tells what a permission allows, whether you have it, and from when on if you have asked for it.",
)
async def get_access(permission: PermissionName, unit: InWorld) -> Access:
    return await Accesses(unit).get(permission)


@access.post(
    "",
    response_model=AccessView,
    status_code=202,
    summary="Ask for a permission",
    description="Asks for a permission that your role does not have. Nobody has to decide: you have it from `due_at` "
    "on, and another service in which you need it hears of it then, by an event about the permission. Ask only for "
    "what your task needs; what was asked for stays on record.",
)
async def request_access(body: RequestAccess, unit: InWorld) -> Access:
    return await Accesses(unit).request(body.permission, reason=body.reason)
