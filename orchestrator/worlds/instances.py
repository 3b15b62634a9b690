"""Instances: generated once per coordinates, with the initial state that a reset shows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

from companyos.sdk.chaos import Chaos, FaultPlan
from companyos.sdk.scenario import Answer, Base, Guidance, Instance, Scenario

from ..agent.observations import StepResult, observation
from ..agent.tools import FINISH, REFUSE
from ..agent.toolsets import Toolset
from ..grading.predicate_reads import PredicateReads
from ..protocol.options import GuidanceLevel, ResetOptions, requested_chaos
from ..protocol.problems import Outage, refusing_outages
from ..protocol.records import Episode, Start
from ..protocol.trace import digest, first_hash
from ..protocol.trace_records import start_document
from ..services.catalog import Catalog
from .base_cache import BaseCache
from .scenario_code import ScenarioRuns
from .scenario_library import ScenarioLibrary
from .shared_work import SharedWork

#: Rows kept in memory, over all instances; a default company has about 400, and a huge one 100,000 in 62 MB.
MOST_ROWS = 150_000
#: Instances kept in memory however many rows they have, so that a few episodes in huge companies can take turns.
ALWAYS_KEPT = 8
#: Initial states kept in memory; each is a brief and a few numbers.
MOST_INITIAL_STATES = 4_096

#: How to end any task, which a scenario's brief need not say, by the tools that end it.
_ENDINGS: Final[Mapping[str, str]] = {
    FINISH.name: "Once everything asked for is in place, call `finish`.",
    REFUSE.name: "If the evidence shows that the task cannot be done as asked, call `refuse` with a `reason_code` and, "
    "as `evidence`, the ids that show it.",
}
#: The coordinates of an instance: scenario, seed, chaos digest and size.
Coordinates = tuple[str, int, str, str]
T = TypeVar("T")


@dataclass
class InitialState:
    """The part of an instance that a reset needs, which does not grow with the company.

    Attributes:
        base: Name of the base, derived from its content.
        start: Simulated second at which it starts.
        loaded: Whether the services have the base, as far as this process knows.
    """

    base: str
    scenario: str
    version: int
    seed: int
    brief: str
    start: int
    max_steps: int
    guidance: Guidance
    answer: Answer | None
    loaded: bool = False
    _first: dict[Hashable, tuple[dict[str, Any], str]] = field(default_factory=dict)

    def first(self, start: Start, tools: Toolset) -> tuple[dict[str, Any], str]:
        """Return the first observation and the first hash of the trace."""
        options = (
            start.max_steps,
            start.tools,
            start.guidance,
            *start.formats.items(),
            start.profile,
            start.mode,
            start.size,
            start.chaos.level,
            start.chaos.name,
        )
        if start.earlier:
            return self._drawn_up(start, tools)  # not kept: there are as many as snapshots
        if options not in self._first:
            self._first[options] = self._drawn_up(start, tools)
        return self._first[options]

    def _drawn_up(self, start: Start, tools: Toolset) -> tuple[dict[str, Any], str]:
        briefing = self.briefing(start, tools)
        seen = observation(briefing, step=0, max_steps=start.max_steps, now=self.start, elapsed_s=0)
        return seen, first_hash(start_document(start, self.base, seen))

    def briefing(self, start: Start, tools: Toolset) -> StepResult:
        """Return the agent's information before its first step."""
        listed = tools.listed(start.tools_format)
        parts = (
            self.brief,
            _guidance_text(self.guidance, start.guidance),
            _ending_text(tools),
            _answer_text(self.answer) if tools.get(FINISH.name) else "",
            listed.introduction,
        )
        return StepResult(text="\n\n".join(filter(None, parts)), tools=listed.cards)


@dataclass(frozen=True)
class PreparedInstance:
    """An instance with its rows indexed for grading.

    Attributes:
        initial_state: The initial state of every episode over it.
        size: Number of rows.
        plan: The fault plan; None without chaos.
        reads: What the instance's predicates read, in all episodes over it.
    """

    instance: Instance
    base: Base
    initial_state: InitialState
    size: int
    plan: FaultPlan | None
    reads: PredicateReads = field(default_factory=PredicateReads, compare=False)

    @property
    def armed(self) -> dict[str, Any] | None:
        """The plan by which services inject faults into events; None without one."""
        return None if self.plan is None else self.plan.armed


class Instances:
    """The instances that this process used last.

    Args:
        salt: Key of every draw.
        generation_s: Longest time that a generation may take.
    """

    def __init__(self, bases: BaseCache, library: ScenarioLibrary, salt: str, generation_s: float) -> None:
        self._bases = bases
        self._library = library
        self._salt = salt
        self._kept: OrderedDict[Coordinates, PreparedInstance] = OrderedDict()
        self._initial_states: OrderedDict[Coordinates, InitialState] = OrderedDict()
        self._shared = SharedWork()
        self._runs = ScenarioRuns(generation_s)
        self._oracle_steps: dict[str, int] = {}

    async def initial_state(self, scenario: str, seed: int, chaos: Chaos, size: str | int) -> InitialState:
        """Return the initial state for these coordinates, generating the instance only on a miss.

        Raises:
            Refusal: 404 scenario_unknown, 429 too_busy.
            ScenarioFailed: The scenario's code raised, or did not end in time.
        """
        where = (scenario, seed, chaos.digest, str(size))
        if where in self._initial_states:
            self._initial_states.move_to_end(where)
            return self._initial_states[where]
        return (await self._draw_instance(scenario, seed, chaos, size)).initial_state

    def coordinates(self, scenario: str, seed: int, chaos: Chaos, size: str | int) -> Coordinates:
        """Return the coordinates of an instance.

        Raises:
            Refusal: 404 scenario_unknown.
        """
        return self._library.find(scenario).name, seed, chaos.digest, str(size)

    def in_memory(self, where: Coordinates) -> InitialState | None:
        """Return the initial state at these coordinates if the whole instance is in memory."""
        kept = self._kept.get(where)
        return None if kept is None else self._initial_states.get(where, kept.initial_state)

    async def of(self, start: Start) -> PreparedInstance:
        """Return the instance of an episode."""
        return await self._draw_instance(start.scenario, start.seed, start.chaos, start.size)

    async def under(self, episode: Episode) -> PreparedInstance:
        """Return the instance of an episode, with the fault plan of the chaos in force."""
        prepared = await self.of(episode.start)
        if episode.put is None:
            return prepared
        start = episode.start
        return replace(
            prepared, plan=_plan(self._salt, start.scenario, start.version, start.seed, episode.chaos)
        )

    async def run(self, scenario: str, seed: int, work: Callable[[Scenario], T]) -> T:
        """Return the result of other code of a scenario for a seed, such as a step of its oracle.

        Raises:
            Refusal: 404 scenario_unknown, 429 too_busy.
            ScenarioFailed: It raised, or did not end in time.
        """
        found = self._library.find(scenario)
        return await self._runs.run(found, seed, partial(work, found))

    async def oracle_steps(self, scenario: str) -> int:
        """Return the most steps that a scenario's oracle needs at the default chaos, as its first instance tells.

        Raises:
            Refusal: 404 scenario_unknown, 429 too_busy, 500 scenario_failed.
        """
        if scenario not in self._oracle_steps:
            options = ResetOptions(scenario=scenario)
            chaos, size = requested_chaos(options.chaos), options.company_size
            with refusing_outages():
                first = await self._draw_instance(scenario, options.seed, chaos, size)
            self._oracle_steps[scenario] = first.instance.oracle_steps
        return self._oracle_steps[scenario]

    def tools_of(self, start: Start, catalog: Catalog, *later: Chaos) -> Toolset:
        """Return the agent's tools in an episode.

        Args:
            start: The episode's start.
            catalog: All tools.
            later: The chaos put in force since.
        """
        scenario = self._library.find(start.scenario)
        return catalog.toolsets.chosen(start.tools, scenario, start.chaos, *later)

    async def load(self, initial_state: InitialState, start: Start, catalog: Catalog) -> None:
        """Load the base of an initial state into every service that lacks it.

        Raises:
            Outage: A service cannot accept it.
        """
        self._bases.used.add(initial_state.base)
        if not initial_state.loaded:
            await self._shared.once(("load", initial_state.base), lambda: self._load(start, catalog))
            initial_state.loaded = True

    async def restore_base(self, start: Start, catalog: Catalog) -> None:
        """Load the base of an episode again, because a service lost it; everything built on it is given up.

        Raises:
            Outage: A service cannot accept it.
        """
        initial_state = await self.initial_state(start.scenario, start.seed, start.chaos, start.size)
        initial_state.loaded = False
        await self.load(initial_state, start, catalog)

    async def _draw_instance(
        self, scenario: str, seed: int, chaos: Chaos, size: str | int
    ) -> PreparedInstance:
        where = (scenario, seed, chaos.digest, str(size))
        if where in self._kept:
            self._kept.move_to_end(where)
            return self._kept[where]
        return await self._shared.once(("draw", where), lambda: self._generate(where, chaos, size))

    async def _generate(self, where: Coordinates, chaos: Chaos, size: str | int) -> PreparedInstance:
        scenario = self._library.find(where[0])
        work = partial(generated, scenario, where[1], chaos, size, self._salt)
        prepared = await self._runs.run(scenario, where[1], work)
        self._keep(where, prepared)
        return prepared

    def _keep(self, where: Coordinates, prepared: PreparedInstance) -> None:
        self._initial_states.setdefault(where, prepared.initial_state)
        if len(self._initial_states) > MOST_INITIAL_STATES:
            self._initial_states.popitem(last=False)
        self._kept[where] = prepared
        while not fit_in_memory(len(self._kept), sum(kept.size for kept in self._kept.values())):
            self._kept.popitem(last=False)

    async def _load(self, start: Start, catalog: Catalog) -> None:
        prepared = await self.of(start)
        strange = sorted(set(prepared.instance.rows) - set(catalog.services))
        if strange:
            raise Outage(strange[0], "the scenario needs it, and COMPANYOS_SERVICES does not name it")
        instance, services = prepared.instance, catalog.services
        await self._bases.load(prepared.initial_state.base, instance, services, faults=prepared.armed)


def fit_in_memory(instances: int, rows: int) -> bool:
    """Return whether a process keeps this many instances, with this many rows in all."""
    return instances <= ALWAYS_KEPT or rows <= MOST_ROWS


def generated(scenario: Scenario, seed: int, chaos: Chaos, size: str | int, salt: str) -> PreparedInstance:
    """Generate the instance for these coordinates, ready for grading."""
    instance = scenario.generate(seed, chaos, salt, size)
    count = sum(len(rows) for tables in instance.rows.values() for rows in tables.values())
    where: list[str | int] = [scenario.name, instance.version, seed, chaos.digest]
    plan = _plan(salt, scenario.name, instance.version, seed, chaos)
    armed = [plan.armed] if plan is not None and plan.armed is not None else []
    initial_state = InitialState(
        base=digest([*where, str(size), instance.start, instance.rows, *armed]),
        scenario=scenario.name,
        version=instance.version,
        seed=instance.seed,
        brief=instance.brief,
        start=instance.start,
        max_steps=instance.max_steps,
        guidance=instance.guidance,
        answer=instance.answer,
    )
    return PreparedInstance(instance, Base(instance.rows), initial_state, count, plan)


def _guidance_text(guidance: Guidance, level: GuidanceLevel) -> str:
    """Return what the trainer tells the agent in addition to the brief; empty if there is nothing to tell."""
    match level:
        case GuidanceLevel.POINTERS if guidance.pointers:
            return f"Where this is written down: {'; '.join(guidance.pointers)}."
        case GuidanceLevel.FULL:
            return guidance.rules
    return ""


def _ending_text(tools: Toolset) -> str:
    """Return how the agent can end the task; empty if only its last step does."""
    sentences = [sentence for name, sentence in _ENDINGS.items() if tools.get(name)]
    which = {1: "This ends the task.", 2: "Either ends the task."}
    return " ".join([*sentences, which[len(sentences)]]) if sentences else ""


def _answer_text(answer: Answer | None) -> str:
    return "" if answer is None else f"Call `finish` with an `answer` that is {answer.shape}."


def _plan(salt: str, scenario: str, version: int, seed: int, chaos: Chaos) -> FaultPlan | None:
    return FaultPlan.of_seed(salt, scenario, version, seed, chaos) if chaos.profile else None
