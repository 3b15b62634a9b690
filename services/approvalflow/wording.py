"""The wording of ApprovalFlow's rules and of a request's status. All pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_iso

from .domain import FieldValue, Policy, Route, Status, Waiting

_SOD_RULE: Final = (
    "Separation of duties: neither the requester nor the person who reported or verified the ticket may decide; they "
    "count as absent."
)


@dataclass(frozen=True)
class Away:
    """An absence; `until` is None if its end is unknown."""

    until: int | None


def in_prose(names: Sequence[str], conjunction: str) -> str:
    """Return at least one name as a list in prose: `a`, `a and b`, `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def duration(seconds: int) -> str:
    """Return a duration in its largest whole unit, such as `2 hours`."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds >= unit and seconds % unit == 0:
            count = seconds // unit
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    return f"{seconds} seconds"


def policy_in_words(policy: Policy, *, decision_s: int, expires_s: int, activates_record: bool) -> list[str]:
    """Return a policy as sentences, one per rule."""
    rules = [
        _ticket_rule(policy),
        _metric_rule(policy),
        _range_rule(policy),
        *_route_rules(policy),
        *([_SOD_RULE] if policy.sod else []),
        f"An approver decides within {duration(decision_s)} of being asked, unless away.",
        f"A request that is not decided within {duration(expires_s)} of its submission expires.",
        "Approval activates the record that the ticket is about." if activates_record else None,
    ]
    return [rule for rule in rules if rule is not None]


def wants(waiting: Iterable[Waiting], *, policy: Policy, ticket_id: str | None, subject: str | None) -> str:
    """Return what a held request waits for, as a clause that follows `until`; at least one fact is given."""
    return in_prose([_want(fact, policy, ticket_id, subject) for fact in waiting], "and")


def asked(approver: str, fields: Mapping[str, FieldValue], note: str | None) -> str:
    """Return what an approver was asked, in words."""
    values = ", ".join(f"{name}={value!r}" for name, value in sorted(fields.items()))
    return f"Asked {approver} to approve{f' {values}' if values else ''}.{f' Note: {note}' if note else ''}"


def pinned(evidence: Mapping[str, Any], ticket_id: str | None) -> str:
    """Return the evidence that a request is based on, in words."""
    facts = []
    if evidence.get("ticket_version") is not None:
        facts.append(f"{ticket_id} at version {evidence['ticket_version']}")
    if evidence.get("metric_id") is not None:
        facts.append(f"{evidence['metric_id']} at version {evidence['metric_version']}")
    return in_prose(facts, "and") if facts else "the request alone"


def explained(
    status: Status,
    *,
    approver: str,
    wants: str,
    due: int | None,
    away: Away | None,
    reason: str | None,
) -> str:
    """Return a request's status in words, and the possible next acts.

    Args:
        status: The request's status.
        approver: The request's approver.
        wants: The facts that a held request waits for.
        due: When the approver looks at it, while it is pending.
        away: The approver's current absence, if any.
        reason: Why it ended.
    """
    match status:
        case Status.HELD:
            return f"Held until {wants}. It is then passed to {approver} automatically."
        case Status.PENDING | Status.ESCALATED:
            return _at_approver(approver, due, away)
        case Status.APPROVED:
            return f"Approved by {approver}."
        case Status.REJECTED:
            return f"Rejected by {approver}. {reason or ''}"
        case Status.WITHDRAWN | Status.EXPIRED | Status.VOIDED:
            return f"{status.capitalize()}. {reason or ''} Submit a new request with approvalflow_submit_approval."
        case _:  # pragma: no cover
            assert_never(status)


def _at_approver(approver: str, due: int | None, away: Away | None) -> str:
    if away is not None:
        until = f"until {to_iso(away.until)}" if away.until is not None else "for an unknown time"
        return (
            f"{approver} is away {until} and decides after that. approvalflow_escalate passes it on at once."
        )
    return f"{approver} decides at {to_iso(due)}." if due is not None else f"{approver} has yet to decide."


def _ticket_rule(policy: Policy) -> str | None:
    if policy.ticket_kind is None:
        return None
    return (
        f"The request is about a ticket of kind {policy.ticket_kind} and waits until that ticket is verified."
    )


def _metric_rule(policy: Policy) -> str | None:
    if policy.metric_name is None:
        return None
    fresh = (
        f"The request waits until the metric {policy.metric_name} is fresh in DataHub: the one about the ticket's "
        "subject, or, where there is none, the one about the company as a whole."
    )
    if policy.metric_field is None:
        return fresh
    scale = policy.scale(policy.metric_field)
    times = f" times {scale:g}" if scale != 1 else ""
    return f"{fresh} Its field {policy.metric_field} must equal the metric{times}."


def _range_rule(policy: Policy) -> str | None:
    bounds = {"at least": policy.minimum, "at most": policy.maximum}
    rules = [f"{words} {bound:g}" for words, bound in bounds.items() if bound is not None]
    return f"{policy.metric_name} must be {in_prose(rules, 'and')}." if rules else None


def _route_rules(policy: Policy) -> list[str]:
    # Routes use the metric's own unit, whatever the unit of a field.
    amount = policy.route_field if policy.scale(policy.route_field) == 1 else None
    amount = amount or policy.metric_name
    delegation = (
        "While the holder of that role is away, their delegate decides, provided that the delegation names this type "
        "of approval and its limit covers the amount; while the delegate is away too, the delegate's delegate on the "
        "same terms, and so on. If that chain ends or loops, another holder of the role decides, or nobody until one "
        "of them is back."
    )
    return [*(_route_rule(route, amount, n) for n, route in enumerate(policy.routes)), delegation]


def _route_rule(route: Route, amount: str | None, earlier: int) -> str:
    subject = f"Otherwise, the role {route.role}" if earlier else f"The role {route.role}"
    return (
        f"{subject} decides."
        if route.below is None
        else f"{subject} decides if {amount} is below {route.below:g}."
    )


def _want(fact: Waiting, policy: Policy, ticket_id: str | None, subject: str | None) -> str:
    match fact:
        case Waiting.TICKET_VERIFIED:
            return f"{ticket_id} is verified in TicketDesk"
        case Waiting.METRIC_FRESH:
            return f"{policy.metric_name} of {subject or 'the company'} is fresh in DataHub"
        case _:  # pragma: no cover
            assert_never(fact)
