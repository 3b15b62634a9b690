"""The template of approval tasks: their seeds, their counterfactual pairs, and the assembly of an instance."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from companyos.sdk.chaos import Chaos, FaultPlan, cost_bound
from companyos.sdk.company import Chapter, Company, Pack, fill, hire_cast, precedence
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import (
    Allowance,
    ExpectedRefusal,
    Instance,
    Observation,
    Order,
    Persona,
    Scenario,
    Script,
    horizon,
)
from companyos.sdk.simtime import DAY, HOUR, from_iso

from . import allowances, grading
from .brief import write_brief, write_guidance
from .builder import TaskBuilder
from .endings import FORBIDDEN_CODE, TaskEnding, TaskSpec, decided_by
from .facts import TaskFacts
from .faults import apply_faults
from .library import chapters_of, write_file, write_handbook
from .playbook import Employee
from .profile import TaskProfile
from .tools import APPROVAL_TOOLS

#: A Monday. The original seeds start at this time, the others some weeks, days and hours later.
_FIRST_START: Final = from_iso("2030-03-04T09:00:00Z")


#: The endings of pairs, equally likely. A quarter of the pairs have a forbidden task, which is one seed in
#: eight.
_ENDINGS: Final = (
    *[TaskEnding.USUAL] * 3,
    *[TaskEnding.RETURNED] * 3,
    *[TaskEnding.FORBIDDEN] * 2,
)


class ApprovalTask(Scenario):
    """A scenario about one decision: a ticket to prepare, a metric to refresh, a request to get approved.

    Attributes:
        packs: The packs of its company.
        causes: The two hidden causes of a counterfactual pair; the first is that of seed 0.
        persona_role: Role of the employee that the agent is.
        team: Their team.
        rules: Rules of this kind of task, one paragraph each; they form its own chapter of the handbook.
        profile: The task's particulars, for scripted agents that work on every task.
        oracle_length: The oracle's steps on its longer path without chaos.
        least_steps: The minimum horizon of an episode, in steps.
    """

    packs: ClassVar[tuple[Pack, ...]]
    causes: ClassVar[tuple[str, str]]
    persona_role: ClassVar[str]
    team: ClassVar[str]
    rules: ClassVar[str] = ""
    profile: ClassVar[TaskProfile]
    oracle_length: ClassVar[int]
    least_steps: ClassVar[int]
    tools: ClassVar[tuple[str, ...]] = APPROVAL_TOOLS
    #: A form may contradict its record, and a list of exclusions may name the case.
    readable_clues: ClassVar[tuple[str, ...]] = ("datahub.documents.body",)

    def generate(
        self, seed: int, chaos: Chaos, salt: str, size: str | int = "default"
    ) -> Instance[TaskFacts]:
        """Draw the instance of a seed: a company, the task, and the background around it."""
        builder = self._builder(seed, chaos, salt, size)
        facts = write_file(self.facts(builder), builder, self.profile)
        facts = apply_faults(facts, builder)
        spec = decided_by(builder.ending, self.spec(facts, builder))
        write_handbook(builder, self._chapters(builder))
        fill(builder.company, builder.cast)
        return self._instance(seed, builder, spec)

    @abstractmethod
    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the task into the company without faults, and return its facts."""

    @abstractmethod
    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the assignment and the right outcome, whatever faults were injected."""

    def oracle(self, observation: Observation) -> Script:
        """Return a script that works on any task of this profile; what it does depends on the metric."""
        profile, me = self.profile, Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = profile.name_in(ticket["title"])
        record = yield from me.record(ticket, kind=profile.kind, name=name, mark=profile.mark)
        documents = yield from me.settled_by_documents(profile, ticket["id"], record)
        terms = yield from me.ask("approvalflow_get_policy", type_id=profile.type_id)
        about = None if profile.company_wide else record["id"]
        metric = yield from me.metric(terms["metric_name"], about)
        if profile.instead and terms["minimum"] is not None and metric["value"] < terms["minimum"]:
            action = profile.instead(ticket["id"], record["id"])
            yield from me.ask(action["tool_name"], **action["arguments"])
            yield from me.finish("There is nothing to ask for; what the rules say instead is done.")
            return
        values = {terms["metric_name"]: metric["value"]}
        for further in profile.metrics:
            values[further] = (yield from me.metric(further, about))["value"]
        yield from me.prepare(ticket, record, metric, documents)
        yield from me.get_approved(ticket, terms, profile.fields(record, values), metric)
        yield from me.finish("The request is approved.")

    def _chapters(self, builder: TaskBuilder) -> tuple[Chapter, ...]:
        return chapters_of(builder, Chapter(self.title, self.rules))

    def _builder(self, seed: int, chaos: Chaos, salt: str, size: str | int) -> TaskBuilder:
        pair, original = seed // 2, seed < 2
        # Chaos is not an input: a seed has the same company at every level, so levels compare seed by seed.
        draws = Draws(salt, self.name, self.version, pair)
        swapped = not original and draws.chance("pair.swapped", 0.5)
        company = Company(draws, _start(draws, original=original), self.packs, size)
        # A reporter from one team only would tell the task's tickets from the others.
        reporter = None if original else draws.choice("reporter.team", company.content.teams)
        cast = hire_cast(
            company, persona_role=self.persona_role, team=self.team, original=original, reporter=reporter
        )
        precedence.lay_down(company)
        cause, ending = self._cause(draws, (seed + swapped) % 2, original=original)
        plan = FaultPlan.of_seed(salt, self.name, self.version, seed, chaos)
        return TaskBuilder(company, cast, plan, cause, original, ending)

    def _cause(self, draws: Draws, number: int, *, original: bool) -> tuple[str, TaskEnding]:
        """Return the hidden cause and the ending of one task of a pair.

        The two tasks differ either in the refreshed metric or in a document, never in both.
        """
        ending = TaskEnding.USUAL
        if self.profile.form and not original:
            ending = draws.choice("pair.ending", _ENDINGS)
        if ending is TaskEnding.USUAL:
            return self.causes[number], ending
        return draws.choice("pair.cause", self.causes), ending if number else TaskEnding.USUAL

    def _instance(self, seed: int, builder: TaskBuilder, spec: TaskSpec) -> Instance[TaskFacts]:
        facts, company, persona = spec.facts, builder.company, builder.cast.persona
        # The same for every seed of a level, because reset shows the remaining steps, which must not hint at
        # the plan.
        oracle_steps = self.oracle_length + cost_bound(builder.plan.chaos)
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(persona.id, persona.name, persona.role),
            brief=write_brief(_employer(builder), persona, builder.cast.reporter, spec.story),
            guidance=write_guidance(self._chapters(builder), (self.profile.exclusions,)),
            cause=builder.cause if builder.ending is TaskEnding.USUAL else str(builder.ending),
            facts=facts,
            start=company.start,
            oracle_steps=oracle_steps,
            max_steps=horizon(oracle_steps, self.least_steps),
            milestones=grading.milestones(facts, submits=spec.submits)
            if spec.milestones is None
            else spec.milestones,
            musts=(
                *(grading.approval_musts(facts) if spec.submits else ()),
                *grading.settled(facts),
                *(grading.form_read(facts) if spec.feasible else ()),
                *spec.musts,
            ),
            forbidden=(*grading.forbidden(facts), *spec.forbidden),
            orders=tuple(self._orders(spec, builder)),
            allowances=tuple(_allowances(spec, builder)),
            faults=grading.faults(
                facts, submits=spec.submits, by_documents=builder.ending is not TaskEnding.USUAL
            ),
            refusal=None if spec.feasible else _refusal(facts),
            not_offered=facts.not_offered,
        )

    def _orders(self, spec: TaskSpec, builder: TaskBuilder) -> Iterator[Order]:
        if spec.submits:
            yield from grading.approval_orders(spec.facts, self._stated_metrics(builder, spec.facts))
        yield from spec.orders
        yield grading.documents_first(spec.facts, _deciding(spec))

    def _stated_metrics(self, builder: TaskBuilder, facts: TaskFacts) -> Sequence[str]:
        """Return the ids of the metrics that a request states in addition to the policy's."""
        measured = builder.company.about(facts.record["id"])
        return [metric["id"] for metric in measured if metric["name"] in self.profile.metrics]


def _allowances(spec: TaskSpec, builder: TaskBuilder) -> Iterator[Allowance]:
    yield from allowances.shared(spec.facts)
    if builder.ending is TaskEnding.USUAL:
        yield from allowances.verification(spec.facts)
    yield from _deciding(spec)


def _deciding(spec: TaskSpec) -> tuple[Allowance, ...]:
    """Return what the right outcome writes, for which the rest only prepares."""
    return (*(allowances.requests(spec.facts) if spec.submits else ()), *spec.allowances)


def _start(draws: Draws, *, original: bool) -> int:
    if original:
        return _FIRST_START
    weeks, days = draws.integer("start.week", 0, 35), draws.integer("start.day", 0, 4)
    return _FIRST_START + (7 * weeks + days) * DAY + draws.integer("start.hour", -1, 2) * HOUR


def _refusal(facts: TaskFacts) -> ExpectedRefusal:
    assert facts.exclusions is not None
    return ExpectedRefusal([FORBIDDEN_CODE], [facts.exclusions["id"], facts.record["id"]])


def _employer(builder: TaskBuilder) -> str:
    return builder.draws.choice("employer", builder.company.content.workplace.employers)
