"""The wire types of TicketDesk. Agents read every description here as part of the tools."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, Name, PageQuery, SimTime, Text, Version, View

from .domain import Action, Approval, LinkKind, Priority, Status

# Bodies are validated strictly, and strict validation rejects text for an enum. So enums are lax and ignore
# case.
AnyKind = Annotated[Key, AnyCase]
AnyPriority = Annotated[Priority, Field(strict=False), AnyCase]
AnyStatus = Annotated[Status, Field(strict=False), AnyCase]
AnyLink = Annotated[Literal[LinkKind.RELATES, LinkKind.BLOCKS, LinkKind.DUPLICATES], AnyCase]

TicketId = Annotated[Key, Path()]
BlockerId = Annotated[Key, Path(description="From the ticket's `blocked_by`.")]
RuleKind = Annotated[AnyKind, Path()]

#: Text that is not only whitespace.
Title = Annotated[Name, Field(pattern=r"\S")]
Prose = Annotated[Text, Field(pattern=r"\S")]
ExpectedVersion = Annotated[
    Version | None, Field(description="The `version` you read; if it has changed since, the call is refused.")
]
TicketVersion = Annotated[
    int, Field(description="Grows when its fields change; not with comments, answers, links or queues.")
]


class TicketsQuery(PageQuery):
    """Which tickets to list; filters that are left out let every ticket pass."""

    status: AnyStatus | None = None
    assignee: Key | None = Field(None, description="Person id.")
    kind: AnyKind | None = None
    priority: AnyPriority | None = None


class SearchQuery(TicketsQuery):
    """Which tickets to look for."""

    q: Key | None = Field(
        None, description="Text to find: part of a word, or an id. Optional beside a filter."
    )


class CreateTicket(Body):
    """A ticket to file."""

    kind: AnyKind = Field(description="ticketdesk_get_rules lists the kinds.")
    title: Title = Field(description="In one line.")
    description: Prose = Field(description="What a colleague needs to know.")
    subject: Key | None = Field(None, description="Id of the object it is about.")
    priority: AnyPriority | None = None
    blocks: Key | None = Field(None, description="Id of a ticket that has to wait for this one.")


class UpdateTicket(Body):
    """New values for fields of a ticket; fields that are left out or null keep theirs."""

    ELSEWHERE: ClassVar[Mapping[str, str]] = {
        "assignee": "ticketdesk_assign_ticket",
        "status": "ticketdesk_transition_ticket",
        "blocked_by": "ticketdesk_resolve_blocker",
        "verified_by": "ticketdesk_verify_ticket",
        "evidence": "ticketdesk_verify_ticket",
        "resolution": "ticketdesk_close_ticket",
    }

    title: Title | None = Field(None, description="In one line.")
    description: Prose | None = Field(None, description="What a colleague needs to know.")
    priority: AnyPriority | None = None
    cost_centre: Key | None = Field(None, description="Such as `CC-210`.")
    subject: Key | None = Field(None, description="Id of the object it is about; fixed once verified.")
    version: ExpectedVersion = None


class AssignTicket(Body):
    """The person who is to do the work."""

    assignee: Key = Field(description="Person id, such as `ana.lopez`.")
    version: ExpectedVersion = None


class TransitionTicket(Body):
    """The status to take a ticket to, and why."""

    to: AnyStatus = Field(description="`triage`, `in_progress` or `done`.")
    reason: Prose = Field(description="Kept in the history.")
    version: ExpectedVersion = None


class VerifyTicket(Body):
    """The facts that were checked."""

    evidence: Prose = Field(description="What you checked: ids and values, in a sentence.")
    references: list[Key] = Field(
        min_length=1,
        max_length=20,
        description="Ids of what you checked it against: records, metrics, documents.",
    )
    version: ExpectedVersion = None


class ReopenTicket(Body):
    """Why the work on a ticket is not over."""

    reason: Prose = Field(description="Kept in the history.")
    version: ExpectedVersion = None


class CloseTicket(Body):
    """The outcome of a ticket."""

    resolution: Prose = Field(description="What was done, or why nothing was.")
    version: ExpectedVersion = None


class ResolveBlocker(Body):
    """The ticket as the caller has read it."""

    version: ExpectedVersion = None


class AddComment(Body):
    """A comment on a ticket."""

    body: Prose = Field(description="The comment.")


class LinkTicket(Body):
    """The object to link a ticket to."""

    kind: AnyLink
    target: Key = Field(description="Id of a ticket; for `relates` also of another object.")


class TicketView(View):
    """A ticket as it is now."""

    id: str = Field(description="The ticket's id.")
    kind: str = Field(description="What it is about; ticketdesk_get_rules has the rules of the kind.")
    title: str = Field(description="What is to be done, in one line.")
    description: str = Field(description="What a colleague needs to know to do it.")
    status: Status = Field(description="Where it is in its life.")
    priority: Priority | None = Field(description="How urgent it is; null while undecided.")
    assignee: str | None = Field(description="Person id of its assignee; null while there is none.")
    reporter: str = Field(description="Person id of its reporter, who cannot verify it.")
    subject: str | None = Field(description="Id of the record, metric or request it is about.")
    cost_centre: str | None = Field(description="The cost centre that pays.")
    blocked_by: list[str] = Field(
        description="Ids of its blockers: tickets to be finished and verified, metrics (`MET-`) to be refreshed, "
        "requests (`APR-`) to be approved."
    )
    resolution: str | None = Field(description="Its outcome; set when it is closed.")
    evidence: str | None = Field(description="What its verifier checked.")
    references: list[str] = Field(description="Ids of what its verifier checked it against.")
    verified_by: str | None = Field(description="Person id of its verifier; null while it is not verified.")
    verified_at: SimTime | None = Field(description="When it was verified.")
    requires_approval: bool = Field(
        description="Whether it can go to in_progress or done only once its approval is `approved`."
    )
    approval: Approval = Field(description="Outcome of the newest approval request about it.")
    created_at: SimTime = Field(description="When it was filed.")
    updated_at: SimTime = Field(description="When it was last changed.")
    version: TicketVersion


class CommentView(View):
    """A comment on a ticket."""

    id: str = Field(description="The comment's id.")
    ticket_id: str = Field(description="Id of the ticket it is about.")
    author: str = Field(description="Person id of its author.")
    body: str = Field(description="The author's words, not a policy of the company.")
    created_at: SimTime = Field(description="When it was written.")


class LinkView(View):
    """A relation of a ticket to another object."""

    id: str = Field(description="The link's id.")
    ticket_id: str = Field(description="Id of the ticket the link starts from.")
    kind: LinkKind = Field(
        description="What the ticket is to the target; `approval`: the target decides on it."
    )
    target: str = Field(description="Id of the ticket, record, metric or request it leads to.")
    created_at: SimTime = Field(description="When it was made.")


class HistoryLineView(View):
    """One change of a ticket."""

    id: str = Field(description="The line's id.")
    ticket_id: str = Field(description="Id of the ticket.")
    at: SimTime = Field(description="When it was done.")
    actor: str = Field(description="Id of the person or automation that acted; `service_level` for a breach.")
    action: Action = Field(description="What was done.")
    field: str | None = Field(description="The field that changed; null where the whole ticket did.")
    before: str | None = Field(description="The field's value before, as text.")
    after: str | None = Field(description="The field's value after, as text.")


class RuleView(View):
    """The company's rules for one kind of ticket."""

    kind: str = Field(validation_alias="id", description="The kind of ticket.")
    name: str = Field(description="What people call it.")
    allowed_priorities: list[Priority] = Field(
        validation_alias="allowed", description="The priorities that such a ticket may have."
    )
    required_fields: list[str] = Field(description="The fields that must be set before it can be verified.")
    verifier_roles: list[str] = Field(description="The roles that may verify it.")
    needs_approval: bool = Field(description="Whether work on a new one waits for an approval.")
    all_kinds: list[str] = Field(description="Every kind of ticket that the company has.")


class AnswerTicket(Body):
    """An answer to the reporter of a ticket."""

    body: Prose = Field(description="The answer.")
    document_ids: list[Key] = Field(
        default_factory=list,
        max_length=10,
        description="Ids of the documents to send with it, such as `DOC-0007`.",
    )
    version: ExpectedVersion = None


class AnswerView(View):
    """An answer to a ticket's reporter."""

    id: str = Field(description="The answer's id.")
    ticket_id: str = Field(description="Id of the ticket.")
    author: str = Field(description="Person id of its author.")
    body: str = Field(description="The answer.")
    documents: list[str] = Field(description="Ids of the documents sent with it.")
    answered_at: SimTime = Field(description="When it was sent.")
