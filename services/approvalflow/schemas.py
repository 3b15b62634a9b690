"""The wire types of ApprovalFlow. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, PageQuery, Scalar, SimTime, Text, Version, View

from .decisions import Remedy
from .domain import Action, EvidenceKind, FieldType, Status, Waiting

TypeName = Annotated[Key, AnyCase]
TypeId = Annotated[TypeName, Path(description="Such as `vendor_approval`.")]
RequestId = Annotated[Key, Path()]
AnyStatus = Annotated[Status, Field(strict=False), AnyCase]
AnyEvidence = Annotated[EvidenceKind, Field(strict=False), AnyCase]
ExpectedVersion = Annotated[
    Version | None, Field(description="The `version` you read; if it has changed since, the call is refused.")
]

Fields = Annotated[dict[Key, Scalar], Field(max_length=50)]


class RequestsQuery(PageQuery):
    """Which requests to list."""

    status: AnyStatus | None = None
    type: TypeName | None = Field(None, description="Approval type.")
    ticket_id: Key | None = None


class SubmitApproval(Body):
    """A decision to ask for."""

    type: TypeName = Field(description="Approval type, such as `vendor_approval`.")
    ticket_id: Key | None = Field(None, description="Required if the policy names a kind of ticket.")
    approver: Key = Field(
        description="Person id of the role's holder or, while they are away, of their delegate."
    )
    fields: Fields = Field(
        default_factory=dict, description="Values by field, as the approval type lists them."
    )
    note: Text | None = Field(None, description="For the approver.")
    policy_version: Version | None = Field(None, description="As you read it; refused if it has changed.")


class ResubmitRequest(Body):
    """The changes to a rejected request; fields that are left out or null keep their values."""

    fields: Fields = Field(default_factory=dict, description="New values by field.")
    approver: Key | None = Field(None, description="Person id, to ask somebody else.")
    note: Text | None = Field(None, description="For the approver.")
    version: ExpectedVersion = None


class EscalateRequest(Body):
    """Why a request is escalated."""

    reason: Text = Field(description="Kept on record.")
    version: ExpectedVersion = None


class WithdrawRequest(Body):
    """Why a request is withdrawn."""

    reason: Text = Field(description="Kept on record.")
    version: ExpectedVersion = None


class AddEvidence(Body):
    """Something to attach to a request."""

    kind: AnyEvidence = Field(description="What it is.")
    reference: Text = Field(description="Its id, or the document's name.")
    version: ExpectedVersion = None


class TypeSummary(View):
    """A kind of decision the company takes in writing."""

    id: str = Field(
        description="Id of the type; approvalflow_submit_approval takes it as `type`, other tools as `type_id`."
    )
    name: str = Field(description="Its name.")
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
    unit: str | None = Field(None, description="Its unit, where that differs from the metric's.")
    scale: float = Field(
        1.0, description="Factor from the metric's value to this field; 1 where units agree."
    )
    renamed_from: str | None = Field(
        None,
        description="Its former name, which is no longer accepted; null if it was never renamed.",
    )


class AnnouncedView(View):
    """An announced change of a policy."""

    at: SimTime = Field(description="When it comes into force.")
    notice: str = Field(description="What changes.")


class TypeView(TypeSummary):
    """A kind of decision, with what a request for it must say."""

    fields: list[FieldView] = Field(description="What a request carries in `fields`.")
    metric_name: str | None = Field(
        description="Name of the DataHub metric that must be fresh; null if no metric matters."
    )
    metric_field: str | None = Field(
        description="The field that must equal that metric's value, times its `scale`; null if none."
    )
    announced: list[AnnouncedView] = Field(description="Announced changes of the policy, the next one first.")


class RouteView(View):
    """Which role decides."""

    role: str = Field(description="The role, as DataHub's directory has it.")
    below: float | None = Field(None, description="It decides amounts below this; null means any amount.")


class PolicyView(View):
    """The rules by which a type's requests are decided."""

    id: str = Field(description="Id of the approval type.")
    policy_version: int = Field(
        description="Version of the policy; requests keep the one they were made under."
    )
    rules: list[str] = Field(description="The whole policy in words, one sentence a rule.")
    ticket_kind: str | None = Field(
        description="Kind of ticket a request is about, which must be verified before it goes to its approver."
    )
    metric_name: str | None = Field(description="Name of the metric that must be fresh when it goes there.")
    metric_field: str | None = Field(description="The field that must equal that metric's value.")
    minimum: float | None = Field(description="Least acceptable value; null if there is none.")
    maximum: float | None = Field(description="Greatest acceptable value; null if there is none.")
    routes: list[RouteView] = Field(
        description="Who decides: the first entry that covers the amount applies."
    )
    route_field: str | None = Field(
        description="The field that holds the amount; null if the metric is the amount, or amounts do not matter."
    )
    sod: bool = Field(
        description="Separation of duties: whether the requester, the reporter and the verifier of the ticket are "
        "barred from deciding."
    )
    decision_s: int = Field(description="Time an approver takes to decide, in simulated seconds.")
    expires_s: int = Field(
        description="How long a request may stay undecided before it expires, in simulated seconds."
    )
    activates_record: bool = Field(description="Whether approval activates the record it is about.")
    announced: list[AnnouncedView] = Field(description="Announced changes of the policy, the next one first.")


class AttachmentView(View):
    """Something attached to a request."""

    kind: EvidenceKind = Field(description="What it is.")
    reference: str = Field(description="Which one.")
    by: str = Field(description="Person id of the person who attached it.")
    at: SimTime = Field(description="When it was attached.")


class EvidenceView(View):
    """The evidence of a request; the pinned parts are null until it is passed to its approver."""

    ticket_version: int | None = Field(None, description="Version of the verified ticket.")
    metric_id: str | None = Field(None, description="The metric that counts.")
    metric_version: int | None = Field(None, description="Version of that metric.")
    metric_value: float | None = Field(None, description="Its value at that version.")
    attachments: list[AttachmentView] = Field(default_factory=list, description="The attachments.")


_REMEDY = (
    "What settles a rejection: `add_evidence`, `fix_field`, `resubmit` or `second_approver` before "
    "approvalflow_resubmit_request; null if nothing does, or it was not rejected."
)
_EVIDENCE = "What to attach: the record, metric or ticket that the request is about; null if nothing."
_REQUIRED = "The argument or field that the remedy gives or changes; null if there is none."


class RequestView(View):
    """A request for a decision."""

    id: str = Field(description="Id of the request; the other tools take it as `request_id`.")
    type: str = Field(description="Its approval type.")
    policy_version: int = Field(description="Version of the policy it was made under.")
    ticket_id: str | None = Field(description="The ticket it is about.")
    subject: str | None = Field(description="Id of the object that the decision is about, such as a record.")
    fields: dict[str, str | int | float | bool | None] = Field(description="The values stated, by field.")
    evidence: EvidenceView = Field(description="Its evidence.")
    requester: str = Field(description="Person id of the requester.")
    approver: str = Field(description="Person id of the approver.")
    status: Status = Field(
        description="`held` until its ticket and metric are ready, then `pending` at its approver or `escalated` to "
        "another; finally `approved`, `rejected`, `withdrawn`, `expired` (not decided in time) or `voided` (its "
        "evidence has changed)."
    )
    waiting_for: list[Waiting] = Field(
        description="What a held request waits for: `ticket_verified` (its ticket must be verified in TicketDesk), "
        "`metric_fresh` (its metric must be fresh in DataHub)."
    )
    submitted_at: SimTime = Field(description="When it was made.")
    decision_due_at: SimTime | None = Field(
        validation_alias="decision_due",
        description="When the approver decides; null unless it is with one.",
    )
    decided_at: SimTime | None = Field(description="When it was decided; null until then.")
    decided_by: str | None = Field(description="Person id of the person who decided; null until then.")
    reason_code: str | None = Field(description="Why it was rejected or voided, as a stable code; else null.")
    reason: str | None = Field(description="Why it ended without an approval, and what would make it right.")
    remedy: Remedy | None = Field(description=_REMEDY)
    required_field: str | None = Field(description=_REQUIRED)
    required_evidence: EvidenceKind | None = Field(description=_EVIDENCE)
    attempt: int = Field(description="Number of the attempt at this decision, from 1.")
    supersedes: str | None = Field(
        description="The rejected request that it repeats; null if it is a new one."
    )
    version: int = Field(description="Grows by one with every change.")


class StatusView(View):
    """The status of a request, in short."""

    id: str = Field(description="Id of the request.")
    status: Status = Field(description="`held`, `pending`, `escalated`, or how it ended.")
    policy_version: int = Field(description="Version of the policy that applies.")
    approver: str = Field(description="Person id of the approver.")
    waiting_for: list[Waiting] = Field(description="What a held request waits for.")
    decision_due_at: SimTime | None = Field(
        description="When the approver decides; null unless it is with one."
    )
    decided_by: str | None = Field(description="Person id of the person who decided; null until then.")
    reason_code: str | None = Field(description="Why it was rejected or voided, as a stable code; else null.")
    remedy: Remedy | None = Field(description=_REMEDY)
    required_field: str | None = Field(description=_REQUIRED)
    required_evidence: EvidenceKind | None = Field(description=_EVIDENCE)
    explanation: str = Field(description="Its situation, and what can be done about it.")


class AuditView(View):
    """One thing that happened to a request."""

    id: str = Field(description="Id of the entry.")
    at: SimTime = Field(description="When it happened.")
    actor: str = Field(description="Person id of the actor, or `approvalflow` for its own rules.")
    action: Action = Field(description="What was done.")
    detail: str = Field(description="How, and why.")
