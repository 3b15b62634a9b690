"""The rules of ApprovalFlow: what a request must say, what it waits for, and who may decide it.

Everything here is pure. A request is *held* until the facts that its policy asks for are there, then *pending*
at its approver, who looks at it after a while and decides on the evidence pinned when it was handed over. Times
are simulated seconds; what ends at an instant is over at that instant.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
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


class Voiding(StrEnum):
    """Why a request at its approver no longer counts."""

    FIGURE_CHANGED = "figure_changed"
    TICKET_REOPENED = "ticket_reopened"


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
    """A field that requests of a type carry."""

    name: str
    type: FieldType
    description: str
    required: bool


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


@dataclass(frozen=True)
class Colleague:
    """A person as approvals see them: a role, and who stands in while they are away.

    Attributes:
        away_until: The instant of return; None, while away, means unknown.
        delegate_types: Approval types that the delegate may decide.
        delegate_limit: Largest amount that the delegate may decide; None means no limit.
    """

    id: str
    role: str
    away: bool = False
    away_until: int | None = None
    delegate: str | None = None
    delegate_types: tuple[str, ...] = ()
    delegate_limit: float | None = None

    def is_away(self, now: int) -> bool:
        """Say whether this person is absent at the instant `now`."""
        return self.away and (self.away_until is None or now < self.away_until)


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
    return _as_number(fields.get(policy.metric_field or ""))


def amount_of(policy: Policy, fields: Mapping[str, FieldValue], figure: float | None) -> float | None:
    """Return the amount that routes and limits are compared with, or None where the policy knows no amounts."""
    if policy.route_field is not None:
        return _as_number(fields.get(policy.route_field))
    return figure if any(route.below is not None for route in policy.routes) else None


def role_for(routes: Sequence[Route], amount: float | None) -> str | None:
    """Return the role that decides this amount, of the first route that covers it; None where none does."""
    for route in routes:
        if route.below is None or (amount is not None and amount < route.below):
            return route.role
    return None


def may_decide(
    people: Mapping[str, Colleague],
    *,
    role: str | None,
    type_id: str,
    amount: float | None,
    now: int,
    barred: Collection[str] = (),
) -> list[str]:
    """Return who may decide now: each holder of the role, or for one who may not or is away who stands in.

    Args:
        people: The holders of the role, their delegates, theirs and so on, by id; others do not matter.
        role: The role that the route names; None means that nobody may decide.
        type_id: The approval type, which each delegation on the way must name.
        amount: What each delegation's limit is compared with; None passes every limit.
        now: The present instant.
        barred: People who had a hand in the case; they count as away.
    """
    holders = sorted(
        (person for person in people.values() if person.role == role), key=lambda holder: holder.id
    )
    out = {person.id for person in people.values() if person.id in barred or person.is_away(now)}
    on_duty = [_end_of_chain(holder, people, out, type_id, amount) for holder in holders]
    return list(dict.fromkeys(person for person in on_duty if person is not None))


def barred_from(policy: Policy, *, requester: str, involved: Iterable[str | None]) -> set[str]:
    """Return who must not decide a request: who makes it, and who had a hand in its ticket.

    Args:
        policy: The policy; without separation of duties nobody is barred.
        requester: Who asks.
        involved: Who reported and who verified the ticket, as far as that is known.
    """
    return {person for person in (requester, *involved) if person is not None} if policy.sod else set()


def _is_blank(value: FieldValue) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _as_number(value: FieldValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _end_of_chain(
    holder: Colleague, people: Mapping[str, Colleague], out: set[str], type_id: str, amount: float | None
) -> str | None:
    """Return the first of holder, delegate, delegate's delegate … who is not out; None where the chain breaks."""
    person: Colleague | None = holder
    passed: set[str] = set()
    while person is not None and person.id in out:
        # A chain that comes back to somebody leads to nobody.
        if person.id in passed or not _delegates(person, type_id, amount):
            return None
        passed.add(person.id)
        person = people.get(person.delegate or "")
    return person.id if person is not None else None


def _delegates(person: Colleague, type_id: str, amount: float | None) -> bool:
    limit = person.delegate_limit
    covers = limit is None or amount is None or amount <= limit
    return covers and type_id in person.delegate_types
