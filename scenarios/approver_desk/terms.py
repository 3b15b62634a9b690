"""What the documents of an instance say: the rules of spending in their versions, and who covers for whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companyos.company import Company, Person
from companyos.company.areas.org_chart import report_to
from companyos.sdk.simtime import DAY, HOUR

from . import words
from .pack import INVOICE, PURCHASE, TRAINING

#: How long ago the version in force came into force: requests older than this are judged by the one before.
IN_FORCE_S: Final = 5 * DAY
#: Reason for handing the whole task back, named by the rules.
ENDED: Final = "cover_ended"


@dataclass(frozen=True)
class Version:
    """One version of the rules of spending.

    Attributes:
        quotes_from: Purchases of this amount or more need two quotes.
        excluded: Things that are not bought under it.
    """

    quotes_from: float
    excluded: tuple[str, ...]


@dataclass(frozen=True)
class People:
    """Everybody who matters at the desk.

    Attributes:
        me: Whom the agent is.
        boss: Whom the agent reports to.
        head: The absent approver.
        second: The head who decides what the cover does not.
        keeper: The head who decides about the cost center that is set apart.
    """

    me: Person
    boss: Person
    head: Person
    second: Person
    keeper: Person


@dataclass(frozen=True)
class Terms:
    """The rules of an instance.

    Attributes:
        window_days: Requests this close to one another are one purchase.
        limits: The largest amount the cover extends to, by approval type.
        apart: The cost center that the cover leaves out.
        ended: Whether the cover has ended.
    """

    now: Version
    before: Version
    window_days: int
    limits: Mapping[str, float]
    apart: str
    ended: bool

    def version(self, age_s: int) -> Version:
        """Return the version by which a request of this age is judged."""
        return self.before if age_s > IN_FORCE_S else self.now


def draw_terms(company: Company, *, apart: str, ended: bool) -> Terms:
    """Draw the rules of an instance."""
    draws = company.draws
    excluded = draws.sample("excluded", words.EXCLUDED, 4)
    now = float(draws.choice("quotes.now", (2500, 3000, 3500, 4000)))
    return Terms(
        now=Version(now, tuple(excluded[:2])),
        before=Version(now + draws.choice("quotes.before", (1500, 2000, 2500)), tuple(excluded[2:])),
        window_days=draws.choice("window", (7, 10, 14)),
        limits={
            PURCHASE: float(draws.choice("limit.purchase", (8000, 10_000, 12_000))),
            INVOICE: float(draws.choice("limit.invoice", (5000, 6000, 7500))),
            TRAINING: float(draws.choice("limit.training", (2000, 2500, 3000))),
        },
        apart=apart,
        ended=ended,
    )


def hire_people(company: Company, me: Person, head: Person, names: list[str]) -> People:
    """Hire the agent's manager and two more heads of unit, and let the agent stand in for the absent one."""
    boss = company.hire(names[0], "office_manager", "Unit Office")
    second = company.hire(names[1], head.role, "Laboratory")
    keeper = company.hire(names[2], head.role, "Field service")
    report_to(company, me, boss)
    report_to(company, boss, head)
    # The directory knows of no limit: what the cover extends to is in writing.
    company.delegate(head, me, (PURCHASE, INVOICE, TRAINING), None)
    away_since = company.draws.integer("away", 6, 30) * HOUR
    company.send_away(head, company.start - away_since, company.start + 6 * DAY, "leave")
    return People(me, boss, head, second, keeper)
