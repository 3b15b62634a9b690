"""The inbox over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Any

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from ..models import Request
from ..schemas import RequestId, RequestView
from .models import Question
from .schemas import AskRequester, DecideRequest, DossierView, InboxItemView, PassOn, QuestionView
from .service import Dossier, Inbox

inbox = ToolRouter(prefix="/inbox", tags=["inbox"])
requests = ToolRouter(prefix="/requests", tags=["inbox"])


@inbox.get(
    "",
    response_model=Page[InboxItemView],
    summary="List the requests that wait for you",
    description="Shows requests to you, and to absent people whose delegate you are, whether or not the delegation "
    "covers them. approvalflow_get_dossier has the particulars.",
)
async def list_inbox(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Inbox(unit).page(after=query.cursor, limit=query.limit), query.limit)


@requests.get(
    "/{request_id}/dossier",
    response_model=DossierView,
    summary="Read a request's dossier",
    description="Returns its fields, line items and attachments, and the questions to its requester with the answers "
    "so far.",
)
async def get_dossier(request_id: RequestId, unit: InWorld) -> Dossier:
    return await Inbox(unit).dossier(request_id)


@requests.post(
    "/{request_id}/decision",
    response_model=RequestView,
    summary="Decide a request in your inbox",
    description="Approves or rejects it for good; the requester is told. An approval commits the amount to the budget "
    "of its cost centre. Refused if neither your role nor a delegation covers the type and amount.",
)
async def decide_request(request_id: RequestId, body: DecideRequest, unit: InWorld) -> Request:
    return await Inbox(unit).decide(request_id, **body.model_dump())


@requests.post(
    "/{request_id}/questions",
    response_model=QuestionView,
    status_code=201,
    summary="Ask the requester of a request in your inbox",
    description="The requester answers at `due_at`; approvalflow_get_dossier then shows the answer. The request stays "
    "undecided meanwhile.",
)
async def ask_requester(request_id: RequestId, body: AskRequester, unit: InWorld) -> Question:
    return await Inbox(unit).ask(request_id, **body.model_dump())


@requests.post(
    "/{request_id}/pass_on",
    response_model=RequestView,
    summary="Pass on a request in your inbox",
    description="Makes another person its approver, who decides after a while. They reject what they may not decide.",
)
async def pass_on(request_id: RequestId, body: PassOn, unit: InWorld) -> Request:
    return await Inbox(unit).pass_on(request_id, **body.model_dump())
