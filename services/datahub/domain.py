"""The rules of DataHub: when a figure is stale, what a refresh brings, when a person is away, who decides.

Everything here is pure. Times are simulated seconds; a span of time is half-open, so what ends at an instant
is over at that instant.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class MetricStatus(StrEnum):
    """Whether a metric may be relied upon at all, whatever its age."""

    OK = "ok"
    QUARANTINED = "quarantined"


class JobStatus(StrEnum):
    """The life of a refresh job."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Can(StrEnum):
    """What takes a permission."""

    REFRESH_METRICS = "refresh_metrics"


class RecordStatus(StrEnum):
    """The statuses a person may ask for; records can carry others, which their kind defines."""

    PENDING = "pending"
    ACTIVE = "active"
    INACTIVE = "inactive"


class Span(Protocol):
    """A span of time during which a person is away."""

    @property
    def starts_at(self) -> int:
        """The first instant away."""

    @property
    def ends_at(self) -> int:
        """The instant of the return."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a metric says at one instant."""

    id: str
    name: str
    subject: str | None
    value: float | None
    unit: str
    status: MetricStatus
    as_of: int
    expires_at: int
    age_s: int
    is_stale: bool
    source: str
    refresh_s: int
    version: int


@dataclass(frozen=True, kw_only=True)
class LineageNode:
    """A metric on the way up or down from another, at its shortest distance in steps."""

    id: str
    name: str
    subject: str | None
    status: MetricStatus
    is_stale: bool
    distance: int
    upstream: list[str]


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """Where a metric comes from and what is computed from it, nearest first."""

    metric_id: str
    upstream: list[LineageNode]
    downstream: list[LineageNode]


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A person of the directory and whether they are here at one instant."""

    id: str
    name: str
    role: str
    team: str
    email: str
    manager: str | None
    is_away: bool
    away_until: int | None
    absences: Sequence[Span]
    delegate: str | None
    delegate_types: list[str]
    delegate_limit: float | None
    approval_limit: float | None


@dataclass(frozen=True, kw_only=True)
class Deputy:
    """Who stands in for an approver, how far, whether they are here, and who stands in for them in turn."""

    id: str
    name: str
    role: str
    available: bool
    away_until: int | None
    delegate: str | None
    delegate_types: list[str]
    delegate_limit: float | None


@dataclass(frozen=True, kw_only=True)
class Approver:
    """Who decides for a role at one instant."""

    role: str
    id: str
    name: str
    available: bool
    away_until: int | None
    approval_limit: float | None
    delegate: Deputy | None
    on_duty: str | None
    others: list[str]


@dataclass(frozen=True, kw_only=True)
class Access:
    """A permission as one person has it, or has asked for it until `due_at`."""

    id: str
    allows: str
    held: bool
    grant_s: int
    due_at: int | None


def has_permission(roles: Collection[str], role: str) -> bool:
    """Return whether a role has a permission of these roles; one of no roles is everybody's."""
    return not roles or role in roles


def expires_at(as_of: int, ttl_s: int) -> int:
    """Return the first instant at which a figure taken at `as_of` is stale."""
    return as_of + ttl_s


def is_stale(as_of: int, ttl_s: int, now: int) -> bool:
    """Return whether a figure has outlived its lifetime; at the very second of expiry it has."""
    return now >= expires_at(as_of, ttl_s)


def age(as_of: int, now: int) -> int:
    """Return how old a figure is, in seconds, never negative."""
    return max(0, now - as_of)


def refresh_fails(failures: Collection[int], number: int) -> bool:
    """Return whether refresh `number` of a metric (counted from 0, failed ones included) fails."""
    return number in failures


def refreshed_value(
    values: Sequence[float], failures: Iterable[int], number: int, *, current: float | None
) -> float | None:
    """Return what a successful refresh brings.

    Successive successful refreshes bring successive `values`; the last one repeats. A failed refresh uses
    nothing up. A source without values confirms the current one.
    """
    if not values:
        return current
    succeeded = number - sum(1 for failed in set(failures) if failed < number)
    return values[min(succeeded, len(values) - 1)]


def away_until(spans: Iterable[Span], now: int) -> int | None:
    """Return the instant at which a person is back, or None when they are here.

    Spans that overlap or follow one another without a gap count as one.
    """
    until = now
    for span in sorted(spans, key=lambda span: span.starts_at):
        if span.starts_at <= until < span.ends_at:
            until = span.ends_at
    return until if until > now else None


def approver_on_duty(holder: str, *, holder_is_away: bool, deputy: Deputy | None) -> str | None:
    """Return who decides for a role now: its holder, else their deputy, or None when neither is here."""
    if not holder_is_away:
        return holder
    return deputy.id if deputy is not None and deputy.available else None


def needs_approval(before: str, after: str) -> bool:
    """Return whether a change of a record's status is an activation, which only an approval brings."""
    return after == RecordStatus.ACTIVE and before != RecordStatus.ACTIVE


def changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the names under which `after` holds other JSON than `before`; JSON tells true from 1."""
    return [name for name in after if _json(before[name]) != _json(after[name])]


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
