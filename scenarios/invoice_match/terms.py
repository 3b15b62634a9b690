"""What the handbook of an instance says about prices, in its versions, and who is who."""

from dataclasses import dataclass
from typing import Final

from companyos.company import Company, Person

#: Reason for handing the whole task back, named by the handbook.
STOPPED: Final = "payment_stop"


@dataclass(frozen=True)
class Version:
    """One version of the rules of prices.

    Attributes:
        percent: How much more than ordered a line may cost, in percent of the ordered price.
        cap: How much more it may cost at most, in the order's currency.
        whole: Whether beyond that the whole difference is claimed, or only what goes beyond.
        claims_missing: Whether goods that do not come are claimed; otherwise the invoice is held.
    """

    percent: float
    cap: float
    whole: bool
    claims_missing: bool

    def tolerated(self, ordered: float) -> float:
        """Return how much more than this a line may cost."""
        return min(round(ordered * self.percent / 100, 2), self.cap)

    def claim(self, ordered: float, billed: float) -> float:
        """Return what is claimed of a line that is billed at another price than ordered."""
        more, tolerated = round(billed - ordered, 2), self.tolerated(ordered)
        if more <= tolerated:
            return 0.0
        return more if self.whole else round(more - tolerated, 2)


@dataclass(frozen=True)
class People:
    """Everybody who matters for the invoices.

    Attributes:
        me: Whom the agent is.
        lead: Who leads Accounts Payable.
        buyer: Who signs for Purchasing.
        others: The other clerks.
        receivers: Who takes in deliveries.
    """

    me: Person
    lead: Person
    buyer: Person
    others: tuple[Person, ...]
    receivers: tuple[Person, ...]


@dataclass(frozen=True)
class Terms:
    """The rules of an instance; `stopped` says whether the payment stop lasts."""

    now: Version
    before: Version
    draft: Version
    stopped: bool


def draw_terms(company: Company, *, stopped: bool) -> Terms:
    """Draw the rules of an instance: the version before tolerates more, a draft less."""
    draws = company.draws
    percent = draws.choice("percent", (1.5, 2.0, 2.5, 3.0))
    cap = float(draws.choice("cap", (25, 30, 35, 40)))
    whole, claims = draws.chance("whole", 0.5), draws.chance("claims.missing", 0.65)
    return Terms(
        now=Version(percent, cap, whole, claims),
        before=Version(percent + 2.5, cap * 2 + 10, not whole, not claims),
        draft=Version(percent - 1.0, cap - 10, whole, not claims),
        stopped=stopped,
    )
