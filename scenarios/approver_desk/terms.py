"""The terms of an instance: the versions of the rules of spending, how far the cover extends, and the people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companyos.sdk.company import Cast, Company, Person, new_name
from companyos.sdk.company.areas.org_chart import report_to
from companyos.sdk.company.areas.spending import decides_in_person
from companyos.sdk.simtime import DAY, HOUR

from . import words
from .pack import HEAD, TEAM
from .spending import INVOICE, PURCHASE, TRAINING, TYPES

#: How long ago the current version came into force; the previous version applies to older requests.
IN_FORCE_S: Final = 5 * DAY
STAFF: Final = 20
#: Reason for handing the whole task back, named by the rules.
ENDED: Final = "cover_ended"


@dataclass(frozen=True)
class Version:
    """One version of the rules of spending.

    Attributes:
        quotes_from: Purchases of this amount or more need two quotes.
        window_days: Requests this close to one another are one purchase.
        excluded: Things that it excludes.
        settlement: How it settles a short budget.
        setup_hours: The setup hours that the requests approved on a short budget may need in all, if it limits them.
        ended_code: The reason for handing the whole task back if the cover has ended.
    """

    quotes_from: float
    window_days: int
    excluded: Sequence[str]
    settlement: str
    setup_hours: int = 0
    ended_code: str = ENDED


@dataclass(frozen=True)
class Terms:
    """The rules of an instance, and its cost centres.

    Attributes:
        limits: The largest amount that the cover includes, by approval type.
        short: The cost centre whose budget is too small.
        ample: Cost centres with ample budgets.
        apart: One more, which the cover excludes.
        ended: Whether the cover has ended.
    """

    now: Version
    before: Version
    limits: Mapping[str, float]
    short: str
    ample: Sequence[str]
    apart: str
    ended: bool


@dataclass(frozen=True)
class People:
    """The people who matter at the desk.

    `me` is the agent, who reports to `boss`. The `head` is absent. `second` decides what the cover does not include,
    and `keeper` about the cost centre that it excludes. Each of the `staff` makes one request, as a rule.
    """

    me: Person
    boss: Person
    head: Person
    second: Person
    keeper: Person
    staff: Sequence[Person]


def draw_terms(company: Company, *, ended: bool) -> Terms:
    """Draw the rules of an instance: the previous version asks for fewer quotes, and excludes other things."""
    draws = company.draws
    excluded = draws.sample("excluded", words.EXCLUDED, 4)
    short, *ample, apart = (f"CC-{number}" for number in draws.sample("centres", range(310, 800), 5))
    now = Version(
        float(draws.choice("quotes.now", (2500, 3000, 3500, 4000))),
        draws.choice("window", (7, 10, 14)),
        excluded[:2],
        "as_one_set",
        draws.integer("setup_hours", 21, 25),
    )
    quotes_before = now.quotes_from + draws.choice("quotes.before", (1500, 2000, 2500))
    return Terms(
        now,
        replace(now, quotes_from=quotes_before, excluded=excluded[2:], settlement="by_priority"),
        {
            PURCHASE: float(draws.choice("limit.purchase", (8000, 10_000, 12_000))),
            INVOICE: float(draws.choice("limit.invoice", (5000, 6000, 7500))),
            TRAINING: float(draws.choice("limit.training", (2000, 2500, 3000))),
        },
        short,
        ample,
        apart,
        ended,
    )


def hire_people(company: Company, cast: Cast) -> People:
    """Hire the requesters, the agent's manager and two more heads of unit, and delegate to the agent."""
    staff = [company.hire(new_name(company, "goal", n), "technician", TEAM) for n in range(STAFF)]
    me, head, names = cast.persona, cast.offices[HEAD], [new_name(company, "head", n) for n in range(3)]
    boss = company.hire(names[0], "office_manager", TEAM)
    second = company.hire(names[1], head.role, "Laboratory")
    keeper = company.hire(names[2], head.role, "Field service")
    report_to(company, me, boss)
    report_to(company, boss, head)
    # The directory has no limit on purpose: only the letter of cover states it.
    company.delegate(head, me, TYPES)
    away_since = company.draws.integer("away", 6, 30) * HOUR
    company.send_away(head, company.start - away_since, company.start + 6 * DAY, "leave")
    decides_in_person(company, me)
    return People(me, boss, head, second, keeper, staff)
