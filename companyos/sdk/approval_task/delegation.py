"""The delegation rule by which graders know who decides along a chain of delegates."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """One person in a chain.

    Attributes:
        back_at: When they return.
        covers: Whether their delegation is valid here: it names the type, and its limit covers the amount.
        barred: Whether they must not decide, even when present.
    """

    person: str
    back_at: int
    covers: bool = False
    barred: bool = False


def first_in_line(links: Sequence[Link], at: int) -> str | None:
    """Return who decides at a time: the first present, allowed person whom the delegations reach, or None."""
    for link in links:
        if at >= link.back_at and not link.barred:
            return link.person
        if not link.covers:
            return None
    return None
