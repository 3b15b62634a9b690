"""The rules of purchases: their stages, and who may sign for a budget. All pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from math import fsum
from typing import Final, Protocol

from ..chains import Colleague, on_duty

#: The type by which delegations cover purchases.
TYPE: Final = "purchase"


class PurchaseStatus(StrEnum):
    """The stages of a purchase's life."""

    OPEN = "open"
    APPROVED = "approved"
    ORDERED = "ordered"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class SignOffStatus(StrEnum):
    """The state of one signature."""

    WAITING = "waiting"
    PENDING = "pending"
    SIGNED = "signed"
    REJECTED = "rejected"
    CANCELED = "canceled"


class Signers(StrEnum):
    """Who signs at a stage."""

    OWNERS = "owners"
    NAMED = "named"
    ROLE = "role"


#: Statuses in which a purchase can be withdrawn.
LIVE: Final = (PurchaseStatus.OPEN, PurchaseStatus.APPROVED)


class Signature(Protocol):
    """A signature that a purchase needs."""

    @property
    def stage(self) -> int:
        """The number of its stage."""

    @property
    def status(self) -> str:
        """Its state."""


def next_stage(sign_offs: Iterable[Signature]) -> int | None:
    """Return the lowest waiting stage, or None if none waits or another one is still in progress."""
    states = [(one.stage, one.status) for one in sign_offs]
    if any(status == SignOffStatus.PENDING for _, status in states):
        return None
    return min((stage for stage, status in states if status == SignOffStatus.WAITING), default=None)


def is_complete(sign_offs: Iterable[Signature]) -> bool:
    """Say whether everybody has signed."""
    return all(one.status == SignOffStatus.SIGNED for one in sign_offs)


def may_sign(
    owner: str, people: Mapping[str, Colleague], *, amount: float, now: int, barred: Collection[str] = ()
) -> str | None:
    """Return who signs for a budget now: its owner, or if they are away, a delegate who covers the amount.

    Args:
        owner: Person id of the budget's owner.
        people: The owner, their delegate, and so on, by id.
        amount: The amount charged to the budget.
        now: The current time.
        barred: People who must not sign; they count as absent.
    """
    holder = people.get(owner)
    if holder is None or not holder.active:
        return None
    out = {person.id for person in people.values() if person.id in barred or person.is_away(now)}
    return on_duty(holder, people, out, TYPE, amount)


def repeated(names: Sequence[str]) -> str | None:
    """Return the alphabetically first name that is given more than once, or None."""
    return next((name for name, count in sorted(Counter(names).items()) if count > 1), None)


def total(amounts: Iterable[float]) -> float:
    """Return the sum of amounts, to the cent."""
    return round(fsum(amounts), 2)
