"""The template of approval tasks: their seeds, their counterfactual pairs, and the assembly of an instance."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from companyos.chaos import Chaos, FaultPlan, cost_bound
from companyos.company import Company, Pack, fill, hire_cast, precedence
from companyos.scenario import (
    Action,
    Check,
    Footprint,
    Forbidden,
    Instance,
    Observation,
    Order,
    Persona,
    Scenario,
    Script,
    call,
    horizon,
)
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, from_iso

from . import grading
from .brief import write_brief
from .builder import TaskBuilder
from .facts import TaskFacts, approving, correcting, refreshing
from .faults import apply_faults
from .playbook import Employee
from .playbook.careful import CarefulWorker
from .playbook.naive import NaiveWorker
from .profile import TaskProfile
from .tools import APPROVAL_TOOLS

#: A Monday; the original seeds start here, the others some weeks, days and hours later.
_FIRST_START: Final = from_iso("2030-03-04T09:00:00Z")


@dataclass(frozen=True)
class TaskSpec:
    """A task's assignment and its right outcome.

    Attributes:
        facts: The private facts.
        story: The assignment, in a sentence or two.
        submits: Whether the right outcome is an approval; if not, `musts` and the rest define it.
    """

    facts: TaskFacts
    story: str
    submits: bool
    musts: Sequence[Check] = ()
    forbidden: Sequence[Forbidden] = ()
    orders: Sequence[Order] = ()
    footprint: Sequence[Footprint] = ()


class ApprovalTask(Scenario):
    """A scenario about one decision: a ticket to prepare, a metric to refresh, a request to get approved.

    Attributes:
        packs: The packs of its company.
        causes: The two hidden causes of a counterfactual pair; the first is that of seed 0.
        persona_role: Role of the employee that the agent is.
        team: Their team.
        rules: House rules of this kind of task, one paragraph each.
        profile: The task's particulars, for agents that work every task.
        oracle_length: The oracle's steps on its longer path without chaos.
        least_steps: The fewest steps an episode has.
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

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw the instance of a seed: a company, the task, and the background around it."""
        builder = self._builder(seed, chaos, salt, size)
        facts = apply_faults(self.facts(builder), builder)
        spec = self.spec(facts, builder)
        fill(builder.company, builder.cast)
        return self._instance(seed, builder, spec)

    @abstractmethod
    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the task into the company without faults, and return its facts."""

    @abstractmethod
    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the assignment and the right outcome, whatever faults were injected."""

    def oracle(self, observation: Observation) -> Script:
        """Return a script that works any task of this profile: the metric first, since it determines the rest."""
        profile, me = self.profile, Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = profile.name_in(ticket["title"])
        record = yield from me.record(ticket, kind=profile.kind, name=name, mark=profile.mark)
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
        yield from me.prepare(ticket, record, metric)
        yield from me.get_approved(ticket, terms, profile.fields(record, values), metric)
        yield from me.finish("The request is approved.")

    def naive(self, observation: Observation) -> Script:
        """Return a script that does the ordinary work once and believes every answer."""
        return NaiveWorker(self.profile, observation).work()

    def careful(self, observation: Observation) -> Script:
        """Return a script that follows the house rules and knows nothing about particular faults."""
        return CarefulWorker(self.profile, observation).work()

    def open_loop_plan(self, instance: Instance) -> list[Action]:
        """Refresh the metric, then do what is right for this instance without reading it."""
        goal, instead = instance.goal, self.profile.instead
        if goal["submits"]:
            return approving(goal)
        assert instead is not None
        done = instead(goal["ticket_id"], goal["subject"])
        return [*correcting(goal), *refreshing(goal), done, call("finish")]

    def _builder(self, seed: int, chaos: Chaos, salt: str, size: str | int) -> TaskBuilder:
        pair, original = seed // 2, seed < 2
        # Chaos is no input here: a seed's company is the same at every level, so that levels compare seed by seed.
        draws = Draws(salt, self.name, self.version, pair)
        swapped = not original and draws.chance("pair.swapped", 0.5)
        company = Company(draws, _start(draws, original=original), self.packs, size)
        cast = hire_cast(company, persona_role=self.persona_role, team=self.team, original=original)
        precedence.lay_down(company)
        cause = self.causes[(seed + swapped) % 2]
        plan = FaultPlan.of_seed(salt, self.name, self.version, seed, chaos)
        return TaskBuilder(company, cast, plan, cause, original)

    def _instance(self, seed: int, builder: TaskBuilder, spec: TaskSpec) -> Instance:
        facts, company, persona = spec.facts, builder.company, builder.cast.persona
        # The same for every seed of a level: reset shows the remaining steps, which must not hint at the plan.
        oracle_steps = self.oracle_length + cost_bound(builder.plan.chaos)
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(persona.id, persona.name, persona.role),
            brief=write_brief(_employer(builder), persona, spec.story, self.rules),
            goal={
                **facts.as_goal(builder.cause, company.numbers.following("APR")),
                "submits": spec.submits,
            },
            start=company.start,
            oracle_steps=oracle_steps,
            max_steps=horizon(oracle_steps, self.least_steps),
            milestones=grading.milestones(facts, submits=spec.submits),
            musts=(
                *(grading.approval_musts(facts) if spec.submits else ()),
                *grading.settled(facts),
                *spec.musts,
            ),
            forbidden=(*grading.forbidden(facts), *spec.forbidden),
            orders=(*(grading.approval_orders(facts) if spec.submits else ()), *spec.orders),
            footprint=(*grading.footprint(facts), *spec.footprint),
            faults=grading.faults(facts, submits=spec.submits),
            not_offered=facts.not_offered,
        )


def _start(draws: Draws, *, original: bool) -> int:
    if original:
        return _FIRST_START
    weeks, days = draws.integer("start.week", 0, 35), draws.integer("start.day", 0, 4)
    return _FIRST_START + (7 * weeks + days) * DAY + draws.integer("start.hour", -1, 2) * HOUR


def _employer(builder: TaskBuilder) -> str:
    return builder.draws.choice("employer", builder.company.content.workplace.employers)
