"""The handbook's versions of the rules in an instance, and its people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from companyos.sdk.company import Cast, Company, Person, new_name

from .pack import CLERK, GOODS_IN, RECEIVER, TEAM

#: Reason for handing the whole task back, named by the handbook.
STOPPED: Final = "payment_stop"
#: The invoices that a transfer without a reference has paid: those that make its amount, the oldest, or the largest.
EXACT, OLDEST, LARGEST = "exact", "oldest", "largest"


@dataclass(frozen=True)
class Version:
    """One version of the rules of prices, missing goods and transfers.

    Attributes:
        percent: The tolerated increase of a line's price, in percent of the ordered price.
        cap: The largest tolerated increase, in the order's currency.
        claims_missing: Whether missing goods are claimed; otherwise the invoice is held.
        spared: What a claim leaves of a line's difference; None if it leaves all that is tolerated.
        takes_discount: Whether a transfer for several invoices takes the cash discount of those that are new enough.
        pays: Which invoices such a transfer has paid.
    """

    percent: float
    cap: float
    claims_missing: bool
    spared: float | None = None
    takes_discount: bool = True
    pays: str = EXACT

    def tolerated(self, ordered: float) -> float:
        """Return the tolerated increase of a line that was ordered at this price."""
        return min(round(ordered * self.percent / 100, 2), self.cap)

    def claim(self, ordered: float, billed: float) -> float:
        """Return the amount claimed for a line that is billed at another price than ordered."""
        more, tolerated = round(billed - ordered, 2), self.tolerated(ordered)
        if more <= tolerated:
            return 0.0
        return max(0.0, round(more - (tolerated if self.spared is None else self.spared), 2))


@dataclass(frozen=True)
class People:
    """The people who matter for the invoices.

    `me` is the agent, the `buyer` signs for Purchasing, the `treasurer` makes transfers, and the `others` are clerks.
    """

    me: Person
    lead: Person
    buyer: Person
    treasurer: Person
    others: Sequence[Person]
    receivers: Sequence[Person]


@dataclass(frozen=True)
class Terms:
    """The rules of an instance; `stopped` says whether the payment stop continues."""

    now: Version
    before: Version
    draft: Version
    stopped: bool


def draw_terms(company: Company, *, stopped: bool) -> Terms:
    """Draw the rules of an instance: the previous version tolerates more, a draft less."""
    draws = company.draws
    percent, cap = draws.integer("percent", 14, 34) / 10, float(draws.integer("cap", 22, 48))
    allowance = round(draws.integer("spared", 10, 60) * 0.05, 2)
    spared = draws.choice("spares", (None, allowance))
    claims, takes = draws.chance("claims.missing", 0.65), draws.chance("takes.discount", 0.75)
    now = Version(percent, cap, claims, spared, takes)
    other = replace(now, claims_missing=not claims, takes_discount=not takes)
    before = replace(other, percent=round(percent + 2.5, 1), cap=cap * 2 + 10, pays=OLDEST)
    draft = replace(other, percent=round(percent - 1.0, 1), cap=cap - 10, pays=LARGEST)
    return Terms(
        now=now,
        before=replace(before, spared=allowance if spared is None else None),
        draft=replace(draft, spared=None if spared is None else allowance + 1.5),
        stopped=stopped,
    )


def hire_people(company: Company, cast: Cast) -> People:
    """Hire the people who matter for the invoices."""
    others = [company.hire(new_name(company, "clerk", number), CLERK, TEAM) for number in range(2)]
    receivers = [
        company.hire(new_name(company, "receiver", number), RECEIVER, GOODS_IN) for number in range(3)
    ]
    lead = company.hire(new_name(company, "lead"), "payables_lead", TEAM)
    buyer = company.hire(new_name(company, "buyer"), "buyer", "Purchasing")
    treasurer = company.hire(new_name(company, "treasurer"), "treasurer", "Treasury")
    return People(cast.persona, lead, buyer, treasurer, others, receivers)
