"""The rules of accounting periods: the freshness of a metric, given the metrics behind it. All pure."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol


class PeriodStatus(StrEnum):
    """Whether the books of a period still change."""

    OPEN = "open"
    REOPENED = "reopened"
    LOCKED = "locked"


class Category(StrEnum):
    """The statement that a line belongs to."""

    BALANCE = "balance"
    RESULT = "result"


class Freshness(StrEnum):
    """Whether a value counts: taken recently, and after everything that it is computed from."""

    CURRENT = "current"
    STALE = "stale"
    OUTDATED = "outdated"


class Taken(Protocol):
    """The age and lineage of a metric's value."""

    @property
    def as_of(self) -> int:
        """When it was taken."""

    @property
    def expires_at(self) -> int:
        """The first instant at which it is stale."""

    @property
    def upstream(self) -> list[str]:
        """Ids of the metrics from which it is computed."""


def freshness(metric_id: str, metrics: Mapping[str, Taken], now: int) -> Freshness:
    """Return the freshness of a metric.

    It is outdated if any metric that it is computed from, directly or indirectly, is not current or was not
    taken before it. A value taken in the same second may have missed the upstream value, so it also counts as
    outdated.

    Args:
        metric_id: The metric.
        metrics: The metrics of its lineage, including itself; others are assumed to be current.
        now: The simulated time.
    """
    metric = metrics[metric_id]
    if now >= metric.expires_at:
        return Freshness.STALE
    known = [one for one in metric.upstream if one in metrics]
    if all(
        metrics[one].as_of < metric.as_of and freshness(one, metrics, now) == Freshness.CURRENT
        for one in known
    ):
        return Freshness.CURRENT
    return Freshness.OUTDATED


def variance(value: float | None, reference: float) -> float | None:
    """Return the difference between a value and its reference, to the cent; None without a value."""
    return None if value is None else round(value - reference, 2)
