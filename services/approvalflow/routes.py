"""ApprovalFlow over HTTP: each route translates and nothing else. Summaries and descriptions are what agents read."""

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
from .service import Catalogue, Requests, Standing

types = ToolRouter(prefix="/types", tags=["types"])
requests = ToolRouter(prefix="/requests", tags=["requests"])


@types.get(
    "",
    response_model=Page[TypeSummary],
    summary="List the kinds of approval",
    description="Finds the kinds of decision that the company takes in writing, with what each is for.",
)
async def list_approval_types(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Catalogue(unit).page(after=query.cursor, limit=query.limit), query.limit)


@types.get(
    "/{type_id}",
    response_model=TypeView,
    summary="Read what a kind of approval asks for",
    description="Tells which fields a request must carry, what ticket it is about and which metric must be fresh. "
    "Fields may have had other names and units before: go by what this says, not by older requests. "
    "get_policy tells by which rules it is then decided and by whom.",
)
async def get_approval_type(type_id: TypeId, unit: InWorld) -> dict[str, Any]:
    return await Catalogue(unit).describe(type_id)


@types.get(
    "/{type_id}/policy",
    response_model=PolicyView,
    summary="Read the policy of a kind of approval",
    description="Tells what a request waits for, in which range the figure must be, which role decides which amount, "
    "and how long things take, in words and as data. Policies have versions; read the one in force, and see which "
    "changes are announced.",
)
async def get_policy(type_id: TypeId, unit: InWorld) -> dict[str, Any]:
    return await Catalogue(unit).describe(type_id)


@requests.post(
    "",
    response_model=RequestView,
    status_code=201,
    summary="Ask for an approval",
    description="Submits a request in your name to the approver you name. While its ticket is not verified or its "
    "metric not fresh it is held, and goes to the approver by itself once both are. The approver then decides after "
    "a while: let time pass and follow it with check_status. Nobody checks your approver for you: a person the "
    "policy does not lead to rejects the request, and having asked them stays on record. One ticket has at most one "
    "open request of a type. Takes the permission `submit_requests`.",
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
    description="Finds requests of the whole company by status, type and ticket, in the order they were made. "
    "Old ones stay listed: look at the status, the subject and the dates before you rely on one.",
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
    description="Tells everything about a request: what it states, what it rests on, where it is and why.",
)
async def get_request(request_id: RequestId, unit: InWorld) -> Request:
    return await Requests(unit).get(request_id)


@requests.get(
    "/{request_id}/status",
    response_model=StatusView,
    summary="See where an approval request is",
    instead="approvalflow_get_request",
    description="Tells in short whether a request is held, lies with its approver or is decided, what it waits for, "
    "and what can be done now. Looking does not hurry anybody.",
)
async def check_status(request_id: RequestId, unit: InWorld) -> Standing:
    return await Requests(unit).standing(request_id)


@requests.post(
    "/{request_id}/escalate",
    response_model=RequestView,
    summary="Hand a request on when its approver is not deciding",
    description="Takes a request from an approver who has gone away, or whose decision is overdue, to somebody else "
    "who may decide it now: their delegate if the delegation covers it, else another holder of the role. Refused "
    "while the approver is here and has time left.",
)
async def escalate(request_id: RequestId, body: EscalateRequest, unit: InWorld) -> Request:
    return await Requests(unit).escalate(request_id, reason=body.reason, version=body.version)


@requests.post(
    "/{request_id}/withdraw",
    response_model=RequestView,
    summary="Take a request back",
    description="Ends an open request that you made yourself, before it is decided. It cannot be opened again; "
    "submit a new one if you still need the decision.",
)
async def withdraw_request(request_id: RequestId, body: WithdrawRequest, unit: InWorld) -> Request:
    return await Requests(unit).withdraw(request_id, reason=body.reason, version=body.version)


@requests.post(
    "/{request_id}/resubmit",
    response_model=RequestView,
    status_code=201,
    summary="Make a rejected request again",
    description="Submits a rejected request of yours anew, under a new id and as its next attempt, with the fields "
    "and the approver you change. Attached evidence comes along. First see with check_status why it was rejected "
    "and put that right, or it will be rejected again. Takes the permission `submit_requests`.",
)
async def resubmit_request(request_id: RequestId, body: ResubmitRequest, unit: InWorld) -> Request:
    return await Requests(unit).resubmit(
        request_id, approver=body.approver, fields=body.fields, note=body.note, version=body.version
    )


@requests.post(
    "/{request_id}/evidence",
    response_model=RequestView,
    summary="Attach evidence to a request",
    description="Attaches a document, or points to a ticket, comment, metric or record, for the approver to see. "
    "Works on open requests and on rejected ones, which take it along when they are resubmitted.",
)
async def add_evidence(request_id: RequestId, body: AddEvidence, unit: InWorld) -> Request:
    return await Requests(unit).add_evidence(
        request_id, kind=body.kind, reference=body.reference, version=body.version
    )


@requests.get(
    "/{request_id}/audit",
    response_model=Page[AuditView],
    summary="Read what happened to a request",
    description="Lists who did what to a request, when and why, oldest first. The audit is never changed.",
)
async def get_audit(request_id: RequestId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    entries = await Requests(unit).audit(request_id, after=query.cursor, limit=query.limit)
    return page_of(entries, query.limit)
