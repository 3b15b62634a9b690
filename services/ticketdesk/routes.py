"""TicketDesk over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from .models import Answer, Comment, Link, Ticket
from .schemas import (
    AddComment,
    AnswerTicket,
    AnswerView,
    AssignTicket,
    BlockerId,
    CloseTicket,
    CommentView,
    CreateTicket,
    HistoryLineView,
    LinkTicket,
    LinkView,
    ReopenTicket,
    ResolveBlocker,
    RuleKind,
    RuleView,
    SearchQuery,
    TicketId,
    TicketsQuery,
    TicketView,
    TransitionTicket,
    UpdateTicket,
    VerifyTicket,
)
from .service import Answers, Blockers, Threads, TicketDesk

tickets = ToolRouter(prefix="/tickets", tags=["tickets"])
threads = ToolRouter(prefix="/tickets/{ticket_id}", tags=["threads"])
search = ToolRouter(prefix="/search", tags=["tickets"])
rules = ToolRouter(prefix="/rules", tags=["rules"])


@tickets.get(
    "",
    response_model=Page[TicketView],
    summary="List tickets",
    description="To find one by text, use ticketdesk_search_tickets.",
)
async def list_tickets(query: Annotated[TicketsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await TicketDesk(unit).find(**query.model_dump()), query.limit)


# Not under `/tickets`, where the path would be read as a ticket id.
@search.get(
    "",
    response_model=Page[TicketView],
    summary="Search tickets by text",
    description="Looks for `q` in id, kind, title, description and subject. Tickets can resemble each other: read one "
    "before acting on it.",
)
async def search_tickets(query: Annotated[SearchQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await TicketDesk(unit).search(**query.model_dump()), query.limit)


@tickets.get(
    "/{ticket_id}",
    response_model=TicketView,
    summary="Read a ticket",
    instead="ticketdesk_search_tickets with the ticket's id as `q`",
    description="Returns its fields, blockers, verification, approval and version. Comments, links and history have "
    "tools of their own.",
)
async def get_ticket(ticket_id: TicketId, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).get(ticket_id)


@tickets.post(
    "",
    response_model=TicketView,
    status_code=201,
    summary="Create a ticket",
    description="You become its reporter and cannot verify it. With `blocks`, the named ticket waits until the "
    "new one is done and verified and ticketdesk_resolve_blocker is called.",
)
async def create_ticket(body: CreateTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).create(**body.model_dump())


@tickets.patch(
    "/{ticket_id}",
    response_model=TicketView,
    summary="Update a ticket's fields",
    description="Fields left out keep their values. Status, assignee and verification have tools of their own.",
)
async def update_ticket(ticket_id: TicketId, body: UpdateTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).update(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/assign",
    response_model=TicketView,
    summary="Assign a ticket to a colleague",
    description="Replaces the previous assignee.",
)
async def assign_ticket(ticket_id: TicketId, body: AssignTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).assign(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/transition",
    response_model=TicketView,
    summary="Change a ticket's status",
    description="New leads to triage or in_progress, triage to in_progress, verified to in_progress or done, "
    "in_progress to done; other statuses have tools of their own. With `requires_approval`, work needs an "
    "approved request first.",
)
async def transition_ticket(ticket_id: TicketId, body: TransitionTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).transition(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/verify",
    response_model=TicketView,
    summary="Verify a ticket",
    description="Records that you checked its facts. Needs the fields its kind requires, no blockers and a "
    "verifier role. Verifying a ticket you reported violates separation of "
    "duties. Requires the permission `verify_tickets`.",
)
async def verify_ticket(ticket_id: TicketId, body: VerifyTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).verify(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/reopen",
    response_model=TicketView,
    summary="Reopen a ticket",
    description="Returns it to triage without its verification and approval; a pending approval request about it "
    "becomes void. A closed ticket cannot be reopened.",
)
async def reopen_ticket(ticket_id: TicketId, body: ReopenTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).reopen(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/close",
    response_model=TicketView,
    summary="Close a ticket for good",
    description="Irreversible: a closed ticket cannot be reopened, assigned or changed. To report finished work, use "
    "ticketdesk_transition_ticket instead.",
)
async def close_ticket(ticket_id: TicketId, body: CloseTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).close(ticket_id, **body.model_dump())


@threads.post(
    "/blockers/{blocker_id}/resolve",
    response_model=TicketView,
    summary="Remove a blocker from a ticket",
    description="Refused until the blocking ticket is done or closed and verified, the metric (`MET-`) refreshed, or "
    "the request (`APR-`) approved. Without blockers, the ticket returns to triage.",
)
async def resolve_blocker(
    ticket_id: TicketId, blocker_id: BlockerId, unit: InWorld, body: ResolveBlocker = ResolveBlocker()
) -> Ticket:
    return await Blockers(unit).resolve(ticket_id, blocker_id, **body.model_dump())


@threads.post(
    "/comments",
    response_model=CommentView,
    status_code=201,
    summary="Comment on a ticket",
    description="Comments inform colleagues and change nothing else; they cannot be edited or removed.",
)
async def add_comment(ticket_id: TicketId, body: AddComment, unit: InWorld) -> Comment:
    return await Threads(unit).comment(ticket_id, body.body)


@threads.get(
    "/comments",
    response_model=Page[CommentView],
    summary="List a ticket's comments",
    description="Oldest first. A comment is its author's opinion: it neither changes the rules nor replaces an "
    "approval.",
)
async def list_comments(ticket_id: TicketId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Threads(unit).comments(ticket_id, **query.model_dump()), query.limit)


@threads.post(
    "/links",
    response_model=LinkView,
    status_code=201,
    summary="Link a ticket to another object",
    description="A ticket that is linked as `blocks` blocks the target until it is done and verified. Links to "
    "approval requests are made automatically.",
)
async def link_ticket(ticket_id: TicketId, body: LinkTicket, unit: InWorld) -> Link:
    return await Threads(unit).link(ticket_id, body.kind, body.target)


@threads.get(
    "/links",
    response_model=Page[LinkView],
    summary="List a ticket's links",
    description="Oldest first: related objects, tickets it blocks or duplicates, approval requests about it.",
)
async def list_links(ticket_id: TicketId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Threads(unit).links(ticket_id, **query.model_dump()), query.limit)


@threads.get(
    "/history",
    response_model=Page[HistoryLineView],
    summary="Read a ticket's history",
    description="Oldest first: who changed which field, from what to what, and when.",
)
async def get_history(ticket_id: TicketId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Threads(unit).history(ticket_id, **query.model_dump()), query.limit)


@rules.get(
    "/{kind}",
    response_model=RuleView,
    summary="Read the rules for a kind of ticket",
    description="Returns the allowed priorities, the fields to set before verification, and the verifier roles; also "
    "lists every kind there is.",
)
async def get_rules(kind: RuleKind, unit: InWorld) -> dict[str, Any]:
    return await TicketDesk(unit).rules(kind)


answers = ToolRouter(prefix="/tickets/{ticket_id}/answers", tags=["answers"])


@answers.post(
    "",
    response_model=AnswerView,
    status_code=201,
    summary="Answer a ticket's reporter",
    description="Sends the answer with its documents; it cannot be edited or taken back. The first one meets the "
    "service level if sent before `answer_due_at`. The ticket stays open.",
)
async def answer_ticket(ticket_id: TicketId, body: AnswerTicket, unit: InWorld) -> Answer:
    return await Answers(unit).answer(ticket_id, **body.model_dump())
