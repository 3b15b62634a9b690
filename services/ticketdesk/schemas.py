"""What goes over TicketDesk's wire. Every description here is read by agents: it is part of the tools."""

from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field

from companyos.chassis import Body, Key, Name, PageQuery, SimTime, Text, Version, View

from .domain import Action, Approval, Kind, LinkKind, Priority, Status

TicketId = Annotated[Key, Path(description="Id of the ticket, such as `TD-1042`; search_tickets finds it.")]
BlockerId = Annotated[
    Key,
    Path(description="Id of the ticket, figure or request that blocks it, one of those in its `blocked_by`."),
]
RuleKind = Annotated[Kind, Path(description="The kind of ticket whose rules you want to read.")]

# Bodies are strict, and strict text is no member of a closed set: those fields say `strict=False`.

#: Text that says something, not only spaces.
Title = Annotated[Name, Field(pattern=r"\S")]
Prose = Annotated[Text, Field(pattern=r"\S")]
ExpectedVersion = Annotated[
    Version | None,
    Field(
        description="The ticket's `version` as you last read it. Where somebody has changed the ticket since, the "
        "call is refused and changes nothing. Leave it out to act on whatever the ticket is now."
    ),
]


class TicketsQuery(PageQuery):
    """Which tickets to list; filters that are left out let every ticket pass."""

    status: Status | None = Field(None, description="Only tickets in this status.")
    assignee: Key | None = Field(None, description="Only tickets given to this person, by id: `ana.lopez`.")
    kind: Kind | None = Field(None, description="Only tickets of this kind.")
    priority: Priority | None = Field(None, description="Only tickets of this priority.")


class SearchQuery(TicketsQuery):
    """Which tickets to look for."""

    q: Key = Field(
        description="Only tickets whose id, title, description or subject contains this text, in any case. "
        "Part of a word or the id of a record, such as `V-104`, finds more than a whole sentence."
    )


class CreateTicket(Body):
    """A ticket to file."""

    kind: Kind = Field(
        strict=False,
        description="What the ticket is about; get_rules tells what the company asks of each kind.",
    )
    title: Title = Field(description="What is to be done, in one line.")
    description: Prose = Field(description="What a colleague needs to know in order to do it.")
    subject: Key | None = Field(
        None,
        description="Id of what the ticket is about, such as the record `V-104` or the metric `MET-0104`.",
    )
    priority: Priority | None = Field(
        None, strict=False, description="How soon it wants attention, if that is known already."
    )
    blocks: Key | None = Field(
        None,
        description="Id of a ticket that cannot go on before this one is done and verified. That ticket becomes "
        "`blocked`, with the new one among its `blocked_by`.",
    )


class UpdateTicket(Body):
    """New values for fields of a ticket; what is left out or null stays as it is."""

    title: Title | None = Field(None, description="What is to be done, in one line.")
    description: Prose | None = Field(None, description="What a colleague needs to know in order to do it.")
    priority: Priority | None = Field(
        None,
        strict=False,
        description="How soon it wants attention: one that get_rules allows for the ticket's kind.",
    )
    cost_centre: Key | None = Field(None, description="The cost centre that pays, such as `CC-210`.")
    subject: Key | None = Field(
        None,
        description="Id of what the ticket is about, such as the record `V-104`. It can be set until the ticket is "
        "verified.",
    )
    version: ExpectedVersion = None


class AssignTicket(Body):
    """Who is to do the work."""

    assignee: Key = Field(description="Person id of an active colleague, such as `ana.lopez`.")
    version: ExpectedVersion = None


class TransitionTicket(Body):
    """Where to take a ticket, and why."""

    to: Status = Field(
        strict=False, description="The status to take it to: `triage`, `in_progress` or `done`."
    )
    reason: Prose = Field(description="Why, in a sentence; it goes into the ticket's history.")
    version: ExpectedVersion = None


class VerifyTicket(Body):
    """What was checked."""

    evidence: Prose = Field(
        description="What you looked at to convince yourself of the ticket's facts: ids and values, in a sentence."
    )
    version: ExpectedVersion = None


class ReopenTicket(Body):
    """Why the work on a ticket is not over."""

    reason: Prose = Field(description="Why, in a sentence; it goes into the ticket's history.")
    version: ExpectedVersion = None


class CloseTicket(Body):
    """What came of a ticket."""

    resolution: Prose = Field(
        description="What came of it, in a sentence: what was done, or why nothing was."
    )
    version: ExpectedVersion = None


class ResolveBlocker(Body):
    """The ticket as you know it."""

    version: ExpectedVersion = None


class AddComment(Body):
    """Something to say about a ticket."""

    body: Prose = Field(description="What you have to say; everybody who reads the ticket sees it.")


class LinkTicket(Body):
    """What to link a ticket to."""

    kind: Literal[LinkKind.RELATES, LinkKind.BLOCKS, LinkKind.DUPLICATES] = Field(
        description="What the ticket is to the target: it `relates` to it, it `blocks` it, or it `duplicates` it."
    )
    target: Key = Field(
        description="Id of the other ticket; for `relates` also of a record, metric or approval request."
    )


class TicketView(View):
    """A ticket as it is now."""

    id: str = Field(description="The ticket's id.")
    kind: Kind = Field(description="What it is about; get_rules tells what the company asks of the kind.")
    title: str = Field(description="What is to be done, in one line.")
    description: str = Field(description="What a colleague needs to know in order to do it.")
    status: Status = Field(description="Where it is in its life.")
    priority: Priority | None = Field(description="How soon it wants attention; null while nobody has said.")
    assignee: str | None = Field(description="Person id of who does the work; null while it is nobody's.")
    reporter: str = Field(description="Person id of who asked for it; they cannot verify it.")
    subject: str | None = Field(description="Id of the record, metric or request that it is about.")
    cost_centre: str | None = Field(description="The cost centre that pays.")
    blocked_by: list[str] = Field(
        description="Ids of what comes first: tickets that must be finished and verified, figures (`MET-`) that must "
        "be refreshed, requests (`APR-`) that must be approved."
    )
    resolution: str | None = Field(description="What came of it; set when it is closed.")
    evidence: str | None = Field(description="What the verifier looked at.")
    verified_by: str | None = Field(description="Person id of who verified its facts; null while nobody has.")
    verified_at: SimTime | None = Field(description="When its facts were verified.")
    requires_approval: bool = Field(
        description="Whether it can go to in_progress or done only once its approval is `approved`."
    )
    approval: Approval = Field(description="What the newest approval request about it has come to.")
    created_at: SimTime = Field(description="When it was filed.")
    updated_at: SimTime = Field(description="When it was last changed.")
    version: int = Field(
        description="Grows with every change; pass it back to act only on what you have read."
    )


class CommentView(View):
    """What somebody said about a ticket."""

    id: str = Field(description="The comment's id.")
    ticket_id: str = Field(description="Id of the ticket it is about.")
    author: str = Field(description="Person id of who said it.")
    body: str = Field(description="What they said: their words, not a policy of the company.")
    created_at: SimTime = Field(description="When they said it.")


class LinkView(View):
    """A relation of a ticket to something else."""

    id: str = Field(description="The link's id.")
    ticket_id: str = Field(description="Id of the ticket the link starts from.")
    kind: LinkKind = Field(
        description="What the ticket is to the target; `approval`: the target decides on it."
    )
    target: str = Field(description="Id of the ticket, record, metric or approval request it leads to.")
    created_at: SimTime = Field(description="When it was made.")


class HistoryLineView(View):
    """One thing that was done to a ticket."""

    id: str = Field(description="The line's id.")
    ticket_id: str = Field(description="Id of the ticket.")
    at: SimTime = Field(description="When it was done.")
    actor: str = Field(description="Person id of who did it.")
    action: Action = Field(description="What was done.")
    field: str | None = Field(description="The field it was done to; null where the whole ticket is meant.")
    before: str | None = Field(description="The field's value before, as text.")
    after: str | None = Field(description="The field's value after, as text.")


class RuleView(View):
    """What the company asks of one kind of ticket."""

    kind: Kind = Field(validation_alias="id", description="The kind of ticket.")
    allowed_priorities: list[Priority] = Field(
        validation_alias="allowed", description="The priorities that such a ticket may have."
    )
    required_fields: list[str] = Field(description="The fields that must be set before it can be verified.")
    verifier_roles: list[str] = Field(description="The roles that may verify it.")
