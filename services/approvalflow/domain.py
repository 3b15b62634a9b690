"""The rules of ApprovalFlow: what a request must state, what it waits for, and who may decide it.

Everything here is pure. A request is *held* until the facts that its policy needs exist. It is then *pending*
with its approver, who looks at it after a while and decides on the evidence pinned at the hand-over. Times
are simulated seconds; a span excludes its last instant.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

FieldValue = str | int | float | bool | None


class Status(StrEnum):
    """The stages of a request's life."""

    HELD = "held"
    PENDING = "pending"
    ESCALATED = "escalated"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    VOIDED = "voided"


class PermissionId(StrEnum):
    """The actions that need a permission."""

    SUBMIT_REQUESTS = "submit_requests"


class Waiting(StrEnum):
    """A fact that a held request waits for."""

    TICKET_VERIFIED = "ticket_verified"
    METRIC_FRESH = "metric_fresh"


class Action(StrEnum):
    """The acts that an audit entry can record."""

    SUBMITTED = "submitted"
    RESUBMITTED = "resubmitted"
    MISDIRECTED = "misdirected"
    HELD = "held"
    RELEASED = "released"
    EVIDENCE_ADDED = "evidence_added"
    ESCALATED = "escalated"
    REASSIGNED = "reassigned"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    VOIDED = "voided"
    REVALIDATED = "revalidated"
    QUESTIONED = "questioned"
    ANSWERED = "answered"
    PASSED_ON = "passed_on"


class Voiding(StrEnum):
    """Why an open request became void."""

    METRIC_CHANGED = "metric_changed"
    TICKET_REOPENED = "ticket_reopened"
    TICKET_MERGED = "ticket_merged"
    POLICY_CHANGED = "policy_changed"
    APPROVER_LEFT = "approver_left"
    METRIC_QUARANTINED = "metric_quarantined"
    TICKET_ERASED = "ticket_erased"


class FieldType(StrEnum):
    """The type of a request's field."""

    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"


class EvidenceKind(StrEnum):
    """The kind of an attachment."""

    DOCUMENT = "document"
    COMMENT = "comment"
    TICKET = "ticket"
    METRIC = "metric"
    RECORD = "record"


#: Statuses in which a request is open; a type and ticket have at most one open request.
OPEN = (Status.HELD, Status.PENDING, Status.ESCALATED)

#: Statuses in which a request is with its approver.
AT_APPROVER = (Status.PENDING, Status.ESCALATED)


@dataclass(frozen=True)
class FieldSpec:
    """A field of a type's requests.

    Attributes:
        renamed_from: Its former name, which is refused.
        scale: The factor that converts a metric to the field's unit, if the units differ.
    """

    name: str
    type: FieldType
    description: str
    required: bool
    renamed_from: str | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class Route:
    """A role that decides amounts under `below`; None means any amount."""

    role: str
    below: float | None = None


@dataclass(frozen=True)
class Policy:
    """An approval type's requirements for a request, and its deciding roles.

    Attributes:
        ticket_kind: Kind of the verified ticket that a request needs; None if it needs none.
        metric_name: Name of the metric that must be fresh; None if no metric matters.
        metric_field: The request's field that must equal that metric.
        minimum: Least acceptable value.
        maximum: Greatest acceptable value.
        routes: The routes in order; the first that covers the amount applies.
        route_field: The request's field that holds the amount; None means the metric, if routes are banded.
        sod: Whether the requester, and the people who reported or verified the ticket, may not approve.
    """

    type_id: str
    fields: tuple[FieldSpec, ...] = ()
    ticket_kind: str | None = None
    metric_name: str | None = None
    metric_field: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    routes: tuple[Route, ...] = ()
    route_field: str | None = None
    sod: bool = True

    def scale(self, field: str | None) -> float:
        """Return the factor that converts a metric to a field's unit."""
        return next((spec.scale for spec in self.fields if spec.name == field), 1.0)


def unknown_fields(specs: Iterable[FieldSpec], given: Iterable[str]) -> list[str]:
    """Return the given names that no field has, sorted."""
    return sorted(set(given) - {spec.name for spec in specs})


def missing_fields(specs: Iterable[FieldSpec], given: Mapping[str, FieldValue]) -> list[str]:
    """Return the required fields that are absent, null or blank, in the order of the type."""
    return [spec.name for spec in specs if spec.required and _is_blank(given.get(spec.name))]


def mistyped_fields(specs: Iterable[FieldSpec], given: Mapping[str, FieldValue]) -> list[FieldSpec]:
    """Return the fields whose value has the wrong type, in the order of the type; null fits every field."""
    return [spec for spec in specs if not fits(spec.type, given.get(spec.name))]


def fits(kind: FieldType, value: FieldValue) -> bool:
    """Say whether a JSON value is null or of this type; 12.0 is also an integer, and true is not a number."""
    if value is None:
        return True
    match kind:
        case FieldType.STRING:
            return isinstance(value, str)
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.NUMBER:
            return _as_number(value) is not None
        case FieldType.INTEGER:
            number = _as_number(value)
            return number is not None and number.is_integer()
        case _:  # pragma: no cover
            assert_never(kind)


def is_fresh(value: float | None, expires_at: int, now: int) -> bool:
    """Say whether a metric exists and is fresh; at the second of expiry it is no longer fresh."""
    return value is not None and now < expires_at


def waits_for(policy: Policy, *, ticket_is_verified: bool, metric_is_fresh: bool) -> list[Waiting]:
    """Return the facts that a request under this policy still lacks; without any, it goes to its approver."""
    facts = {
        Waiting.TICKET_VERIFIED: policy.ticket_kind is None or ticket_is_verified,
        Waiting.METRIC_FRESH: policy.metric_name is None or metric_is_fresh,
    }
    return [fact for fact, is_there in facts.items() if not is_there]


def stated_metric(policy: Policy, fields: Mapping[str, FieldValue]) -> float | None:
    """Return the metric's value as the request states it, or None if it does not state it."""
    return _unscaled_amount(policy, policy.metric_field, fields)


def amount_of(policy: Policy, fields: Mapping[str, FieldValue], metric: float | None) -> float | None:
    """Return the amount to compare with routes and limits, or None if the policy has no amounts."""
    if policy.route_field is not None:
        return _unscaled_amount(policy, policy.route_field, fields)
    return metric if any(route.below is not None for route in policy.routes) else None


def role_for(routes: Sequence[Route], amount: float | None) -> str | None:
    """Return the role that decides this amount, from the first route that covers it, or None."""
    for route in routes:
        if route.below is None or (amount is not None and amount < route.below):
            return route.role
    return None


def _is_blank(value: FieldValue) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _unscaled_amount(policy: Policy, field: str | None, fields: Mapping[str, FieldValue]) -> float | None:
    stated = _as_number(fields.get(field or ""))
    return None if stated is None else stated / policy.scale(field)


def _as_number(value: FieldValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
