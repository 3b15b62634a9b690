"""A purchase under construction: the departments that want it, and what their people do during the day."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.purchasing import PURCHASE, plan_order
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .case import Deal
from .pack import Department

#: Whether the owner of one of the budgets is away, and whether the delegate's limit covers the share.
PRESENT, COVERED, RETURNS = "present", "covered", "returns"


@dataclass(frozen=True)
class Draft:
    """A purchase under construction; everything about it is drawn under the draws of the task."""

    company: Company
    cast: Cast
    draws: Draws
    deal: Deal
    departments: Sequence[Department]
    item: Row

    @property
    def budget_ids(self) -> dict[str, str]:
        """The ids of the budgets by their names in a deal."""
        return {
            f"{name}{number}": row["id"]
            for number, one in enumerate(self.departments)
            for name, row in one.budgets_by_name.items()
        }

    @property
    def names(self) -> dict[str, str]:
        """The names of the departments, as mails state them."""
        return dict(zip(("one", "other"), (one.name for one in self.departments), strict=True))

    def hire(self, post: str, role: str, team: str) -> Person:
        """Hire somebody under a new name."""
        return self.company.hire(new_name(self.company, post), role, team)

    def hire_for_each(self, post: str, role: str) -> list[Person]:
        """Hire somebody for each department."""
        return [self.hire(f"{post}.{number}", role, one.name) for number, one in enumerate(self.departments)]

    def plan_order(self, number: int, amount: float) -> int:
        """Plan a colleague's order on a department's budget during the episode, and return its time."""
        buyers, budget = self.hire_for_each("buyer", "technician"), self.departments[number].current
        in_s = self.draws.integer("planned.in", 45, 80) * MINUTE
        item = self.draws.choice("planned", words.SMALL_ORDERS)
        plan_order(self.company, budget, buyers[number], item, 1, amount, in_s=in_s)
        return self.company.start + in_s

    def choose_signers(self) -> tuple[dict[str, str], int]:
        """Make a head absent in most cases; return who signs for each head, and when all are available."""
        company, draws = self.company, self.draws
        number = draws.integer("away.who", 0, 1)
        mode = draws.choice("away", (PRESENT, COVERED, COVERED, RETURNS))
        heads, deputies = [one.head for one in self.departments], self.hire_for_each("deputy", "deputy_head")
        for one, (head, deputy) in enumerate(zip(heads, deputies, strict=True)):
            limit = self._limit(one, covers=one != number or mode != RETURNS)
            company.delegate(head, deputy, (PURCHASE,), limit)
        back_at, signing = company.start, {head.id: head.id for head in heads}
        if mode == COVERED:
            company.send_away(heads[number], company.start - 30 * HOUR, company.start + 4 * DAY, "leave")
            signing[heads[number].id] = deputies[number].id
        elif mode == RETURNS:
            back_at = company.start + draws.integer("away.back", 3, 5) * HOUR
            company.send_away(heads[number], company.start - 4 * HOUR, back_at, "site visit")
        return signing, back_at

    def _limit(self, number: int, *, covers: bool) -> float:
        """Return the limit of a delegation, within which a share is or no lot's is."""
        # The smallest lot is about half of the largest, so a quarter of a share covers no lot.
        name, low, high = ("away.limit", 110, 150) if covers else ("away.low", 15, 24)
        percent = self.draws.integer(name, low, high, number)
        return round(self.deal.shares[number] * percent / 5000) * 50.0 + (50.0 if covers else 0.0)
