"""ApprovalFlow over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from .models import Request
from .schemas import (
    AddEvidence,
    AuditView,
    EscalateRequest,
    PolicyView,
    RequestId,
    RequestsQuery,
    RequestView,
    ResubmitRequest,
    StatusView,
    SubmitApproval,
    TypeId,
    TypeSummary,
    TypeView,
    WithdrawRequest,
)
from .service import Catalog, Requests, Standing

types = ToolRouter(prefix="/types", tags=["types"])
requests = ToolRouter(prefix="/requests", tags=["requests"])


@types.get(
    "",
    response_model=Page[TypeSummary],
    summary="List approval types",
    description="Shows which decisions the company takes in writing, and what each is for.",
)
async def list_approval_types(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Catalog(unit).page(after=query.cursor, limit=query.limit), query.limit)


@types.get(
    "/{type_id}",
    response_model=TypeView,
    summary="Read an approval type",
    description="Returns the fields a request carries, the kind of ticket it is about and the metric that must be "
    "fresh. Field names and units change: follow these, not older requests.",
)
async def get_approval_type(type_id: TypeId, unit: InWorld) -> dict[str, Any]:
    return await Catalog(unit).describe(type_id)


@types.get(
    "/{type_id}/policy",
    response_model=PolicyView,
    summary="Read the policy of an approval type",
    description="Returns what a request waits for, the range the metric must be in, which role decides which amount, "
    "and how long decisions take; also changes announced for later.",
)
async def get_policy(type_id: TypeId, unit: InWorld) -> dict[str, Any]:
    return await Catalog(unit).describe(type_id)


@requests.post(
    "",
    response_model=RequestView,
    status_code=201,
    summary="Submit an approval request",
    description="It is held until its ticket is verified and its metric fresh, then decided after a while: follow it "
    "with approvalflow_check_status. An unauthorized approver rejects it. Requires the permission "
    "`submit_requests`.",
)
async def submit_approval(body: SubmitApproval, unit: InWorld) -> Request:
    return await Requests(unit).submit(
        body.type,
        ticket_id=body.ticket_id,
        approver=body.approver,
        fields=body.fields,
        note=body.note,
        policy_version=body.policy_version,
    )


@requests.get(
    "",
    response_model=Page[RequestView],
    summary="List approval requests",
    description="Oldest first; old requests stay listed. Check status, subject and dates before relying on one.",
)
async def list_approvals(query: Annotated[RequestsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    found = await Requests(unit).page(
        status=query.status,
        type_id=query.type,
        ticket_id=query.ticket_id,
        after=query.cursor,
        limit=query.limit,
    )
    return page_of(found, query.limit)


@requests.get(
    "/{request_id}",
    response_model=RequestView,
    summary="Read an approval request",
    instead="approvalflow_list_approvals with the `ticket_id`",
    description="Returns its fields, evidence, status and reason.",
)
async def get_request(request_id: RequestId, unit: InWorld) -> Request:
    return await Requests(unit).get(request_id)


@requests.get(
    "/{request_id}/status",
    response_model=StatusView,
    summary="Check an approval request's status",
    instead="approvalflow_get_request",
    description="Returns what it waits for, when it is decided, and the `remedy` if it was rejected.",
)
async def check_status(request_id: RequestId, unit: InWorld) -> Standing:
    return await Requests(unit).standing(request_id)


@requests.post(
    "/{request_id}/escalate",
    response_model=RequestView,
    summary="Escalate an approval request",
    description="Passes it from an approver who is away or overdue to their delegate, if the delegation covers it, or "
    "to another holder of the role. Refused while the approver has time left.",
)
async def escalate(request_id: RequestId, body: EscalateRequest, unit: InWorld) -> Request:
    return await Requests(unit).escalate(request_id, reason=body.reason, version=body.version)


@requests.post(
    "/{request_id}/withdraw",
    response_model=RequestView,
    summary="Withdraw your open approval request",
    description="It cannot be reopened; submit a new one if the decision is still needed.",
)
async def withdraw_request(request_id: RequestId, body: WithdrawRequest, unit: InWorld) -> Request:
    return await Requests(unit).withdraw(request_id, reason=body.reason, version=body.version)


@requests.post(
    "/{request_id}/resubmit",
    response_model=RequestView,
    status_code=201,
    summary="Resubmit your rejected request",
    description="Creates a new request with the fields and approver you change; attachments are kept. First do what "
    "the `remedy` says, or it is rejected again. Requires the permission `submit_requests`.",
)
async def resubmit_request(request_id: RequestId, body: ResubmitRequest, unit: InWorld) -> Request:
    return await Requests(unit).resubmit(
        request_id, approver=body.approver, fields=body.fields, note=body.note, version=body.version
    )


@requests.post(
    "/{request_id}/evidence",
    response_model=RequestView,
    summary="Attach evidence to a request",
    description="For the approver to see. Works on open requests and on rejected ones, whose resubmission keeps it.",
)
async def add_evidence(request_id: RequestId, body: AddEvidence, unit: InWorld) -> Request:
    return await Requests(unit).add_evidence(
        request_id, kind=body.kind, reference=body.reference, version=body.version
    )


@requests.get(
    "/{request_id}/audit",
    response_model=Page[AuditView],
    summary="Read a request's audit trail",
    description="Oldest first: who did what, when and why.",
)
async def get_audit(request_id: RequestId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    entries = await Requests(unit).audit(request_id, after=query.cursor, limit=query.limit)
    return page_of(entries, query.limit)
