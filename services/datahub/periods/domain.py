"""The rules of accounting periods: how current a metric is, given what it is computed from. All pure."""

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
    """A metric's value, as far as its age matters."""

    @property
    def as_of(self) -> int:
        """When it was taken."""

    @property
    def expires_at(self) -> int:
        """The first instant at which it is stale."""

    @property
    def upstream(self) -> list[str]:
        """Ids of the metrics it is computed from."""


def freshness(metric_id: str, metrics: Mapping[str, Taken], now: int) -> Freshness:
    """Return how current a metric is.

    It is outdated if anything it is computed from, directly or through others, is not current or was not taken
    before it. A value taken at the same second may have missed the newer one, so it does not count either.

    Args:
        metric_id: The metric.
        metrics: The metrics of its lineage, itself included; others are taken for current.
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
    """Return how far a value is from its reference, to the cent; None without a value."""
    return None if value is None else round(value - reference, 2)
