"""The rules of DataHub: when a metric is stale, what a refresh returns, when a person is away, and who decides.

Everything here is pure. Times are simulated seconds; a span excludes its last instant.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Any, Protocol


class MetricStatus(StrEnum):
    """Whether a metric is reliable at all, whatever its age."""

    OK = "ok"
    QUARANTINED = "quarantined"


class JobStatus(StrEnum):
    """The life of a refresh job."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class PermissionId(StrEnum):
    """The actions that need a permission."""

    REFRESH_METRICS = "refresh_metrics"


class RecordStatus(StrEnum):
    """The statuses a person may set; records can have others, which their kind defines."""

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
    """A metric at one instant."""

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
    """A metric upstream or downstream of another, at its shortest distance in steps."""

    id: str
    name: str
    subject: str | None
    status: MetricStatus
    is_stale: bool
    distance: int


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """The metrics from which one is computed, and those computed from it, nearest first."""

    metric_id: str
    upstream: list[LineageNode]
    downstream: list[LineageNode]


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A person in the directory, with their absence at one instant."""

    id: str
    name: str
    role: str
    team: str
    email: str
    manager: str | None
    reports: list[str]
    active: bool
    is_away: bool
    away_until: int | None
    absences: Sequence[Span]
    delegate: str | None
    delegate_types: list[str]
    delegate_limit: float | None


@dataclass(frozen=True, kw_only=True)
class Deputy:
    """An approver's delegate: their limits, their own absence, and their own delegate."""

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
    """The person who decides for a role at one instant."""

    role: str
    id: str
    name: str
    available: bool
    away_until: int | None
    delegate: Deputy | None
    on_duty: str | None
    others: list[str]


@dataclass(frozen=True, kw_only=True)
class Access:
    """A permission as one person has it, or has requested it until `due_at`."""

    id: str
    allows: str
    held: bool
    grant_s: int
    due_at: int | None


def has_permission(roles: Collection[str], role: str) -> bool:
    """Return whether a role has a permission limited to these roles; if there are none, everybody has it."""
    return not roles or role in roles


def expires_at(as_of: int, ttl_s: int) -> int:
    """Return the first instant at which a metric taken at `as_of` is stale."""
    return as_of + ttl_s


def is_stale(as_of: int, ttl_s: int, now: int) -> bool:
    """Return whether a metric has expired; at the second of expiry it has."""
    return now >= expires_at(as_of, ttl_s)


def age(as_of: int, now: int) -> int:
    """Return how old a metric is, in seconds, never negative."""
    return max(0, now - as_of)


def refresh_fails(failures: Collection[int], number: int) -> bool:
    """Return whether refresh `number` of a metric (counted from 0, failed ones included) fails."""
    return number in failures


def refreshed_value(
    values: Sequence[float], failures: Iterable[int], number: int, *, current: float | None
) -> float | None:
    """Return the value from a successful refresh.

    Successive successful refreshes return successive `values`; the last one repeats. A failed refresh
    consumes no value. A source without values confirms the current one.
    """
    if not values:
        return current
    succeeded = number - sum(1 for failed in set(failures) if failed < number)
    return values[min(succeeded, len(values) - 1)]


def recomputed(
    own: float | None, weights: Mapping[str, float], upstream: Mapping[str, float | None]
) -> float | None:
    """Return a metric's value, to the cent: its source's value plus weighted shares of upstream metrics."""
    if not weights or own is None:
        return own
    return round(fsum([own, *(share * (upstream.get(one) or 0.0) for one, share in weights.items())]), 2)


def away_until(spans: Iterable[Span], now: int) -> int | None:
    """Return when a person returns, or None if they are present.

    Spans that overlap or follow each other without a gap count as one.
    """
    until = now
    for span in sorted(spans, key=lambda span: span.starts_at):
        if span.starts_at <= until < span.ends_at:
            until = span.ends_at
    return until if until > now else None


def approver_on_duty(holder: str, *, holder_is_away: bool, deputy: Deputy | None) -> str | None:
    """Return who decides for a role now: its holder, else their delegate, or None if neither is present."""
    if not holder_is_away:
        return holder
    return deputy.id if deputy is not None and deputy.available else None


def needs_approval(before: str, after: str) -> bool:
    """Return whether a status change is an activation, which only an approval can cause."""
    return after == RecordStatus.ACTIVE and before != RecordStatus.ACTIVE


def changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the names whose values in `after` and `before` differ as JSON, where true is not equal to 1."""
    return [name for name in after if _json(before[name]) != _json(after[name])]


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
