"""The content of an instance's documents: the versions of the rules of spending, and the cover."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
        excluded: Items that it excludes.
    """

    quotes_from: float
    excluded: tuple[str, ...]


@dataclass(frozen=True)
class People:
    """The people who matter at the desk.

    Attributes:
        me: The agent's persona.
        boss: The agent's manager.
        head: The absent approver.
        second: The head who decides what the cover leaves out.
        keeper: The head who decides about the excluded cost centre.
        staff: Requesters, each of whom makes one request unless a case says otherwise.
    """

    me: Person
    boss: Person
    head: Person
    second: Person
    keeper: Person
    staff: Sequence[Person]


@dataclass(frozen=True)
class Terms:
    """The rules of an instance.

    Attributes:
        setup_hours: The setup hours that the requests approved on a short budget may need in all.
        window_days: Requests this close to one another are one purchase.
        limits: The largest amount that the cover includes, by approval type.
        apart: The cost centre that the cover excludes.
        ended: Whether the cover has ended.
    """

    now: Version
    before: Version
    setup_hours: int
    window_days: int
    limits: Mapping[str, float]
    apart: str
    ended: bool

    def version(self, age_s: int) -> Version:
        """Return the version that applies to a request of this age."""
        return self.before if age_s > IN_FORCE_S else self.now


def draw_terms(company: Company, *, apart: str, ended: bool) -> Terms:
    """Draw the rules of an instance."""
    draws = company.draws
    excluded = draws.sample("excluded", words.EXCLUDED, 4)
    now = float(draws.choice("quotes.now", (2500, 3000, 3500, 4000)))
    return Terms(
        now=Version(now, tuple(excluded[:2])),
        before=Version(now + draws.choice("quotes.before", (1500, 2000, 2500)), tuple(excluded[2:])),
        setup_hours=draws.integer("setup_hours", 21, 25),
        window_days=draws.choice("window", (7, 10, 14)),
        limits={
            PURCHASE: float(draws.choice("limit.purchase", (8000, 10_000, 12_000))),
            INVOICE: float(draws.choice("limit.invoice", (5000, 6000, 7500))),
            TRAINING: float(draws.choice("limit.training", (2000, 2500, 3000))),
        },
        apart=apart,
        ended=ended,
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
    company.delegate(head, me, TYPES, None)
    away_since = company.draws.integer("away", 6, 30) * HOUR
    company.send_away(head, company.start - away_since, company.start + 6 * DAY, "leave")
    decides_in_person(company, me)
    return People(me, boss, head, second, keeper, staff)
