"""The facts of an incident: its cause, its severity, and its right outcome."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.draws import Draws

from .estate import Builder, Estate, Member
from .pack import CTO, EMERGENCY, EXCEPTION, TEAM
from .papers import Papers, Writer
from .plans import Fate, Plan, draw_rates

#: The possible outcomes of an incident.
RECOVERED, HANDED_OVER = "recovered", "handed_over"
SCHEDULED, RUN_BY_PROVIDER = "scheduled", "run_by_provider"
PRIORITY = {1: "urgent", 2: "high", 3: "medium", 4: "low"}


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        cause: Which candidate is the cause.
        reporter: The person who asks for the work.
        colleague: The person who is sure that the suspect is the cause.
        cto: The chief technology officer.
    """

    cause: str
    me: Person
    reporter: Person
    colleague: Person
    cto: Person
    plan: Plan
    estate: Estate
    papers: Papers
    start: int

    @property
    def fate(self) -> Fate:
        """What repairs the cause, and whether it may be changed."""
        return self.plan.fates[self.cause]

    @property
    def root(self) -> Member:
        """The system that causes the incident."""
        return self.estate.root(self.cause)

    @property
    def victim(self) -> Member:
        """The system that people complain about."""
        return self.estate.victim

    @property
    def priority(self) -> str:
        """The required priority of the incident."""
        return PRIORITY[self.plan.severity]

    @property
    def ending(self) -> str:
        """The right outcome of the incident."""
        if self.fate.by_provider:
            return RUN_BY_PROVIDER
        if self.plan.severity != 1 or self.fate.freeze == "frozen":
            return SCHEDULED
        return HANDED_OVER if self.fate.mended_by is None else RECOVERED

    @property
    def rollouts(self) -> Sequence[str]:
        """The procedures to roll out on the cause, in order."""
        if self.ending in (SCHEDULED, RUN_BY_PROVIDER):
            return ()
        return self.root.left[: self.fate.mended_by]

    @property
    def approval_type(self) -> str:
        """The type of approval that a rollout needs."""
        return EXCEPTION if self.fate.freeze == "exempt" else EMERGENCY

    @property
    def approver(self) -> Person:
        """The person who has to approve a rollout."""
        return self.cto if self.fate.freeze == "exempt" else self.papers.on_call

    @property
    def ordinary_change(self) -> Row:
        """The change that is planned where nothing may go live now."""
        return {
            "system": self.root.id,
            "procedure": self.root.left[0],
            "category": "ordinary",
            "starts_at": self.papers.windows.first(self.start, self.root.area, self.papers.freezes),
            "status": "planned",
        }

    def request_fields(self, incident: str) -> Row:
        """Return what the request of an approval states about the incident with this id."""
        return {"incident": incident, "system": self.root.id, "severity": self.plan.severity}

    @property
    def agreement(self) -> Row | None:
        """The provider agreement that covers the cause, if any."""
        return self.estate.agreement.get(self.cause)


def write(draws: Draws, company: Company, cast: Cast, plan: Plan, cause: str) -> Facts:
    """Write the systems and the documents of an incident."""
    rates = draw_rates(draws, plan.severity)
    estate = Builder(draws, company, cast, plan, cause).estate(rates)
    return Facts(
        cause=cause,
        me=cast.persona,
        reporter=cast.reporter,
        colleague=company.hire(new_name(company, "colleague"), "service_engineer", TEAM),
        cto=cast.offices[CTO],
        plan=plan,
        estate=estate,
        papers=Writer(draws, company, cast).papers(plan, rates, estate),
        start=company.start,
    )
