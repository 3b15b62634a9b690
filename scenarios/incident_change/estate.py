"""The systems of an incident: the victim, the systems it is computed from, and a suspect downstream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.changes import add_change, add_remedy
from companyos.sdk.company.areas.datasets import compute_from
from companyos.sdk.company.areas.support import filed_at
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from . import names, texts
from .pack import INCIDENT, PROCEDURES, add_error_rate, add_runbook, add_system
from .plans import FIRST, SECOND, Plan, Rates

#: The hours before the current reading at which earlier readings were taken.
_PAST: Final = (30, 26, 22, 18, 14)
#: The rate of a system that does not fail, in tenths of its limit.
_WELL: Final = (3, 8)


@dataclass(frozen=True)
class Member:
    """A system of the incident.

    Attributes:
        procedures: What its runbook in force lists, in order.
        runbook: Id of that runbook.
        tried: The procedures that were rolled out within the last day.
    """

    record: Row
    metric: Row
    owner: Person
    procedures: Sequence[str]
    runbook: str
    tried: Sequence[str] = ()

    @property
    def id(self) -> str:
        """Id of the record."""
        return str(self.record["id"])

    @property
    def limit(self) -> float:
        """The error rate above which it fails."""
        return float(self.record["fields"]["error_limit"])

    @property
    def area(self) -> str:
        """The area of the company that it belongs to."""
        return str(self.record["fields"]["area"])

    @property
    def left(self) -> list[str]:
        """The procedures that are left to try, in order."""
        return [one for one in self.procedures if one not in self.tried]


@dataclass(frozen=True)
class Estate:
    """The systems of an incident.

    Attributes:
        victim: The system that people complain about.
        chains: For each candidate, the systems from the victim upstream; the last may be the cause.
        decoy: A system upstream whose old reading looks bad.
        suspect: A system downstream of the victim that fails along with it.
        agreement: The provider agreement in force for a candidate, by candidate.
    """

    victim: Member
    chains: Mapping[str, Sequence[Member]]
    decoy: Member
    suspect: Member
    agreement: Mapping[str, Row]

    def root(self, candidate: str) -> Member:
        """Return the system that fails by itself if this candidate is the cause."""
        return self.chains[candidate][-1]

    @property
    def members(self) -> list[Member]:
        """All of the systems."""
        return [self.victim, *self.chains[FIRST], *self.chains[SECOND], self.decoy, self.suspect]


@dataclass
class Builder:
    """Writes the systems of an incident; nothing visible depends on which candidate is the cause."""

    draws: Draws
    company: Company
    cast: Cast
    plan: Plan
    cause: str

    def estate(self, rates: Rates) -> Estate:
        """Write all systems, their dependencies, their documents, and the remedy of the cause."""
        chains = {one: self._chain(one) for one in self.draws.shuffled("chains", (FIRST, SECOND))}
        decoy = self._member("decoy", self._areas[2], shown=(30, 48), truly=_WELL)
        self._past_change(decoy, decoy.procedures[0], age_s=20 * DAY)
        area = self.draws.choice("victim.area", names.AREAS)
        victim = self._system("victim", area, rates.tier, (rates.shown, rates.fresh), 2, rises=True)
        suspect = self._member("suspect", self._areas[3], shown=(60, 90), truly=(50, 80), rises=True)
        compute_from(victim.metric, *(chain[0].metric for chain in chains.values()), decoy.metric)
        compute_from(suspect.metric, victim.metric)
        agreements = {one: self._agreement(one, chain[-1]) for one, chain in chains.items()}
        in_force = {one: row for one, row in agreements.items() if row["status"] == "in_force"}
        estate = Estate(victim, chains, decoy, suspect, in_force)
        self._remedy(estate)
        return estate

    @cached_property
    def _names(self) -> Iterator[str]:
        drawn = self.draws.shuffled("names", names.SYSTEMS)
        return (f"{name} {self.draws.choice('region', names.REGIONS, name)}" for name in drawn)

    @cached_property
    def _areas(self) -> list[str]:
        return self.draws.shuffled("areas", names.AREAS)

    def _chain(self, candidate: str) -> list[Member]:
        """Write the systems of a candidate, nearest first; the last is the one that may be the cause."""
        truly = (20, 50) if candidate == self.cause else _WELL
        number = (FIRST, SECOND).index(candidate)
        root = self._candidate(candidate, self._areas[number], truly)
        if not self.draws.chance("chain.long", 0.4, candidate):
            return [root]
        near = self._member(f"{candidate}.near", self._areas[4 + number], truly=truly)
        compute_from(near.metric, root.metric)
        return [near, root]

    def _candidate(self, candidate: str, area: str, truly: tuple[int, int]) -> Member:
        """Write a system that may be the cause, and what has been rolled out on it before."""
        key, draws = f"{candidate}.root", self.draws
        was_tried = draws.chance("tried", 0.4, key)
        drawn = draws.integer("left", 1, 2, key)
        left = {None: 1, 2: 2}.get(self.plan.fates[candidate].mended_by, drawn)
        root = self._member(key, area, truly=truly, procedures=left + was_tried)
        if draws.chance("long.ago", 0.5, key):
            days = draws.integer("long.ago.days", 2, 9, key)
            self._past_change(root, root.procedures[-1], age_s=days * DAY + 5 * HOUR)
        if not was_tried:
            return root
        self._past_change(root, root.procedures[0], age_s=draws.integer("tried.hours", 3, 14, key) * HOUR)
        return replace(root, tried=root.procedures[:1])

    def _member(
        self,
        key: str,
        area: str,
        *,
        shown: tuple[int, int] = _WELL,
        truly: tuple[int, int],
        procedures: int | None = None,
        rises: bool = False,
    ) -> Member:
        """Write a system; `shown` and `truly` bound its old and its fresh rate in tenths of its limit."""
        tier = self.draws.choice("tier", ("core", "standard"), key)
        rates = self._rate("shown", key, shown), self._rate(f"truly{truly[0]}", key, truly)
        count = procedures or self.draws.integer("procedures.count", 1, 3, key)
        return self._system(key, area, tier, rates, count, rises=rises)

    def _system(
        self, key: str, area: str, tier: str, rates: tuple[float, float], procedures: int, *, rises: bool
    ) -> Member:
        """Hire an owner, and write their system with its old and its fresh rate, and so many procedures."""
        company, draws, (shown, truly) = self.company, self.draws, rates
        owner = company.hire(new_name(company, f"owner.{key}"), "system_owner", area)
        name, system_id = next(self._names), company.numbers.reserve("SYS")
        record = add_system(company, system_id, name, owner, area=area, tier=tier, limit=self._limit(key))
        metric_id, age_s = company.numbers.reserve("MET"), draws.integer("age", 4 * HOUR, 9 * HOUR, key)
        past = self._past(key, rises=rises)
        metric = add_error_rate(company, record, metric_id, shown, age_s=age_s, past=past, truly=truly)
        steps = draws.sample("procedures", PROCEDURES, procedures, key)
        return Member(record, metric, owner, steps, self._runbook(key, record, owner, steps)["id"])

    def _runbook(self, key: str, record: Row, owner: Person, procedures: Sequence[str]) -> Row:
        """Write the runbook in force, and the previous edition, which begins with another procedure."""
        others = [one for one in PROCEDURES if one != procedures[0]]
        earlier = self.draws.sample("procedures.before", others, len(procedures), key)
        age_s = self.draws.integer("runbook.age", 20, 200, key) * DAY
        before, now = ("superseded", earlier, age_s + 200 * DAY), ("in_force", procedures, age_s)
        return add_runbook(self.company, record, owner, before, now)

    def _past_change(self, member: Member, procedure: str, *, age_s: int) -> None:
        """Write a past change that was rolled back after an hour, with its incident."""
        company, reporter, system = self.company, self.cast.reporter, member.record
        name, ticket_id = system["name"], company.numbers.reserve("TD")
        title = f"{name}: {self.draws.choice('past.symptom', names.SYMPTOMS, member.id, age_s).lower()}"
        text = company.describe(ticket_id, INCIDENT, reporter, name=name, value="5 %")
        ended = {"status": "closed", "priority": "medium", "resolution": "It went away."}
        ticket = company.add_ticket(ticket_id, INCIDENT, title, text, reporter, subject=member.id, **ended)
        filed_at(company, ticket, company.start - age_s - HOUR)
        number, by = company.numbers.reserve("CHG"), member.owner
        add_change(company, number, ticket, system, procedure, by, age_s=age_s, undone_after_s=HOUR)

    def _agreement(self, candidate: str, root: Member) -> Row:
        """Write a candidate's provider agreement: in force if a provider runs it, otherwise ended."""
        runs, name = self.plan.fates[candidate].by_provider, root.record["name"]
        body = texts.AGREEMENT.format(
            name=name,
            system_id=root.id,
            provider=self.draws.choice("provider", names.PROVIDERS, candidate),
            term=texts.IN_FORCE_TERM if runs else texts.ENDED_TERM,
        )
        return self.company.add_document(
            "agreement",
            texts.AGREEMENT_TITLE.format(name=name),
            "Purchasing",
            self.cast.author,
            body,
            age_s=self.draws.integer("agreement.age", 300, 900, candidate) * DAY,
            status="in_force" if runs else "withdrawn",
            links=[root.id],
        )

    def _remedy(self, estate: Estate) -> None:
        """Let all affected systems recover once the procedure that repairs the cause is live."""
        fate, root = self.plan.fates[self.cause], estate.root(self.cause)
        if fate.mended_by is None or fate.by_provider:
            return
        for member in (*estate.chains[self.cause], estate.victim, estate.suspect):
            [bad] = self.company.source(member.metric["id"])["values"]
            good = self._rate("mended", member.id, (2, 8), member.limit)
            procedure = root.left[fate.mended_by - 1]
            add_remedy(self.company, member.metric, root.record, procedure, before=[bad], after=[good])

    def _limit(self, key: str) -> float:
        return self.draws.integer("limit", 10, 25, key) / 10

    def _past(self, key: str, *, rises: bool) -> list[tuple[int, float]]:
        """Return earlier rates: within the limit, and rising together for systems that people watch."""
        step = 2 if rises else 0
        return [
            (hours * HOUR, self._rate(f"past{hours}", key, (2 + step * at, 4 + step * at)))
            for at, hours in enumerate(_PAST)
        ]

    def _rate(self, draw_name: str, key: str, tenths: tuple[int, int], limit: float | None = None) -> float:
        drawn = self.draws.integer(f"rate.{draw_name}", *tenths, key)
        return round((limit or self._limit(key)) * drawn / 10, 2)
