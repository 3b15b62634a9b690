"""The wire types of queues and queries."""

from typing import Annotated

from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, PageQuery, SimTime, View

from ..domain import Priority, Status
from ..schemas import ExpectedVersion, TicketVersion


class RouteTicket(Body):
    """The queue to put a ticket into."""

    queue: Annotated[Key, AnyCase] = Field(description="Id of a queue; ticketdesk_list_queues lists them.")
    version: ExpectedVersion = None


class TicketQueryArguments(PageQuery):
    """Which tickets to return."""

    q: str = Field(
        min_length=1,
        max_length=300,
        description='Terms, all of which must match: `status:new queue:billing answered:no`, `"card declined"`, '
        "`id:TD-1042,TD-1043`. Fields: status, priority, answered (yes, no), queue, kind, reporter, assignee, id.",
    )


class QueueView(View):
    """A team's queue."""

    id: str = Field(description="The queue's id.")
    name: str = Field(description="What people call it.")
    team: str = Field(description="The team that works it.")
    about: str = Field(description="The tickets that belong in it.")
    on_call: str | None = Field(description="Person id of who takes what cannot wait.")


class PlacementView(View):
    """The queue that a ticket is in."""

    id: str = Field(description="Id of the ticket.")
    queue: str = Field(description="Id of the queue it is in.")
    placed_by: str = Field(description="Person id of who put it there.")
    placed_at: SimTime = Field(description="When it was put there.")


class QueuedTicketView(View):
    """A ticket with its queue and its service level."""

    id: str = Field(description="The ticket's id.")
    kind: str = Field(description="What it is about.")
    title: str = Field(description="In one line.")
    description: str = Field(description="The reporter's words.")
    status: Status = Field(description="Where it is in its life.")
    priority: Priority | None = Field(description="How urgent it is; null while undecided.")
    assignee: str | None = Field(description="Person id of its assignee.")
    reporter: str = Field(description="Person id of its reporter.")
    subject: str | None = Field(description="Id of the object it is about.")
    created_at: SimTime = Field(description="When it was filed.")
    queue: str | None = Field(description="Id of the queue it is in.")
    tier: str | None = Field(
        description="Contract tier on file when it was filed, which sets its service level."
    )
    answer_due_at: SimTime | None = Field(
        description="When its first answer is due at this tier and its priority; medium while undecided."
    )
    answered_at: SimTime | None = Field(description="When its reporter was first answered.")
    breached_at: SimTime | None = Field(description="When its answer was found overdue.")
    reporter_wrote_at: SimTime | None = Field(
        description="When its reporter last commented; ticketdesk_list_comments returns the text."
    )
    merged_into: str | None = Field(description="Id of the ticket that stands for it.")
    version: TicketVersion
