"""Simulated time: whole seconds since the simulated epoch, and its ISO 8601 forms."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

EPOCH: Final = datetime(2030, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=4096)
def to_iso(seconds: int) -> str:
    """Return the instant as ISO 8601 in UTC, for example `2030-03-04T09:00:00Z`."""
    instant = EPOCH + timedelta(seconds=seconds)
    return f"{instant.replace(tzinfo=None).isoformat()}Z"


def to_date(seconds: int) -> str:
    """Return the date of an instant in UTC, for example `2030-03-04`."""
    return to_iso(seconds)[:10]


def next_midnight(seconds: int) -> int:
    """Return the end of an instant's day."""
    return seconds - seconds % DAY + DAY


def from_iso(text: str) -> int:
    """Return the simulated second of an ISO 8601 instant. UTC is assumed if it has no offset.

    Raises:
        ValueError: The text is not an ISO 8601 instant, or in UTC it lies outside the years 1 to 9999.
    """
    try:
        # RFC 3339 allows its letters in either case.
        instant = datetime.fromisoformat(text.upper())
        instant = instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is not an instant; write it like 2030-03-04T09:00:00Z") from None
    return (instant - EPOCH) // timedelta(seconds=1)
