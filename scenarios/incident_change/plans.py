"""What both instances of a pair share: the severity, and the fate of each candidate cause."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companyos.sdk.draws import Draws

#: The two candidates for the cause: the ends of two chains upstream of the victim.
FIRST, SECOND = "first", "second"


@dataclass(frozen=True)
class Fate:
    """What repairs a candidate, and whether it may be changed now.

    Attributes:
        mended_by: The number of the procedure left to try that repairs it, from 1; None if none does.
        freeze: `open`, `frozen`, or `exempt`: frozen except for emergency changes with a separate approval.
        by_provider: Whether a provider runs it.
    """

    mended_by: int | None = 1
    freeze: str = "open"
    by_provider: bool = False


OPEN, FROZEN, EXEMPT = Fate(), Fate(freeze="frozen"), Fate(freeze="exempt")
AT_SECOND, HOPELESS, PROVIDER = Fate(2), Fate(None), Fate(by_provider=True)
SECOND_EXEMPT, HOPELESS_EXEMPT = Fate(2, "exempt"), Fate(None, "exempt")


@dataclass(frozen=True)
class Plan:
    """The severity of a pair's incident, and the fates of its two candidates."""

    severity: int
    first: Fate
    second: Fate

    @property
    def fates(self) -> Mapping[str, Fate]:
        """The fates by candidate."""
        return {FIRST: self.first, SECOND: self.second}


PLANS: Final = (
    Plan(1, OPEN, AT_SECOND),
    Plan(1, EXEMPT, FROZEN),
    Plan(1, AT_SECOND, FROZEN),
    Plan(1, HOPELESS, EXEMPT),
    Plan(2, OPEN, FROZEN),
    Plan(1, PROVIDER, OPEN),
    Plan(1, HOPELESS_EXEMPT, OPEN),
    Plan(2, FROZEN, PROVIDER),
    Plan(1, OPEN, HOPELESS),
    Plan(1, SECOND_EXEMPT, OPEN),
)


@dataclass(frozen=True)
class Rates:
    """The severity matrix of a company, and the tier and the error rate of the victim.

    Attributes:
        high: The error rate in percent from which the severity is the highest; `before` and `draft` in other editions.
        low: The one from which it is the second highest.
    """

    high: float
    low: float
    before: float
    draft: float
    tier: str
    shown: float
    fresh: float


def draw_rates(draws: Draws, severity: int) -> Rates:
    """Draw rates such that only the fresh rate and the edition in force give this severity."""
    high, low = float(draws.choice("matrix.high", (8, 10, 12))), float(draws.choice("matrix.low", (3, 4)))
    reaches = severity == 1 or draws.chance("rates.standard", 0.5)
    tier = "core" if severity == 1 or not reaches else "standard"
    above = round(high + draws.integer("rates.above", 2, 30) / 10, 1)
    below = round(high - draws.integer("rates.below", 3, 20) / 10, 1)
    fresh, shown = (above, below) if reaches else (below, above)
    before = high + 4 if reaches else high - 3
    return Rates(high, low, before, before + 1, tier, shown, fresh)
