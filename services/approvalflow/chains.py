"""Chains of delegates: a role's holder decides, or the first present person after them. All pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .domain import Policy


@dataclass(frozen=True)
class Colleague:
    """A person as approvals see them: a role, and a delegate for absences.

    Attributes:
        away_until: When they return; None, while away, means unknown.
        delegate_types: Approval types that the delegate may decide.
        delegate_limit: Largest amount that the delegate may decide; None means no limit.
        active: Whether they can decide at all.
    """

    id: str
    role: str
    away: bool = False
    away_until: int | None = None
    delegate: str | None = None
    delegate_types: tuple[str, ...] = ()
    delegate_limit: float | None = None
    active: bool = True

    def is_away(self, now: int) -> bool:
        """Say whether this person is absent at the instant `now`."""
        return self.away and (self.away_until is None or now < self.away_until)


def may_decide(
    people: Mapping[str, Colleague],
    *,
    role: str | None,
    type_id: str,
    amount: float | None,
    now: int,
    barred: Collection[str] = (),
) -> list[str]:
    """Return who may decide now: each holder of the role, or the delegate of a holder who is away or barred.

    Args:
        people: The holders of the role, their delegates, and so on, by id; others are ignored.
        role: The route's role; None means that nobody may decide.
        type_id: The approval type, which each delegation on the chain must name.
        amount: The amount that each delegation's limit is compared with; None passes every limit.
        now: The present instant.
        barred: People who must not decide the request; they count as absent.
    """
    holders = sorted(
        (person for person in people.values() if person.role == role and person.active),
        key=lambda holder: holder.id,
    )
    out = {person.id for person in people.values() if person.id in barred or person.is_away(now)}
    deciders = [on_duty(holder, people, out, type_id, amount) for holder in holders]
    return list(dict.fromkeys(person for person in deciders if person is not None))


def barred_from(policy: Policy, *, requester: str, involved: Iterable[str | None]) -> set[str]:
    """Return who must not decide a request: its requester, and the people who worked on its ticket.

    Args:
        policy: The policy; without separation of duties nobody is barred.
        requester: The requester.
        involved: The people who reported and verified the ticket, if known.
    """
    return {person for person in (requester, *involved) if person is not None} if policy.sod else set()


def on_duty(
    holder: Colleague, people: Mapping[str, Colleague], out: set[str], type_id: str, amount: float | None
) -> str | None:
    """Return the first present person along the chain of delegates, or None if the chain ends before."""
    person: Colleague | None = holder
    passed: set[str] = set()
    while person is not None and person.id in out:
        # A circular chain leads to nobody.
        if person.id in passed or not _delegates(person, type_id, amount):
            return None
        passed.add(person.id)
        person = people.get(person.delegate or "")
    return person.id if person is not None and person.active else None


def _delegates(person: Colleague, type_id: str, amount: float | None) -> bool:
    limit = person.delegate_limit
    covers = limit is None or amount is None or amount <= limit
    return covers and type_id in person.delegate_types
