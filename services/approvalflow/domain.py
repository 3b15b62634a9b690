"""The rules of ApprovalFlow: what a request must say, what it waits for, and who may decide it.

Everything here is pure. A request is *held* until the facts that its policy asks for are there, then *pending*
at its approver, who looks at it after a while and decides on the evidence pinned when it was handed over. Times
are simulated seconds; what ends at an instant is over at that instant.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

FieldValue = str | int | float | bool | None


class Status(StrEnum):
    """Where a request is in its life."""

    HELD = "held"
    PENDING = "pending"
    ESCALATED = "escalated"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    VOIDED = "voided"


class Can(StrEnum):
    """What takes a permission."""

    SUBMIT_REQUESTS = "submit_requests"


class Waiting(StrEnum):
    """A fact that a held request waits for."""

    TICKET_VERIFIED = "ticket_verified"
    FIGURE_FRESH = "figure_fresh"


class Action(StrEnum):
    """What a line of the audit says was done."""

    SUBMITTED = "submitted"
    RESUBMITTED = "resubmitted"
    MISDIRECTED = "misdirected"
    HELD = "held"
    RELEASED = "released"
    EVIDENCE_ADDED = "evidence_added"
    ESCALATED = "escalated"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    VOIDED = "voided"
    REVALIDATED = "revalidated"


class Voiding(StrEnum):
    """Why a request at its approver no longer counts."""

    FIGURE_CHANGED = "figure_changed"
    TICKET_REOPENED = "ticket_reopened"
    POLICY_CHANGED = "policy_changed"


class FieldType(StrEnum):
    """What a field of a request may hold."""

    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"


class EvidenceKind(StrEnum):
    """What is attached to a request."""

    DOCUMENT = "document"
    COMMENT = "comment"
    TICKET = "ticket"
    METRIC = "metric"
    RECORD = "record"


#: Statuses in which something is still to happen; a type and ticket have one such request at most.
OPEN = (Status.HELD, Status.PENDING, Status.ESCALATED)

#: Statuses in which a request lies at its approver.
AT_APPROVER = (Status.PENDING, Status.ESCALATED)


@dataclass(frozen=True)
class FieldSpec:
    """A field that requests of a type carry.

    Attributes:
        renamed_from: What it was called before; that name is refused.
        scale: What a figure is to be multiplied by to be stated here, where the unit is another.
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
    """What an approval type asks of a request, and who decides it.

    Attributes:
        ticket_kind: Kind of the verified ticket a request needs; None when it needs none.
        metric_name: Name of the figure that must be fresh; None when no figure matters.
        metric_field: The request's field that must equal that figure.
        minimum: Least acceptable figure.
        maximum: Greatest acceptable figure.
        routes: In order; the first that covers the amount applies.
        route_field: The request's field that holds the amount; None means the figure, where routes are banded.
        sod: Whether the requester, and who reported or verified the ticket, may not approve.
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
        """Return what a figure is multiplied by to be stated in a field."""
        return next((spec.scale for spec in self.fields if spec.name == field), 1.0)


def unknown_fields(specs: Iterable[FieldSpec], given: Iterable[str]) -> list[str]:
    """Return the given names that no field has, sorted."""
    return sorted(set(given) - {spec.name for spec in specs})


def missing_fields(specs: Iterable[FieldSpec], given: Mapping[str, FieldValue]) -> list[str]:
    """Return the required fields that are absent, null or blank, in the order of the type."""
    return [spec.name for spec in specs if spec.required and _is_blank(given.get(spec.name))]


def mistyped_fields(specs: Iterable[FieldSpec], given: Mapping[str, FieldValue]) -> list[FieldSpec]:
    """Return the fields whose value is of another type, in the order of the type; null fits any of them."""
    return [spec for spec in specs if not fits(spec.type, given.get(spec.name))]


def fits(kind: FieldType, value: FieldValue) -> bool:
    """Say whether a JSON value is of this type or null; 12.0 is an integer too, and true is no number."""
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
    """Say whether a figure exists and still counts; at the very second of expiry it does not."""
    return value is not None and now < expires_at


def waits_for(policy: Policy, *, ticket_is_verified: bool, figure_is_fresh: bool) -> list[Waiting]:
    """Return the facts that a request under this policy still lacks; none means it goes to its approver."""
    facts = {
        Waiting.TICKET_VERIFIED: policy.ticket_kind is None or ticket_is_verified,
        Waiting.FIGURE_FRESH: policy.metric_name is None or figure_is_fresh,
    }
    return [fact for fact, is_there in facts.items() if not is_there]


def stated_figure(policy: Policy, fields: Mapping[str, FieldValue]) -> float | None:
    """Return the figure as the requester states it, or None where the request does not."""
    return _unscaled(policy, policy.metric_field, fields)


def amount_of(policy: Policy, fields: Mapping[str, FieldValue], figure: float | None) -> float | None:
    """Return the amount that routes and limits are compared with, or None where the policy knows no amounts."""
    if policy.route_field is not None:
        return _unscaled(policy, policy.route_field, fields)
    return figure if any(route.below is not None for route in policy.routes) else None


def role_for(routes: Sequence[Route], amount: float | None) -> str | None:
    """Return the role that decides this amount, of the first route that covers it; None where none does."""
    for route in routes:
        if route.below is None or (amount is not None and amount < route.below):
            return route.role
    return None


def _is_blank(value: FieldValue) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _unscaled(policy: Policy, field: str | None, fields: Mapping[str, FieldValue]) -> float | None:
    stated = _as_number(fields.get(field or ""))
    return None if stated is None else stated / policy.scale(field)


def _as_number(value: FieldValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
