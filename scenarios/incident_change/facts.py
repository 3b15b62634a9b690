"""The facts of an incident: what fails, how severe it is, and how it has to end."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.company import Cast, Company, Person, Row, new_name
from companyos.sdk.draws import Draws

from .estate import Builder, Estate, Member
from .pack import CTO, EMERGENCY, EXCEPTION, TEAM
from .papers import Papers, Writer
from .plans import FIRST, PLANS, SECOND, Fate, Plan, draw_rates

#: The ways in which an incident ends.
RECOVERED, HANDED_OVER, SCHEDULED, RUN_BY_PROVIDER = (
    "recovered",
    "handed_over",
    "scheduled",
    "run_by_provider",
)
PRIORITY = {1: "urgent", 2: "high", 3: "medium", 4: "low"}


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        cause: Which candidate is the cause.
        colleague: Who is sure that the suspect is behind it.
        cto: The chief technology officer.
    """

    cause: str
    me: Person
    colleague: Person
    cto: Person
    plan: Plan
    estate: Estate
    papers: Papers
    start: int

    @property
    def fate(self) -> Fate:
        """What it takes to mend the cause, and whether it may be changed."""
        return self.plan.fates[self.cause]

    @property
    def root(self) -> Member:
        """The system that fails by itself."""
        return self.estate.root(self.cause)

    @property
    def victim(self) -> Member:
        """The system that people complain about."""
        return self.estate.victim

    @property
    def priority(self) -> str:
        """The priority that the incident has to have."""
        return PRIORITY[self.plan.severity]

    @property
    def ending(self) -> str:
        """How the incident has to end."""
        if self.fate.by_provider:
            return RUN_BY_PROVIDER
        if self.plan.severity != 1 or self.fate.freeze == "frozen":
            return SCHEDULED
        return HANDED_OVER if self.fate.mended_by is None else RECOVERED

    @property
    def rollouts(self) -> Sequence[str]:
        """The procedures that have to be rolled out on the cause, in order."""
        if self.ending in (SCHEDULED, RUN_BY_PROVIDER):
            return ()
        return self.root.left[: self.fate.mended_by]

    @property
    def approval_type(self) -> str:
        """The approval that a rollout takes."""
        return EXCEPTION if self.fate.freeze == "exempt" else EMERGENCY

    @property
    def approver(self) -> Person:
        """Who has to approve a rollout."""
        return self.cto if self.fate.freeze == "exempt" else self.papers.on_call

    @property
    def starts_at(self) -> int:
        """When an ordinary change of the cause goes live."""
        area = str(self.root.record["fields"]["area"])
        return self.papers.windows.first(self.start, area, self.papers.freezes)

    @property
    def agreement(self) -> Row | None:
        """The agreement by which a provider runs the cause, if one does."""
        return self.estate.agreement.get(self.cause)

    @property
    def metrics(self) -> frozenset[str]:
        """The metrics that may be taken anew."""
        return frozenset(member.metric["id"] for member in self.estate.members)


def write(draws: Draws, company: Company, cast: Cast, parity: int) -> Facts:
    """Write the systems and the papers; `parity` chooses between the two causes of the pair."""
    goal = draws.under("goal.")
    plan = goal.choice("plan", PLANS)
    cause = (FIRST, SECOND)[(parity + goal.chance("swapped", 0.5)) % 2]
    rates = draw_rates(goal, plan.severity)
    estate = Builder(goal, company, cast, plan, cause).estate(rates)
    return Facts(
        cause=cause,
        me=cast.persona,
        colleague=company.hire(new_name(company, "colleague"), "service_engineer", TEAM),
        cto=cast.offices[CTO],
        plan=plan,
        estate=estate,
        papers=Writer(goal, company, cast).papers(plan, rates.matrix, estate),
        start=company.start,
    )
