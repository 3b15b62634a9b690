"""What an approver decides, and who takes a request over from one who is away. All pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import isclose
from typing import assert_never

from .domain import FieldValue, Policy, amount_of, role_for, stated_figure
from .wording import listed


class Outcome(StrEnum):
    """What an approver says."""

    APPROVED = "approved"
    REJECTED = "rejected"


class Reason(StrEnum):
    """Why the policy itself rejects; approvers can have reasons of their own besides."""

    NOT_MY_APPROVAL = "not_my_approval"
    FIGURE_MISMATCH = "figure_mismatch"
    BELOW_THRESHOLD = "below_threshold"
    ABOVE_THRESHOLD = "above_threshold"


class Remedy(StrEnum):
    """What settles an approver's own objection."""

    ADD_EVIDENCE = "add_evidence"
    FIX_FIELD = "fix_field"
    RESUBMIT = "resubmit"
    SECOND_APPROVER = "second_approver"


@dataclass(frozen=True)
class Objection:
    """An approver's own reason to say no at an attempt (from 1), whatever the request says.

    Attributes:
        states: What a request has to state for one that asks for fields, by name.
    """

    attempt: int
    reason_code: str
    remedy: Remedy
    states: Mapping[str, FieldValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """What an attempt at a decision brings forward against objections.

    Attributes:
        number: The how-manieth it is, from 1.
        objectors: Who turned the decision down before and asked for a second approver.
    """

    number: int
    approver: str
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    has_attachments: bool = False
    objectors: Collection[str] = ()


@dataclass(frozen=True)
class Case:
    """A request as it lies before its approver.

    Attributes:
        figure: The pinned value of the policy's figure.
        deciders: Everybody who may decide it now.
        objection: The approver's own objection that nothing has settled yet.
    """

    fields: Mapping[str, FieldValue]
    figure: float | None
    approver: str
    deciders: Collection[str]
    objection: Objection | None = None


@dataclass(frozen=True)
class Verdict:
    """What the approver says; a rejection has a stable code and a sentence on what would make it right.

    Attributes:
        remedy: What settles it, where it is the approver's own objection.
    """

    outcome: Outcome
    code: str | None = None
    reason: str | None = None
    remedy: Remedy | None = None


def decide(policy: Policy, case: Case) -> Verdict:
    """Return what the approver says: the route is looked at first, then the figure, its range, the objection."""
    return (
        _misdirected(policy, case)
        or _mismatched(policy, case)
        or _out_of_range(policy, case)
        or _objected(policy, case)
        or Verdict(Outcome.APPROVED)
    )


def unsettled(objections: Iterable[Objection], attempt: Attempt) -> Objection | None:
    """Return the first objection that stands at this attempt, or None.

    One that asks for a second look is settled by any later attempt. However often the request is made again, one
    that asks for evidence stands until some is attached, one that asks for fields until they hold what is right, and
    one that asks for a second approver until somebody else than who raised it is asked.
    """
    for objection in sorted(objections, key=lambda objection: objection.attempt):
        if objection.attempt <= attempt.number and not _is_settled(objection, attempt):
            return objection
    return None


def escalation_target(
    deciders: Sequence[str], *, approver: str, delegate: str | None, barred: Collection[str]
) -> str | None:
    """Return who takes a request over from its approver, or None when nobody can.

    Args:
        deciders: Everybody who may decide it now; the first other than the approver comes into question.
        approver: Whom the request is taken from.
        delegate: The approver's delegate, who goes before the others.
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
            return attempt.has_attachments
        case Remedy.FIX_FIELD:
            return all(attempt.fields.get(name) == value for name, value in objection.states.items())
        case Remedy.SECOND_APPROVER:
            return any(objector != attempt.approver for objector in attempt.objectors)
        case _:  # pragma: no cover
            assert_never(objection.remedy)


def _misdirected(policy: Policy, case: Case) -> Verdict | None:
    if case.approver in case.deciders:
        return None
    role = role_for(policy.routes, amount_of(policy, case.fields, case.figure))
    rule = f"the policy sends it to the role {role}" if role else "no route of the policy covers its amount"
    return _rejected(
        Reason.NOT_MY_APPROVAL,
        f"This is not for {case.approver} to decide: {rule}, or, while its holder is away, to the holder's "
        "delegate within what the delegation covers. Find out who that is now and resubmit to them.",
    )


def _mismatched(policy: Policy, case: Case) -> Verdict | None:
    field = policy.metric_field
    if field is None or _agree(stated_figure(policy, case.fields), case.figure):
        return None
    return _rejected(
        Reason.FIGURE_MISMATCH,
        f"{field} is not what {policy.metric_name} stood at when the evidence was pinned. "
        "Query the metric and resubmit with its current value.",
    )


def _agree(stated: float | None, figure: float | None) -> bool:
    # A figure in another unit went through a multiplication and a division.
    if stated is None or figure is None:
        return stated is figure
    return isclose(stated, figure, rel_tol=1e-12)


def _out_of_range(policy: Policy, case: Case) -> Verdict | None:
    if case.figure is None:
        return None
    said = f"{policy.metric_name} is {case.figure:g}"
    if policy.minimum is not None and case.figure < policy.minimum:
        return _rejected(Reason.BELOW_THRESHOLD, f"{said}, below the policy's minimum of {policy.minimum:g}.")
    if policy.maximum is not None and case.figure > policy.maximum:
        return _rejected(Reason.ABOVE_THRESHOLD, f"{said}, above the policy's maximum of {policy.maximum:g}.")
    return None


def _objected(policy: Policy, case: Case) -> Verdict | None:
    objection = case.objection
    if objection is None:
        return None
    words = objection.reason_code.replace("_", " ").capitalize()
    reason = f"{words}. {_advice(objection, policy, case.approver)}"
    return _rejected(objection.reason_code, reason, objection.remedy)


def _advice(objection: Objection, policy: Policy, approver: str) -> str:
    match objection.remedy:
        case Remedy.ADD_EVIDENCE:
            return "Attach what is asked for to this request with add_evidence, then resubmit it."
        case Remedy.FIX_FIELD:
            meant = " ".join(spec.description for spec in policy.fields if spec.name in objection.states)
            return f"Resubmit it with {listed(list(objection.states), 'and')} in its fields: {meant}"
        case Remedy.RESUBMIT:
            return "Look the request over once more, then resubmit it."
        case Remedy.SECOND_APPROVER:
            return (
                f"Resubmit it to somebody else who may decide it: {approver} counts as away for this decision, so that "
                "their delegate stands in where the delegation covers it, or another holder of the role decides."
            )
        case _:  # pragma: no cover
            assert_never(objection.remedy)


def _rejected(code: str, reason: str, remedy: Remedy | None = None) -> Verdict:
    return Verdict(Outcome.REJECTED, code, reason, remedy)
