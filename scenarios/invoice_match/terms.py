"""What the handbook of an instance says about prices, in its versions, and who is who."""

from dataclasses import dataclass
from typing import Final

from companyos.company import Company, Person
from companyos.company.areas.payables import Article

#: Reason for handing the whole task back, named by the handbook.
STOPPED: Final = "payment_stop"


@dataclass(frozen=True)
class Version:
    """One version of the rules of prices.

    Attributes:
        percent: How much more than ordered a line may cost, in percent of the ordered price.
        cap: How much more it may cost at most, in the order's currency.
        whole: Whether beyond that the whole difference is claimed, or only what goes beyond.
    """

    percent: float
    cap: float
    whole: bool

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
    whole = draws.chance("whole", 0.5)
    return Terms(
        now=Version(percent, cap, whole),
        before=Version(percent + 2.5, cap * 2 + 10, not whole),
        draft=Version(percent - 1.0, cap - 10, whole),
        stopped=stopped,
    )


def at_price_of(billed: Article, ordered: Article) -> float:
    """Return what the units of a billed line cost at the price of another line, to the cent."""
    return round(billed.quantity * ordered.unit_price / ordered.price_per, 2)
