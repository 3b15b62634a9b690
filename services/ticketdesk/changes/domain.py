"""The procedures and categories of changes, and their lifecycle. Pure.

planned -> rolled_out -> rolled_back
"""

from enum import StrEnum


class Procedure(StrEnum):
    """What is done to a system."""

    RESTART = "restart"
    PREVIOUS_RELEASE = "previous_release"
    FAILOVER = "failover"
    MORE_CAPACITY = "more_capacity"


class Category(StrEnum):
    """Whether a change goes live as soon as somebody rolls it out, or not before its time."""

    EMERGENCY = "emergency"
    ORDINARY = "ordinary"


class ChangeStatus(StrEnum):
    """The stages of a change's life."""

    PLANNED = "planned"
    ROLLED_OUT = "rolled_out"
    ROLLED_BACK = "rolled_back"


def is_early(category: Category, starts_at: int | None, now: int) -> bool:
    """Say whether a change must not go live yet; only an ordinary change must wait for its planned time."""
    return category == Category.ORDINARY and starts_at is not None and now < starts_at
