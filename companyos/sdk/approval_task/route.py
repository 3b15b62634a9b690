"""Routes: the people who may decide a request, from a role's holder along the chain of delegates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from companyos.sdk.company import DECISION_S, Cast, Company, Person
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from .delegation import Link, first_in_line


class Absence(StrEnum):
    """How the people of a chain are absent at the start.

    COVERED: everybody is away for days, except the last delegate, who may decide. BRIEF: one of them returns
    before any request can be decided, so the delegate could be asked but would not decide. UNCOVERED: a
    delegation on the chain does not cover the decision, and somebody before it returns after some hours.
    CIRCULAR: the chain leads back to its first person, and only another holder of the role can decide.
    """

    NONE = "none"
    COVERED = "covered"
    BRIEF = "brief"
    UNCOVERED = "uncovered"
    CIRCULAR = "circular"


@dataclass(frozen=True)
class Route:
    """The people who may decide a request, and when.

    Attributes:
        links: The holder of the role, their delegate, and so on; a circular chain ends before it repeats.
        others: Other holders of the role, who may also decide.
        others_at: When the other holders return.
        amount: The approximate amount to decide on, where amounts matter.
    """

    role: str
    links: tuple[Link, ...]
    others: tuple[str, ...] = ()
    others_at: int = 0
    amount: int | None = None

    @property
    def holder(self) -> str:
        """The holder of the role."""
        return self.links[0].person

    @property
    def delegate(self) -> str | None:
        """The holder's delegate; None if no delegation covers the decision."""
        return self.links[1].person if self.links[0].covers else None

    @property
    def back_at(self) -> int:
        """When the holder returns."""
        return self.links[0].back_at

    def without(self, people: Collection[str]) -> "Route":
        """Return the route without these people as approvers."""
        links = tuple(replace(link, barred=link.barred or link.person in people) for link in self.links)
        return replace(self, links=links, others=tuple(one for one in self.others if one not in people))

    def decides(self, person: str, at: int) -> bool:
        """Say whether this person may decide at this time."""
        return person in (self._end(at), *self.others)

    def approver(self, decided_by: int) -> str:
        """Return who decides at this time, or the holder if nobody can decide yet."""
        return self._end(decided_by) or next(iter(self.others), self.holder)

    def opening(self, now: int) -> int:
        """Return the earliest time, from `now` on, at which the approver asked will also be the one who decides."""
        for at in sorted({now, *(link.back_at for link in self.links if link.back_at > now)}):
            if self._end(at) is not None and self._end(at) == self._end(at + 2 * DECISION_S):
                return min(at, max(now, self.others_at)) if self.others else at
        return now

    def _end(self, at: int) -> str | None:
        return first_in_line(self.links, at)


def lay_route(
    company: Company, cast: Cast, role: str, type_id: str, absence: Absence, *, amount: int | None = None
) -> Route:
    """Give a role's holder a delegate and an absence, and return the resulting route.

    Args:
        company: The company to write to.
        cast: The people.
        role: The deciding role.
        type_id: The approval type of the decision.
        absence: How the holder is absent.
        amount: The approximate amount, where amounts matter: a delegation may have a lower limit.
    """
    chain = Chain(company, type_id, amount)
    return Route(role, chain.lay([cast.offices[role], cast.deputy(role)], absence, role), amount=amount)


class Chain:
    """Writes chains of delegates for one kind of decision.

    Args:
        company: The company to write to.
        type_id: The approval type of the decision.
        amount: The approximate amount, where amounts matter: a delegation may have a lower limit.
    """

    def __init__(self, company: Company, type_id: str, amount: int | None) -> None:
        self._company = company
        self._type_id = type_id
        self._amount = amount

    def lay(self, people: Sequence[Person], absence: Absence, draw_name: str) -> tuple[Link, ...]:
        """Make each person the delegate of the previous one, and make all but the last absent.

        In a circular chain everybody is absent, and the last person delegates to the first.

        Args:
            people: The chain, of at least two people.
            absence: How they are absent.
            draw_name: The chain's name in the draws.
        """
        circular = absence is Absence.CIRCULAR
        away = len(people) - (0 if circular else 1)
        short, broken = self._weak_places(away, absence, draw_name)
        links = []
        for index, person in enumerate(people[:away]):
            self.delegate(person, people[(index + 1) % len(people)], draw_name, covers=index != broken)
            lasts = absence if index == short or absence is Absence.NONE else Absence.COVERED
            back_at = self._send_away(person, lasts, f"{draw_name}.{index}" if index else draw_name)
            turns_back = circular and index == away - 1
            links.append(Link(person.id, back_at, covers=index != broken and not turns_back))
        return (*links, *(Link(person.id, self._company.start) for person in people[away:]))

    def delegate(self, person: Person, to: Person, draw_name: str, *, covers: bool = True) -> None:
        """Give a person a delegate; unless it `covers` the decision, it lacks the type or the limit."""
        lacks_limit = self._amount is not None and self._company.draws.chance(
            "delegation.falls_short", 0.5, draw_name
        )
        types = dict.fromkeys((*self._company.content.deciding(person.role), self._type_id))
        named = [name for name in types if covers or lacks_limit or name != self._type_id]
        self._company.delegate(person, to, named, self._limit(enough=covers or not lacks_limit))

    def _weak_places(self, away: int, absence: Absence, draw_name: str) -> tuple[int | None, int | None]:
        """Return the positions of the absent person who returns soon, and of the insufficient delegation."""
        draws = self._company.draws
        match absence:
            case Absence.BRIEF:
                return draws.integer("absence.short", 0, away - 1, draw_name), None
            case Absence.UNCOVERED:
                broken = draws.integer("delegation.broken", 0, away - 1, draw_name)
                return draws.integer("absence.short", 0, broken, draw_name), broken
            case _:
                return None, None

    def _limit(self, *, enough: bool) -> float | None:
        if self._amount is None:
            return None
        return self._amount * 2.5 if enough else self._amount / 2

    def _send_away(self, person: Person, absence: Absence, draw_name: str) -> int:
        company = self._company
        if absence is Absence.NONE:
            return company.start
        draws, shortest, longest, unit = company.draws, *_LASTS[absence]
        back_at = company.start + draws.integer("absence.end", shortest, longest, draw_name) * unit
        left_at = company.start - draws.integer("absence.start", 1, 6, draw_name) * DAY
        reason = draws.choice("absence.why", company.content.workplace.leaves, draw_name)
        company.send_away(person, left_at, back_at, reason)
        return back_at


#: How long an absence lasts from the start, as two bounds and their unit. A decision takes an hour.
_LASTS: Final = {
    Absence.COVERED: (9, 20, DAY),
    Absence.BRIEF: (25, 50, MINUTE),
    Absence.UNCOVERED: (2, 6, HOUR),
}
