"""An approver's decision, and the escalation of a request from an absent approver. All pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isclose
from typing import Final, assert_never

from .domain import EvidenceKind, FieldValue, Policy, amount_of, role_for, stated_metric
from .wording import in_prose


class Outcome(StrEnum):
    """An approver's decision."""

    APPROVED = "approved"
    REJECTED = "rejected"


class Reason(StrEnum):
    """The reasons for which a policy rejects a request; approvers can also have reasons of their own."""

    NOT_MY_APPROVAL = "not_my_approval"
    METRIC_MISMATCH = "metric_mismatch"
    BELOW_THRESHOLD = "below_threshold"
    ABOVE_THRESHOLD = "above_threshold"


class Remedy(StrEnum):
    """The ways to settle a rejection; the policy's own rejections need a new request."""

    ADD_EVIDENCE = "add_evidence"
    FIX_FIELD = "fix_field"
    RESUBMIT = "resubmit"
    SECOND_APPROVER = "second_approver"


@dataclass(frozen=True)
class Objection:
    """An approver's own reason to reject an attempt (from 1), whatever the request says.

    Attributes:
        states: The fields, by name, that a request must state, with their required values.
        evidence: The required attachment: the ticket, record or metric that the request is about.
    """

    attempt: int
    reason_code: str
    remedy: Remedy
    states: Mapping[str, FieldValue] = field(default_factory=dict)
    evidence: EvidenceKind | None = None


@dataclass(frozen=True)
class Attempt:
    """The parts of an attempt at a decision that objections depend on.

    Attributes:
        number: The attempt's number, from 1.
        attached: The attached objects that the request is about; other attachments do not count.
        objectors: Approvers who rejected the request before and asked for a second approver.
    """

    number: int
    approver: str
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    attached: Collection[EvidenceKind] = ()
    objectors: Collection[str] = ()


@dataclass(frozen=True)
class PendingRequest:
    """A request before its approver.

    Attributes:
        metric: The pinned value of the policy's metric.
        deciders: Everybody who may decide it now.
        ticket_id: The ticket that it is about, if any.
        objection: The approver's own open objection, if any.
    """

    fields: Mapping[str, FieldValue]
    metric: float | None
    approver: str
    deciders: Collection[str]
    ticket_id: str | None = None
    objection: Objection | None = None


@dataclass(frozen=True)
class Verdict:
    """The approver's decision; a rejection has a stable code and a sentence about the remedy.

    Attributes:
        remedy: What settles it; None if nothing does.
        required_field: The argument or field to supply or change, if any.
        required_evidence: The required attachment, if evidence settles it.
    """

    outcome: Outcome
    code: str | None = None
    reason: str | None = None
    remedy: Remedy | None = None
    required_field: str | None = None
    required_evidence: EvidenceKind | None = None


def decide(policy: Policy, pending: PendingRequest) -> Verdict:
    """Return the approver's decision: the route is checked first, then the metric, its range, and the objection."""
    return (
        _reject_misdirected(policy, pending)
        or _reject_mismatched(policy, pending)
        or _out_of_range(policy, pending)
        or _reject_objected(policy, pending)
        or Verdict(Outcome.APPROVED)
    )


def open_objection(objections: Iterable[Objection], attempt: Attempt) -> Objection | None:
    """Return the first open objection at this attempt, or None.

    A later attempt settles an objection that asks for a second look. The others stay open over any number of
    attempts until the evidence is attached, the fields have the required values, or an approver other than
    the objector is asked.
    """
    for objection in sorted(objections, key=lambda objection: objection.attempt):
        if objection.attempt <= attempt.number and not _is_settled(objection, attempt):
            return objection
    return None


def escalation_target(
    deciders: Sequence[str], *, approver: str, delegate: str | None, barred: Collection[str]
) -> str | None:
    """Return who takes over a request from its approver, or None if nobody can.

    Args:
        deciders: Everybody who may decide it now; the approver is skipped.
        approver: The current approver.
        delegate: The approver's delegate, who is preferred.
        barred: People who must not decide it, such as the requester.
    """
    entitled = [person for person in deciders if person != approver and person not in barred]
    if delegate in entitled:
        return delegate
    return entitled[0] if entitled else None


def _is_settled(objection: Objection, attempt: Attempt) -> bool:
    match objection.remedy:
        case Remedy.RESUBMIT:
            return attempt.number > objection.attempt
        case Remedy.ADD_EVIDENCE:
            return objection.evidence in attempt.attached
        case Remedy.FIX_FIELD:
            return all(attempt.fields.get(name) == value for name, value in objection.states.items())
        case Remedy.SECOND_APPROVER:
            return any(objector != attempt.approver for objector in attempt.objectors)
        case _:  # pragma: no cover
            assert_never(objection.remedy)


def _reject_misdirected(policy: Policy, pending: PendingRequest) -> Verdict | None:
    if pending.approver in pending.deciders:
        return None
    role = role_for(policy.routes, amount_of(policy, pending.fields, pending.metric))
    rule = f"the policy assigns it to the role {role}" if role else "no route of the policy covers its amount"
    return _rejection(
        Reason.NOT_MY_APPROVAL,
        f"{pending.approver} may not decide this: {rule}, or, while its holder is away, to the holder's delegate if "
        "the delegation covers it. Find that person with datahub_get_approver and resubmit to them.",
        Remedy.RESUBMIT,
        "approver",
    )


def _reject_mismatched(policy: Policy, pending: PendingRequest) -> Verdict | None:
    field = policy.metric_field
    if field is None or _agree(stated_metric(policy, pending.fields), pending.metric):
        return None
    return _rejection(
        Reason.METRIC_MISMATCH,
        f"{field} differs from the value of {policy.metric_name} when the request was passed to the approver. Read the "
        "metric with datahub_query_metric and resubmit with its current value.",
        Remedy.FIX_FIELD,
        field,
    )


def _agree(stated: float | None, metric: float | None) -> bool:
    # Unit conversion may have rounded the metric.
    if stated is None or metric is None:
        return stated is metric
    return isclose(stated, metric, rel_tol=1e-12)


def _out_of_range(policy: Policy, pending: PendingRequest) -> Verdict | None:
    if pending.metric is None:
        return None
    finding = f"{policy.metric_name} is {pending.metric:g}"
    if policy.minimum is not None and pending.metric < policy.minimum:
        return _rejection(
            Reason.BELOW_THRESHOLD, f"{finding}, below the policy's minimum of {policy.minimum:g}."
        )
    if policy.maximum is not None and pending.metric > policy.maximum:
        return _rejection(
            Reason.ABOVE_THRESHOLD, f"{finding}, above the policy's maximum of {policy.maximum:g}."
        )
    return None


def _reject_objected(policy: Policy, pending: PendingRequest) -> Verdict | None:
    objection = pending.objection
    if objection is None:
        return None
    words = objection.reason_code.replace("_", " ").capitalize()
    rejected = _rejection(
        objection.reason_code, f"{words}. {_advice(objection, policy, pending)}", objection.remedy
    )
    return replace(rejected, required_field=_field_wanted(objection), required_evidence=objection.evidence)


def _field_wanted(objection: Objection) -> str | None:
    if objection.remedy == Remedy.SECOND_APPROVER:
        return "approver"
    return next(iter(objection.states), None)


def _advice(objection: Objection, policy: Policy, pending: PendingRequest) -> str:
    match objection.remedy:
        case Remedy.ADD_EVIDENCE:
            return f"Attach {_NAMED[objection.evidence]} with approvalflow_add_evidence, then resubmit the request."
        case Remedy.FIX_FIELD:
            meant = " ".join(spec.description for spec in policy.fields if spec.name in objection.states)
            return f"Resubmit it with {in_prose(list(objection.states), 'and')} in its fields: {meant}"
        case Remedy.RESUBMIT:
            return "Check the request once more, then resubmit it."
        case Remedy.SECOND_APPROVER:
            return (
                f"Resubmit it to another authorized approver: {pending.approver} counts as absent for this request, so "
                "their delegate decides if the delegation covers it, otherwise another holder of the role."
            )
        case _:  # pragma: no cover
            assert_never(objection.remedy)


def _rejection(code: str, reason: str, remedy: Remedy | None = None, field: str | None = None) -> Verdict:
    return Verdict(Outcome.REJECTED, code, reason, remedy, field)


#: The approver's words for missing evidence.
_NAMED: Final[Mapping[EvidenceKind | None, str]] = {
    EvidenceKind.RECORD: "the record that the ticket is about (kind `record`, its id as reference)",
    EvidenceKind.METRIC: "the metric that the request rests on (kind `metric`, its id as reference)",
    EvidenceKind.TICKET: "the ticket of the request (kind `ticket`, its id as reference)",
}
