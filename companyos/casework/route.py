"""Who decides: the holder of a role, or who stands in along a chain of delegates while those before are out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

from companyos.company import Cast, Company, Person, delegation_of, policy
from companyos.simtime import DAY, HOUR, MINUTE


class Absence(StrEnum):
    """How those of a chain who are away at the start are away.

    COVERED: all for days, and who stands in last is here and may decide. BRIEF: one of them is back before any
    request can be decided, so that who stands in could be asked but not decide. UNCOVERED: a delegation on the way
    does not cover what is to be decided, and one of those before it is back after some hours. CIRCULAR: the chain
    leads back into itself, and only another holder of the role can decide.
    """

    NONE = "none"
    COVERED = "covered"
    BRIEF = "brief"
    UNCOVERED = "uncovered"
    CIRCULAR = "circular"


@dataclass(frozen=True)
class Link:
    """One person of a chain.

    Attributes:
        back_at: From when on they are here.
        covers: Whether their delegation leads on: it names the type, and its limit covers the amount.
        barred: Whether they must not decide, here or not.
    """

    person: str
    back_at: int
    covers: bool = False
    barred: bool = False


@dataclass(frozen=True)
class Route:
    """Who decides a request at which time.

    Attributes:
        links: The holder of the role, who stands in for them, and so on; a circular chain ends where it turns back.
        others: Other holders of the role, who may decide too.
        others_at: From when on they are here.
        amount: About how much is to be decided, where amounts matter.
    """

    role: str
    links: tuple[Link, ...]
    others: tuple[str, ...] = ()
    others_at: int = 0
    amount: int | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Route":
        """Return the route that `facts` describe."""
        links = tuple(Link(**link) for link in facts["links"])
        return cls(facts["role"], links, tuple(facts["others"]), facts["others_at"], facts["amount"])

    @property
    def facts(self) -> dict[str, Any]:
        """The route as plain data."""
        named = {"holder": self.holder, "delegate": self.delegate, "back_at": self.back_at}
        return {
            **asdict(self),
            **named,
            "links": [asdict(link) for link in self.links],
            "others": [*self.others],
        }

    @property
    def holder(self) -> str:
        """Who holds the role."""
        return self.links[0].person

    @property
    def delegate(self) -> str | None:
        """Who stands in for the holder; None where no delegation covers it."""
        return self.links[1].person if self.links[0].covers else None

    @property
    def back_at(self) -> int:
        """When the holder is back."""
        return self.links[0].back_at

    def without(self, people: Collection[str]) -> "Route":
        """Return the route as it is where these people must not decide."""
        links = tuple(replace(link, barred=link.barred or link.person in people) for link in self.links)
        return replace(self, links=links, others=tuple(one for one in self.others if one not in people))

    def decides(self, person: str, at: int) -> bool:
        """Say whether this person may decide at this time."""
        return person in (self._end(at), *self.others)

    def approver(self, decided_by: int) -> str:
        """Return who decides at this time; where nobody does, the holder, for whom one has to wait."""
        return self._end(decided_by) or next(iter(self.others), self.holder)

    def opening(self, now: int) -> int:
        """Return from when on somebody can be asked who will also decide, at the earliest `now`."""
        for at in sorted({now, *(link.back_at for link in self.links if link.back_at > now)}):
            if self._end(at) is not None and self._end(at) == self._end(at + 2 * policy.DECISION_S):
                return min(at, max(now, self.others_at)) if self.others else at
        return now

    def _end(self, at: int) -> str | None:
        for link in self.links:
            if at >= link.back_at and not link.barred:
                return link.person
            if not link.covers:
                return None
        return None


def lay_route(
    company: Company, cast: Cast, role: str, type_id: str, absence: Absence, *, amount: int | None = None
) -> Route:
    """Say who stands in for a role, send its holder away, and return who decides.

    Args:
        company: Where it is written.
        cast: The people.
        role: The deciding role.
        type_id: What is to be decided.
        absence: How the holder is away.
        amount: About how much is to be decided, where amounts matter: a delegation may fall short of it.
    """
    chain = Chain(company, type_id, amount)
    return Route(role, chain.lay([cast.offices[role], cast.deputy(role)], absence, role), amount=amount)


class Chain:
    """Lays chains of delegates for one kind of decision.

    Args:
        company: Where they are written.
        type_id: What is to be decided.
        amount: About how much, where amounts matter: a delegation may fall short of it.
    """

    def __init__(self, company: Company, type_id: str, amount: int | None) -> None:
        self._company = company
        self._type_id = type_id
        self._amount = amount

    def lay(self, people: Sequence[Person], absence: Absence, what: str) -> tuple[Link, ...]:
        """Have each of these people stand in for the one before, and send them away but for the last.

        A circular chain has everybody away, and its last person delegates to its first.

        Args:
            people: The chain; two people at least.
            absence: How they are away.
            what: Names the chain in the draws.
        """
        circular = absence is Absence.CIRCULAR
        away = len(people) - (0 if circular else 1)
        short, broken = self._weak_places(away, absence, what)
        links = []
        for place, person in enumerate(people[:away]):
            self.delegate(person, people[(place + 1) % len(people)], what, covers=place != broken)
            lasts = absence if place == short or absence is Absence.NONE else Absence.COVERED
            back_at = self._send_away(person, lasts, f"{what}.{place}" if place else what)
            turns_back = circular and place == away - 1
            links.append(Link(person.id, back_at, covers=place != broken and not turns_back))
        return (*links, *(Link(person.id, self._company.start) for person in people[away:]))

    def delegate(self, person: Person, to: Person, what: str, *, covers: bool = True) -> None:
        """Have somebody stand in for a person; where the delegation does not cover it, its types or limit say so."""
        lacks_limit = self._amount is not None and self._company.draws.chance(
            "delegation.falls_short", 0.5, what
        )
        types = dict.fromkeys((*delegation_of(person.role), self._type_id))
        named = [name for name in types if covers or lacks_limit or name != self._type_id]
        self._company.delegate(person, to, named, self._limit(enough=covers or not lacks_limit))

    def _weak_places(self, away: int, absence: Absence, what: str) -> tuple[int | None, int | None]:
        """Return which of those away is back soon, and whose delegation does not cover it."""
        draws = self._company.draws
        match absence:
            case Absence.BRIEF:
                return draws.integer("absence.short", 0, away - 1, what), None
            case Absence.UNCOVERED:
                broken = draws.integer("delegation.broken", 0, away - 1, what)
                return draws.integer("absence.short", 0, broken, what), broken
            case _:
                return None, None

    def _limit(self, *, enough: bool) -> float | None:
        if self._amount is None:
            return None
        return self._amount * 2.5 if enough else self._amount / 2

    def _send_away(self, person: Person, absence: Absence, what: str) -> int:
        company = self._company
        if absence is Absence.NONE:
            return company.start
        draws, shortest, longest, unit = company.draws, *_LASTS[absence]
        back_at = company.start + draws.integer("absence.end", shortest, longest, what) * unit
        left_at = company.start - draws.integer("absence.start", 1, 6, what) * DAY
        reason = draws.choice("absence.why", ("annual leave", "parental leave", "conference"), what)
        company.send_away(person, left_at, back_at, reason)
        return back_at


#: From how many to how many of a unit an absence lasts from the start. A decision takes an hour.
_LASTS: Final = {
    Absence.COVERED: (9, 20, DAY),
    Absence.BRIEF: (25, 50, MINUTE),
    Absence.UNCOVERED: (2, 6, HOUR),
}
