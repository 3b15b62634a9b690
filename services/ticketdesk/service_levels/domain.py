"""Business time: deadlines that count only the hours in which a desk is open. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from companyos.sdk.simtime import DAY

from ..domain import Priority, Status

#: Day 0 of simulated time, 2030-01-01, is a Tuesday; Monday is weekday 0.
_FIRST_WEEKDAY: Final = 1
_DAYS_OF_A_WEEK: Final = 7

#: The priority whose level applies while a ticket has none.
UNDECIDED: Final = Priority.MEDIUM

#: Statuses in which nobody waits for a first answer.
_SILENT: Final = frozenset({Status.CLOSED, Status.RETURNED})


@dataclass(frozen=True)
class Hours:
    """The opening hours of a desk.

    Attributes:
        opens_s: The second of the day at which it opens.
        closes_s: The second of the day at which it closes, later than `opens_s`.
        weekdays: The weekdays on which it opens, with Monday as 0; never empty.
    """

    opens_s: int
    closes_s: int
    weekdays: frozenset[int]

    def opening(self, day: int) -> tuple[int, int] | None:
        """Return the instants at which the desk opens and closes on a day, counted from day 0, or None."""
        if (day + _FIRST_WEEKDAY) % _DAYS_OF_A_WEEK not in self.weekdays:
            return None
        return day * DAY + self.opens_s, day * DAY + self.closes_s


def due_at(since: int, business_s: int, hours: Hours) -> int:
    """Return the instant at which `business_s` seconds of opening hours have passed since `since`."""
    day, left = since // DAY, business_s
    while True:
        if (opening := hours.opening(day)) is not None:
            begins, ends = max(opening[0], since), opening[1]
            if left <= ends - begins:
                return begins + left
            left -= max(0, ends - begins)
        day += 1


def level_id(tier: str, priority: Priority | None) -> str:
    """Return the id of the service level of a contract tier and a priority."""
    return f"{tier}:{priority or UNDECIDED}"


def is_awaited(status: Status, answered_at: int | None) -> bool:
    """Say whether the reporter of a ticket still waits for a first answer."""
    return answered_at is None and status not in _SILENT


def distinct(instants: Iterable[int], *, after: int) -> list[int]:
    """Return the distinct instants after `after`, in order."""
    return sorted({instant for instant in instants if instant > after})
