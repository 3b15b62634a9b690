"""Dates of the platform team: maintenance windows, freezes and the weeks of the roster."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from companyos.sdk.simtime import DAY, HOUR

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Day 0 of simulated time, 2030-01-01, is a Tuesday; Monday is weekday 0.
_FIRST_WEEKDAY: Final = 1


@dataclass(frozen=True)
class Freeze:
    """A period in which no change goes live on the systems of some areas.

    Attributes:
        exempt: The area in which a separate approval allows emergency changes; None if there is none.
    """

    starts_at: int
    ends_at: int
    areas: frozenset[str]
    exempt: str | None = None

    def covers(self, area: str, instant: int) -> bool:
        """Return whether the freeze covers an area's systems at an instant, exceptions aside."""
        return area in self.areas and self.starts_at <= instant < self.ends_at


@dataclass(frozen=True)
class Windows:
    """When normal changes go live: on two weekdays (Monday is 0) at an hour."""

    weekdays: tuple[int, int]
    hour: int

    def first(self, now: int, area: str, freezes: Sequence[Freeze]) -> int:
        """Return the first window that begins tomorrow or later and is not in a freeze of the area."""
        days = (day for day in count(now // DAY + 1) if weekday(day) in self.weekdays)
        windows = (day * DAY + self.hour * HOUR for day in days)
        return next(one for one in windows if not any(freeze.covers(area, one) for freeze in freezes))


def weekday(day: int) -> int:
    """Return the weekday of a day counted from day 0; Monday is 0."""
    return (day + _FIRST_WEEKDAY) % len(WEEKDAYS)


def monday(day: int) -> int:
    """Return the Monday of a day's week, both counted from day 0."""
    return day - weekday(day)
