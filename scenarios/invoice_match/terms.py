"""The handbook's versions of the rules in an instance, and its people."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companyos.sdk.company import Company, Person

#: Reason for handing the whole task back, named by the handbook.
STOPPED: Final = "payment_stop"


class Paid(StrEnum):
    """Which invoices a transfer without a reference counts as having paid."""

    EXACT = "exact"
    OLDEST = "oldest"
    LARGEST = "largest"


@dataclass(frozen=True)
class Version:
    """One version of the rules of prices, missing goods and transfers.

    Attributes:
        percent: The tolerated increase of a line's price, in percent of the ordered price.
        cap: The largest tolerated increase, in the order's currency.
        spared: What a claim leaves of a line's difference; None if it leaves all that is tolerated.
        claims_missing: Whether missing goods are claimed; otherwise the invoice is held.
        takes_discount: Whether a transfer for several invoices takes the cash discount of those that are new enough.
        pays: The invoices that such a transfer has paid: those that make its amount, the oldest, or the largest.
    """

    percent: float
    cap: float
    spared: float | None
    claims_missing: bool
    takes_discount: bool = True
    pays: Paid = Paid.EXACT

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

    Attributes:
        me: The agent's persona.
        lead: The lead of Accounts Payable.
        buyer: The person who signs for Purchasing.
        treasurer: The person of Treasury who makes transfers.
        others: The other clerks.
        receivers: The people who receive deliveries.
    """

    me: Person
    lead: Person
    buyer: Person
    treasurer: Person
    others: tuple[Person, ...]
    receivers: tuple[Person, ...]


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
    return Terms(
        now=Version(percent, cap, spared, claims, takes),
        before=Version(
            round(percent + 2.5, 1),
            cap * 2 + 10,
            allowance if spared is None else None,
            not claims,
            not takes,
            Paid.OLDEST,
        ),
        draft=Version(
            round(percent - 1.0, 1),
            cap - 10,
            None if spared is None else allowance + 1.5,
            not claims,
            not takes,
            Paid.LARGEST,
        ),
        stopped=stopped,
    )
