"""What goes over ApprovalFlow's wire. Every description here is read by agents: it is part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import Body, Key, PageQuery, SimTime, Text, Version, View

from .domain import Action, EvidenceKind, FieldType, Status, Waiting

TypeId = Annotated[
    Key, Path(description="Id of the approval type, such as `vendor_approval`; list_approval_types finds it.")
]
RequestId = Annotated[
    Key,
    Path(
        description="Id of the request, such as `APR-0001`; submit_approval returns it, list_approvals finds it."
    ),
]

Integer = Annotated[int, Field(ge=-(2**53), le=2**53)]
#: What a request's field can hold: one value, not a structure.
Scalar = bool | Integer | float | Annotated[Text, Field(min_length=0)] | None
Fields = Annotated[dict[Key, Scalar], Field(max_length=50)]


class RequestsQuery(PageQuery):
    """Which requests to list."""

    status: Status | None = Field(None, description="Only requests of this status.")
    type: Key | None = Field(
        None, description="Only requests of this approval type, such as `vendor_approval`."
    )
    ticket_id: Key | None = Field(None, description="Only requests about this ticket, such as `TD-1042`.")


class SubmitApproval(Body):
    """A decision to ask for."""

    type: Key = Field(description="Id of the approval type, such as `vendor_approval`.")
    ticket_id: Key | None = Field(
        None,
        description="Id of the ticket that the decision is about, such as `TD-1042`. Required where the type's "
        "policy names a kind of ticket.",
    )
    approver: Key = Field(
        description="Person id of who is to decide, such as `ana.lopez`: a holder of the role that the policy's "
        "route names, or while the holder is away who stands in for them. DataHub's directory knows them."
    )
    fields: Fields = Field(
        default_factory=dict,
        description="What the type asks a request to say, by field name; get_approval_type tells the fields, "
        "their JSON types and which are required.",
    )
    note: Text | None = Field(
        None, description="A word to the approver; it goes on record and decides nothing."
    )
    policy_version: Version | None = Field(
        None,
        description="The `policy_version` you have read; if the policy has changed since, nothing happens.",
    )


class ResubmitRequest(Body):
    """What to change in a rejected request when making it again. What is left out or null stays as it was."""

    fields: Fields = Field(
        default_factory=dict, description="Fields with new values, by name; the others keep theirs."
    )
    approver: Key | None = Field(None, description="Person id of another approver; the same one if left out.")
    note: Text | None = Field(
        None, description="A word to the approver; it goes on record and decides nothing."
    )
    version: Version | None = Field(
        None,
        description="The version of the rejected request you have read; if it has moved on, nothing happens.",
    )


class EscalateRequest(Body):
    """Why a request is to go to somebody else."""

    reason: Text = Field(description="Why you escalate; it goes on record.")
    version: Version | None = Field(
        None, description="The version you have read; if the request has moved on, nothing happens."
    )


class WithdrawRequest(Body):
    """Why a request is taken back."""

    reason: Text = Field(description="Why you take it back; it goes on record.")
    version: Version | None = Field(
        None, description="The version you have read; if the request has moved on, nothing happens."
    )


class AddEvidence(Body):
    """Something to attach to a request."""

    kind: EvidenceKind = Field(strict=False, description="What you attach.")
    reference: Text = Field(
        description="Which one: the id of the ticket, comment, metric or record, or what the document is called."
    )
    version: Version | None = Field(
        None, description="The version you have read; if the request has moved on, nothing happens."
    )


class TypeSummary(View):
    """A kind of decision the company takes in writing."""

    id: str = Field(
        description="Id of the type; submit_approval takes it as `type`, other tools as `type_id`."
    )
    name: str = Field(description="What people call it.")
    description: str = Field(description="What is decided, and when to ask for it.")
    policy_version: int = Field(description="Version of the policy in force; grows with every change of it.")
    ticket_kind: str | None = Field(
        description="Kind of ticket such a request is about; null if it needs none."
    )


class FieldView(View):
    """A field that requests of a type carry."""

    name: str = Field(description="Name of the field in `fields`.")
    type: FieldType = Field(description="JSON type of its value.")
    description: str = Field(description="What it says.")
    required: bool = Field(description="Whether a request without it is refused.")
    unit: str | None = Field(None, description="What it is stated in, where that is not the metric's unit.")
    scale: float = Field(
        1.0, description="What the metric's figure is multiplied by to be stated here; 1 where units agree."
    )
    renamed_from: str | None = Field(
        None,
        description="What it was called before; that name is not taken any more. Null if it has its old name.",
    )


class AnnouncedView(View):
    """A change of a policy that will come."""

    at: SimTime = Field(description="When it comes into force.")
    notice: str = Field(description="What changes.")


class TypeView(TypeSummary):
    """A kind of decision, with what a request for it must say."""

    fields: list[FieldView] = Field(description="What a request carries in `fields`.")
    metric_name: str | None = Field(
        description="Name of the DataHub metric that must be fresh; null if no figure matters."
    )
    metric_field: str | None = Field(
        description="The field that must equal that metric's figure, times its `scale`; null if none."
    )
    announced: list[AnnouncedView] = Field(
        description="Changes of the policy that will come, the next first."
    )


class RouteView(View):
    """Which role decides."""

    role: str = Field(description="The role, as DataHub's directory has it.")
    below: float | None = Field(None, description="It decides amounts under this; null means any amount.")


class PolicyView(View):
    """By which rules a type's requests are decided."""

    id: str = Field(description="Id of the approval type.")
    policy_version: int = Field(
        description="Version of the policy; requests keep the one they were made under."
    )
    rules: list[str] = Field(description="The whole policy in words, one sentence a rule.")
    ticket_kind: str | None = Field(
        description="Kind of ticket a request is about, which must be verified before it goes to its approver."
    )
    metric_name: str | None = Field(description="Name of the metric that must be fresh when it goes there.")
    metric_field: str | None = Field(description="The field that must equal that metric's figure.")
    minimum: float | None = Field(description="Least acceptable figure; null if there is none.")
    maximum: float | None = Field(description="Greatest acceptable figure; null if there is none.")
    routes: list[RouteView] = Field(
        description="Who decides: the first entry that covers the amount applies."
    )
    route_field: str | None = Field(
        description="The field that holds the amount; null if the figure is the amount, or all amounts are equal."
    )
    sod: bool = Field(
        description="Separation of duties: whether the requester, and who reported or verified the ticket, may not be "
        "the approver."
    )
    decision_s: int = Field(description="How long an approver takes to decide, in simulated seconds.")
    expires_s: int = Field(
        description="How long a request may stay undecided before it expires, in simulated seconds."
    )
    activates_record: bool = Field(description="Whether an approval makes the record it is about active.")
    announced: list[AnnouncedView] = Field(
        description="Changes of the policy that will come, the next first."
    )


class AttachmentView(View):
    """Something attached to a request."""

    kind: EvidenceKind = Field(description="What it is.")
    reference: str = Field(description="Which one.")
    by: str = Field(description="Person id of who attached it.")
    at: SimTime = Field(description="When it was attached.")


class EvidenceView(View):
    """What a request rests on; the pinned parts are null until it goes to its approver."""

    ticket_version: int | None = Field(None, description="Version of the verified ticket.")
    metric_id: str | None = Field(None, description="The metric whose figure counts.")
    metric_version: int | None = Field(None, description="Version of that metric.")
    metric_value: float | None = Field(None, description="Its figure at that version.")
    attachments: list[AttachmentView] = Field(default_factory=list, description="What people attached.")


class RequestView(View):
    """A decision that somebody asked for."""

    id: str = Field(description="Id of the request; the other tools take it as `request_id`.")
    type: str = Field(description="Its approval type.")
    policy_version: int = Field(description="Version of the policy it was made under.")
    ticket_id: str | None = Field(description="The ticket it is about.")
    subject: str | None = Field(description="Id of what the decision is about in the end, such as a record.")
    fields: dict[str, str | int | float | bool | None] = Field(description="What the requester states.")
    evidence: EvidenceView = Field(description="What it rests on.")
    requester: str = Field(description="Person id of who asks.")
    approver: str = Field(description="Person id of who decides.")
    status: Status = Field(
        description="`held` until the facts it needs are there, then `pending` at its approver or `escalated` to "
        "another; in the end `approved`, `rejected`, `withdrawn`, `expired` (not decided in time) or `voided` "
        "(what it rested on has changed)."
    )
    waiting_for: list[Waiting] = Field(
        description="What a held request waits for: `ticket_verified` (its ticket must be verified in TicketDesk), "
        "`figure_fresh` (its metric must be fresh in DataHub)."
    )
    submitted_at: SimTime = Field(description="When it was made.")
    decision_due_at: SimTime | None = Field(
        validation_alias="decision_due",
        description="When the approver decides; null unless it lies with one.",
    )
    decided_at: SimTime | None = Field(description="When it was decided; null until then.")
    decided_by: str | None = Field(description="Person id of who decided; null until then.")
    reason_code: str | None = Field(description="Why it was rejected or voided, as a stable code; else null.")
    reason: str | None = Field(description="Why it ended without an approval, and what would make it right.")
    attempt: int = Field(description="Which try at this decision it is, from 1.")
    supersedes: str | None = Field(
        description="The rejected request it makes again; null if it is a new one."
    )
    version: int = Field(description="Grows by one with every act on the request.")


class StatusView(View):
    """Where a request is in its life, in short."""

    id: str = Field(description="Id of the request.")
    status: Status = Field(description="`held`, `pending`, `escalated`, or how it ended.")
    policy_version: int = Field(description="Version of the policy it is judged by.")
    approver: str = Field(description="Person id of who decides or has decided.")
    waiting_for: list[Waiting] = Field(description="What a held request waits for.")
    decision_due_at: SimTime | None = Field(
        description="When the approver decides; null unless it lies with one."
    )
    decided_by: str | None = Field(description="Person id of who decided; null until then.")
    reason_code: str | None = Field(description="Why it was rejected or voided, as a stable code; else null.")
    explanation: str = Field(description="What is going on and what can be done about it.")


class AuditView(View):
    """One thing that happened to a request."""

    id: str = Field(description="Id of the entry.")
    at: SimTime = Field(description="When it happened.")
    actor: str = Field(description="Person id of who did it, or `approvalflow` where its rules did.")
    action: Action = Field(description="What was done.")
    detail: str = Field(description="How, and why.")
