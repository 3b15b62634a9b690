"""Who may decide: the holder of a role, or their delegate while the holder is away and the delegation covers it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companyos.company import Cast, Company, Person, delegation_of
from companyos.simtime import DAY, HOUR, MINUTE


class Absence(StrEnum):
    """How the holder of a deciding role is away at the start.

    COVERED lasts for days and the delegate may decide. BRIEF ends before any request can be decided, so that the
    delegate could be asked but not decide. UNCOVERED ends after some hours, and the delegate may not decide at all.
    """

    NONE = "none"
    COVERED = "covered"
    BRIEF = "brief"
    UNCOVERED = "uncovered"


@dataclass(frozen=True)
class Route:
    """Who decides a request at which time.

    Attributes:
        delegate: Who stands in; None where no delegation covers it.
        back_at: When the holder is back.
        amount: About how much is to be decided, where amounts matter.
    """

    role: str
    holder: str
    delegate: str | None
    back_at: int
    amount: int | None = None

    def decides(self, person: str, at: int) -> bool:
        """Say whether this person may decide at this time."""
        return person == (self.holder if at >= self.back_at else self.delegate)

    def approver(self, decided_by: int) -> str:
        """Return whom to ask when the decision falls at this time or before the holder is back."""
        return self.delegate if self.delegate is not None and decided_by < self.back_at else self.holder


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
    holder, deputy = cast.offices[role], cast.deputy(role)
    covered = absence is not Absence.UNCOVERED
    falls_short = amount is not None and company.draws.chance("delegation.falls_short", 0.5, role)
    types = [name for name in delegation_of(role) if covered or falls_short or name != type_id]
    company.delegate(holder, deputy, types, _limit(amount, enough=covered or not falls_short))
    back_at = _send_away(company, holder, absence)
    return Route(role, holder.id, deputy.id if covered else None, back_at, amount)


def _limit(amount: int | None, *, enough: bool) -> float | None:
    if amount is None:
        return None
    return amount * 2.5 if enough else amount / 2


def _send_away(company: Company, holder: Person, absence: Absence) -> int:
    if absence is Absence.NONE:
        return company.start
    draws, shortest, longest, unit = company.draws, *_LASTS[absence]
    back_at = company.start + draws.integer("absence.end", shortest, longest, holder.role) * unit
    left_at = company.start - draws.integer("absence.start", 1, 6, holder.role) * DAY
    reason = draws.choice("absence.why", ("annual leave", "parental leave", "conference"), holder.role)
    company.send_away(holder, left_at, back_at, reason)
    return back_at


#: From how many to how many of a unit an absence lasts from the start. A decision takes an hour.
_LASTS: Final = {
    Absence.COVERED: (9, 20, DAY),
    Absence.BRIEF: (25, 50, MINUTE),
    Absence.UNCOVERED: (2, 6, HOUR),
}
