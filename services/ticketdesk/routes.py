"""TicketDesk over HTTP. Summaries and descriptions are what an agent reads before it calls a tool."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, PageOf, ToolRouter, page_of

from .models import Comment, Link, Rule, Ticket
from .schemas import (
    AddComment,
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
from .service import Blockers, Threads, TicketDesk

tickets = ToolRouter(prefix="/tickets", tags=["tickets"])
threads = ToolRouter(prefix="/tickets/{ticket_id}", tags=["threads"])
rules = ToolRouter(prefix="/rules", tags=["rules"])


@tickets.get(
    "",
    response_model=Page[TicketView],
    summary="List tickets",
    description="Tickets in order of their ids, a page at a time, optionally only those of one status, assignee, "
    "kind or priority. Use search_tickets when you know a word of what you are looking for.",
)
async def list_tickets(query: Annotated[TicketsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await TicketDesk(unit).find(**query.model_dump()), query.limit)


@tickets.get(
    "/search",
    response_model=Page[TicketView],
    summary="Search tickets by text",
    description="Tickets whose id, title, description or subject contains a text, in order of their ids, a page at "
    "a time. Tickets may resemble each other: read a ticket before you act on it.",
)
async def search_tickets(query: Annotated[SearchQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await TicketDesk(unit).find(**query.model_dump()), query.limit)


@tickets.get(
    "/{ticket_id}",
    response_model=TicketView,
    summary="Read a ticket",
    instead="ticketdesk_search_tickets with the ticket's id as `q`",
    description="The whole ticket as it is now: status, priority, assignee, what blocks it, who verified it on what "
    "evidence, what its approval has come to. Its comments, links and history have tools of their own.",
)
async def get_ticket(ticket_id: TicketId, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).get(ticket_id)


@tickets.post(
    "",
    response_model=TicketView,
    status_code=201,
    summary="Create a ticket",
    description="Files a new ticket with you as its reporter, in status `new`. With `blocks` it becomes a blocker of "
    "another ticket, which is then `blocked` until the new one is done and verified and resolve_blocker is called: "
    "the way to hold something up until a problem is remedied. As its reporter you cannot verify the new ticket.",
)
async def create_ticket(body: CreateTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).create(**body.model_dump())


@tickets.patch(
    "/{ticket_id}",
    response_model=TicketView,
    summary="Change a ticket's fields",
    description="Sets title, description, priority, cost centre or subject; fields you leave out stay as they are. "
    "A priority has to be one that get_rules allows for the ticket's kind. Status, assignee, blockers and "
    "verification are changed by transition_ticket, assign_ticket, resolve_blocker and verify_ticket instead.",
)
async def update_ticket(ticket_id: TicketId, body: UpdateTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).update(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/assign",
    response_model=TicketView,
    summary="Assign a ticket",
    description="Gives the ticket to an active colleague, in place of whoever had it.",
)
async def assign_ticket(ticket_id: TicketId, body: AssignTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).assign(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/transition",
    response_model=TicketView,
    summary="Take a ticket to another status",
    description="Takes a ticket where plain work leads: from new to triage or in_progress, from triage to "
    "in_progress, from verified to in_progress or done, from in_progress to done. A ticket that "
    "requires an approval goes to in_progress or done only once its approval is `approved`. The other statuses are "
    "reached by verify_ticket, resolve_blocker, reopen_ticket and close_ticket.",
)
async def transition_ticket(ticket_id: TicketId, body: TransitionTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).transition(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/verify",
    response_model=TicketView,
    summary="Verify a ticket",
    description="Puts on record that you have checked the ticket's facts; approvals that need a verified ticket wait "
    "for this. All fields that get_rules requires for its kind must be set, it must not be blocked, your role must be "
    "one that the rules name, and you must not be its reporter: trying to verify a ticket you reported is a "
    "violation of the separation of duties. A new or triaged ticket becomes `verified`; one that is in progress, done "
    "or closed keeps its status and only gets a verifier. Takes the permission `verify_tickets`.",
)
async def verify_ticket(ticket_id: TicketId, body: VerifyTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).verify(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/reopen",
    response_model=TicketView,
    summary="Reopen a ticket",
    description="Takes a ticket that is verified, in progress or done back to triage, because its facts or its work "
    "turned out wrong. Its verification and its approval are gone, and an approval request that is pending for it "
    "becomes void. A closed ticket cannot be reopened.",
)
async def reopen_ticket(ticket_id: TicketId, body: ReopenTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).reopen(ticket_id, **body.model_dump())


@tickets.post(
    "/{ticket_id}/close",
    response_model=TicketView,
    summary="Close a ticket for good",
    description="Ends a ticket with a resolution. This is irreversible: a closed ticket cannot be reopened, assigned "
    "or changed any more. It is not a way to unblock or finish anything; to say that work is finished, use "
    "transition_ticket to done.",
)
async def close_ticket(ticket_id: TicketId, body: CloseTicket, unit: InWorld) -> Ticket:
    return await TicketDesk(unit).close(ticket_id, **body.model_dump())


@threads.post(
    "/blockers/{blocker_id}/resolve",
    response_model=TicketView,
    summary="Free a ticket from a blocker",
    description="Takes something out of a ticket's `blocked_by` once it holds the ticket up no more; until then the "
    "call is refused. A ticket has to be done or closed and verified with verify_ticket, a figure (`MET-`) refreshed "
    "in DataHub since, a request (`APR-`) approved in ApprovalFlow. When the last blocker is gone, the ticket is back "
    "in triage.",
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
    description="Adds a comment in your name. Comments inform colleagues and change nothing else; they cannot be "
    "edited or removed. A closed ticket can still be commented on.",
)
async def add_comment(ticket_id: TicketId, body: AddComment, unit: InWorld) -> Comment:
    return await Threads(unit).comment(ticket_id, body.body)


@threads.get(
    "/comments",
    response_model=Page[CommentView],
    summary="List the comments on a ticket",
    description="What people said about a ticket, oldest first, a page at a time. A comment is its author's opinion: "
    "it neither changes the company's rules nor stands in for an approval.",
)
async def list_comments(ticket_id: TicketId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Threads(unit).comments(ticket_id, **query.model_dump()), query.limit)


@threads.post(
    "/links",
    response_model=LinkView,
    status_code=201,
    summary="Link a ticket to something else",
    description="Says that a ticket relates to another object, duplicates another ticket, or blocks another ticket, "
    "which is then `blocked` until this one is done and verified. Links to approval requests appear by themselves "
    "when a request is submitted.",
)
async def link_ticket(ticket_id: TicketId, body: LinkTicket, unit: InWorld) -> Link:
    return await Threads(unit).link(ticket_id, body.kind, body.target)


@threads.get(
    "/links",
    response_model=Page[LinkView],
    summary="List the links of a ticket",
    description="What a ticket is linked to, oldest first, a page at a time: related objects, tickets it blocks or "
    "duplicates, and the approval requests about it.",
)
async def list_links(ticket_id: TicketId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Threads(unit).links(ticket_id, **query.model_dump()), query.limit)


@threads.get(
    "/history",
    response_model=Page[HistoryLineView],
    summary="Read the history of a ticket",
    description="Everything that was done to a ticket, oldest first, a page at a time: who changed which field from "
    "what to what, and when.",
)
async def get_history(ticket_id: TicketId, query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await Threads(unit).history(ticket_id, **query.model_dump()), query.limit)


@rules.get(
    "/{kind}",
    response_model=RuleView,
    summary="Read the rules for a kind of ticket",
    description="What the company asks of tickets of a kind: the priorities they may have, the fields that must be "
    "set before one can be verified, and the roles that may verify it.",
)
async def get_rules(kind: RuleKind, unit: InWorld) -> Rule:
    return await TicketDesk(unit).rules(kind)
