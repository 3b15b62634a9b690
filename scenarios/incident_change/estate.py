"""The systems of an incident: the victim, the systems it is computed from, and a suspect downstream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.changes import add_change, add_remedy
from companyos.sdk.company.areas.datasets import compute_from
from companyos.sdk.company.areas.support import filed_at
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from . import names, texts
from .pack import INCIDENT, PROCEDURES, add_error_rate, add_runbook, add_system
from .plans import FIRST, SECOND, Fate, Plan, Rates

#: The hours before the current reading at which earlier readings were taken.
_PAST: Final = (30, 26, 22, 18, 14)


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


class Builder:
    """Writes the systems of an incident; nothing visible depends on which candidate is the cause."""

    def __init__(self, draws: Draws, company: Company, cast: Cast, plan: Plan, cause: str) -> None:
        self._draws = draws
        self._company = company
        self._cast = cast
        self._plan = plan
        self._cause = cause
        self._names = self._new_names()
        self._areas = draws.shuffled("areas", names.AREAS)

    def estate(self, rates: Rates) -> Estate:
        """Write all systems, their dependencies, their documents, and the remedy of the cause."""
        chains = {one: self._chain(one) for one in self._draws.shuffled("chains", (FIRST, SECOND))}
        decoy = self._member("decoy", self._areas[2], shown=(30, 48), truly=(3, 8))
        self._past_change(decoy.record, decoy.owner, decoy.procedures[0], age_s=20 * DAY)
        victim = self._victim(rates)
        suspect = self._member("suspect", self._areas[3], shown=(60, 90), truly=(50, 80), rises=True)
        nearest = [chain[0].metric for chain in chains.values()]
        compute_from(victim.metric, *nearest, decoy.metric)
        compute_from(suspect.metric, victim.metric)
        agreements = {one: self._agreement(one, chains[one][-1]) for one in chains}
        in_force = {one: row for one, row in agreements.items() if row["status"] == "in_force"}
        estate = Estate(victim, chains, decoy, suspect, in_force)
        self._remedy(estate)
        return estate

    def _new_names(self) -> Iterator[str]:
        for name in self._draws.shuffled("names", names.SYSTEMS):
            yield f"{name} {self._draws.choice('region', names.REGIONS, name)}"

    def _chain(self, candidate: str) -> list[Member]:
        """Write the systems of a candidate, nearest first; the last is the one that may be the cause."""
        fails, fate = candidate == self._cause, self._plan.fates[candidate]
        truly = (20, 50) if fails else (3, 8)
        area = self._areas[0 if candidate == FIRST else 1]
        root = self._member(f"{candidate}.root", area, shown=(3, 8), truly=truly, fate=fate)
        if not self._draws.chance("chain.long", 0.4, candidate):
            return [root]
        other = self._areas[4 if candidate == FIRST else 5]
        near = self._member(f"{candidate}.near", other, shown=(3, 8), truly=truly)
        compute_from(near.metric, root.metric)
        return [near, root]

    def _victim(self, rates: Rates) -> Member:
        area = self._draws.choice("victim.area", names.AREAS)
        record, metric, owner = self._system("victim", area, rates.tier, rates.shown, rates.fresh, rises=True)
        return Member(record, metric, owner, *self._runbook("victim", record, owner, 2))

    def _member(
        self,
        key: str,
        area: str,
        *,
        shown: tuple[int, int],
        truly: tuple[int, int],
        fate: Fate | None = None,
        rises: bool = False,
    ) -> Member:
        """Write a system; `shown` and `truly` bound its old and its fresh rate in tenths of its limit."""
        tier, limit = self._draws.choice("tier", ("core", "standard"), key), self._limit(key)
        rates = (
            self._rate("shown", key, limit, shown),
            self._rate(f"truly{truly[0]}", key, limit, truly),
        )
        record, metric, owner = self._system(key, area, tier, *rates, rises=rises)
        if fate is not None:
            return self._candidate(key, record, metric, owner, fate)
        count = self._draws.integer("procedures.count", 1, 3, key)
        return Member(record, metric, owner, *self._runbook(key, record, owner, count))

    def _candidate(self, key: str, record: Row, metric: Row, owner: Person, fate: Fate) -> Member:
        """Write the runbook of a candidate, and what has been rolled out on it before."""
        was_tried = self._draws.chance("tried", 0.4, key)
        left = {None: 1, 2: 2}.get(fate.mended_by, self._draws.integer("left", 1, 2, key))
        procedures, runbook = self._runbook(key, record, owner, left + was_tried)
        if self._draws.chance("long.ago", 0.5, key):
            days = self._draws.integer("long.ago.days", 2, 9, key)
            self._past_change(record, owner, procedures[-1], age_s=days * DAY + 5 * HOUR)
        if was_tried:
            hours = self._draws.integer("tried.hours", 3, 14, key)
            self._past_change(record, owner, procedures[0], age_s=hours * HOUR)
        return Member(record, metric, owner, procedures, runbook, procedures[:1] if was_tried else ())

    def _system(
        self, key: str, area: str, tier: str, shown: float, truly: float, *, rises: bool
    ) -> tuple[Row, Row, Person]:
        """Hire an owner, and write the record of their system and its error rate."""
        company, limit = self._company, self._limit(key)
        owner = company.hire(new_name(company, f"owner.{key}"), "system_owner", area)
        name, system_id = next(self._names), company.numbers.reserve("SYS")
        record = add_system(company, system_id, name, owner, area=area, tier=tier, limit=limit)
        metric = add_error_rate(
            company,
            record,
            company.numbers.reserve("MET"),
            shown,
            age_s=self._draws.integer("age", 4 * HOUR, 9 * HOUR, key),
            past=self._past(key, limit, rises=rises),
            truly=truly,
        )
        return record, metric, owner

    def _runbook(self, key: str, record: Row, owner: Person, count: int) -> tuple[list[str], str]:
        """Write the runbook in force and the previous edition, which differs; return the procedures and its id."""
        procedures = self._draws.sample("procedures", PROCEDURES, count, key)
        others = [one for one in PROCEDURES if one != procedures[0]]
        earlier = self._draws.sample("procedures.before", others, min(count, len(others)), key)
        age_s = self._draws.integer("runbook.age", 20, 200, key) * DAY
        before, now = ("superseded", earlier, age_s + 200 * DAY), ("in_force", procedures, age_s)
        return procedures, add_runbook(self._company, record, owner, before, now)["id"]

    def _past_change(self, record: Row, owner: Person, procedure: str, *, age_s: int) -> None:
        """Write a past change that was rolled back after an hour, with its incident."""
        name = record["name"]
        symptom = self._draws.choice("past.symptom", names.SYMPTOMS, record["id"], age_s)
        title = f"{name}: {symptom.lower()}"
        ticket_id = self._company.numbers.reserve("TD")
        text = self._company.describe(ticket_id, INCIDENT, self._cast.reporter, name=name, value="5 %")
        ticket = self._company.add_ticket(
            ticket_id,
            INCIDENT,
            title,
            text,
            self._cast.reporter,
            status="closed",
            priority="medium",
            subject=record["id"],
            resolution="It went away.",
        )
        filed_at(self._company, ticket, self._company.start - age_s - HOUR)
        add_change(
            self._company,
            self._company.numbers.reserve("CHG"),
            ticket,
            record,
            procedure,
            owner,
            age_s=age_s,
            undone_after_s=HOUR,
        )

    def _agreement(self, candidate: str, root: Member) -> Row:
        """Write a candidate's provider agreement: in force if a provider runs it, otherwise ended."""
        runs = self._plan.fates[candidate].by_provider
        record = root.record
        return self._company.add_document(
            "agreement",
            texts.AGREEMENT_TITLE.format(name=record["name"]),
            "Purchasing",
            self._cast.author,
            texts.AGREEMENT.format(
                name=record["name"],
                system_id=record["id"],
                provider=self._draws.choice("provider", names.PROVIDERS, candidate),
                term=texts.IN_FORCE_TERM if runs else texts.ENDED_TERM,
            ),
            age_s=self._draws.integer("agreement.age", 300, 900, candidate) * DAY,
            status="in_force" if runs else "withdrawn",
            links=[record["id"]],
        )

    def _remedy(self, estate: Estate) -> None:
        """Let all affected systems recover once the procedure that repairs the cause is live."""
        mended_by, root = self._plan.fates[self._cause].mended_by, estate.root(self._cause)
        if mended_by is None or self._plan.fates[self._cause].by_provider:
            return
        for member in (*estate.chains[self._cause], estate.victim, estate.suspect):
            [bad] = self._company.source(member.metric["id"])["values"]
            good = self._rate("mended", member.id, member.limit, (2, 8))
            procedure = root.left[mended_by - 1]
            add_remedy(self._company, member.metric, root.record, procedure, before=[bad], after=[good])

    def _rate(self, draw_name: str, key: str, limit: float, tenths: tuple[int, int]) -> float:
        return round(limit * self._draws.integer(f"rate.{draw_name}", *tenths, key) / 10, 2)

    def _limit(self, key: str) -> float:
        return self._draws.integer("limit", 10, 25, key) / 10

    def _past(self, key: str, limit: float, *, rises: bool) -> list[tuple[int, float]]:
        """Return earlier rates: within the limit, and rising together for systems that people watch."""
        step = 2 if rises else 0
        return [
            (hours * HOUR, self._rate(f"past{hours}", key, limit, (2 + step * at, 4 + step * at)))
            for at, hours in enumerate(_PAST)
        ]
