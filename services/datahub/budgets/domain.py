"""The rules of budgets: which budget pays, and its balance. All pure.

The ledger of a budget is a metric, which ages and is refreshed like any other. Approvals are stored as
separate commitments, which no refresh includes, so the order of approvals and refreshes does not matter.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Final, Protocol

#: The metric that shows how much of a budget its ledger counts as committed.
LEDGER: Final = "budget_committed"


class Period(Protocol):
    """A period in which a budget may be spent."""

    @property
    def starts_at(self) -> int:
        """The first instant."""

    @property
    def ends_at(self) -> int:
        """The first instant after the period."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """A budget at one instant.

    Attributes:
        metric_id: The metric of its ledger; None if it has none.
        committed: The amount that the ledger shows as committed, at `as_of`.
        reserved: The amount committed by approvals that are not in the ledger.
        remaining: The limit minus both.
    """

    id: str
    cost_centre: str
    name: str
    owner: str
    starts_at: int
    ends_at: int
    currency: str
    limit_amount: float
    metric_id: str | None
    committed: float
    as_of: int | None
    is_stale: bool
    reserved: float
    remaining: float


def is_current(period: Period, now: int) -> bool:
    """Return whether a budget may be spent now."""
    return period.starts_at <= now < period.ends_at


def total(amounts: Iterable[float]) -> float:
    """Return the sum of amounts, to the cent."""
    return round(fsum(amounts), 2)


def remaining(limit: float, committed: float, reserved: Iterable[float]) -> float:
    """Return the remaining amount of a budget, to the cent; negative if it is overspent."""
    return total([limit, -committed, *(-amount for amount in reserved)])
