"""The scenario SDK: the parts of a task for an agent, and the discovery of scenarios.

A scenario is pure: from (seed, chaos, salt) it draws an instance, which holds the rows of every service, the
brief for the agent, and the predicates over committed state that grade it.
"""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from companyos.sdk.actions import Action as Action
from companyos.sdk.actions import Observation as Observation
from companyos.sdk.actions import Script as Script
from companyos.sdk.actions import call as call
from companyos.sdk.chaos import Chaos
from companyos.sdk.grading.allowances import ANYTHING as ANYTHING
from companyos.sdk.grading.allowances import Allowance as Allowance
from companyos.sdk.grading.allowances import one_of as one_of
from companyos.sdk.grading.allowances import within as within
from companyos.sdk.grading.answers import Answer as Answer
from companyos.sdk.grading.answers import DateAnswer as DateAnswer
from companyos.sdk.grading.answers import IdAnswer as IdAnswer
from companyos.sdk.grading.answers import IdsAnswer as IdsAnswer
from companyos.sdk.grading.answers import NamedAnswers as NamedAnswers
from companyos.sdk.grading.answers import NumberAnswer as NumberAnswer
from companyos.sdk.grading.predicates import Check as Check
from companyos.sdk.grading.predicates import ExpectedRefusal as ExpectedRefusal
from companyos.sdk.grading.predicates import Forbidden as Forbidden
from companyos.sdk.grading.predicates import Harm as Harm
from companyos.sdk.grading.predicates import Milestone as Milestone
from companyos.sdk.grading.predicates import Order as Order
from companyos.sdk.grading.predicates import Predicate as Predicate
from companyos.sdk.grading.sets import ItemSet as ItemSet
from companyos.sdk.grading.state import Base as Base
from companyos.sdk.grading.state import CompanyState as CompanyState
from companyos.sdk.grading.state import Row as Row
from companyos.sdk.grading.state import Table as Table
from companyos.sdk.grading.state import View as View
from companyos.sdk.scenario_sources import SETTING, Found, everything_found, found_in
from companyos.sdk.scenario_sources import ScenariosUnusable as ScenariosUnusable
from companyos.sdk.splits import HELD_OUT as HELD_OUT
from companyos.sdk.splits import Split as Split

F = TypeVar("F", default=Any)


@dataclass(frozen=True)
class Persona:
    """The employee whom the agent plays: its calls carry this id and role."""

    id: str
    name: str
    role: str


@dataclass(frozen=True)
class InjectedFault:
    """A business fault injected into an instance; agents are never told of it.

    Attributes:
        fault: Id of the fault.
        shown_by: Ids that reveal it: it has landed once one of them occurs in a call or its result.
        codes: Refusals that also reveal it.
        repairs: Tools that repair it: it is detected once one of them is called after it landed.
        overcome: Holds while the fault does no more harm.
        cost: The largest number of steps needed to handle it.
    """

    fault: str
    shown_by: tuple[str, ...]
    repairs: tuple[str, ...]
    overcome: Predicate
    cost: int
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guidance:
    """Text that a reset adds to the brief if the trainer asks for it; the task and its company stay the same.

    Attributes:
        pointers: Titles or ids of the documents that contain the rules of the task; shown with `pointers`.
        rules: The rules themselves, in full; shown with `full`.
    """

    pointers: tuple[str, ...] = ()
    rules: str = ""


@dataclass(frozen=True)
class Instance(Generic[F]):
    """One drawn task. Only `brief`, `guidance` and `persona` are for the agent.

    `cause` is the hidden cause, which differs within a pair. `facts` are what the scenario itself knows of the task, of
    whatever type it likes: nothing grades by them, and agents never see them.

    `faults` are the injected business faults, and `not_offered` those requested that the scenario does not
    support. `private` are facts that the brief must not reveal. `oracle_steps` bounds the oracle's steps on
    this instance under any chaos.

    Success requires that every must holds, nothing forbidden held, every order was kept, the agent's own calls
    wrote nothing that the `allowances` do not explain, and the agent finished, with the right `answer` if the
    task asks for one. If the instance has a `refusal`, the agent must refuse instead, for one of its reason codes and
    with its evidence and at most two more ids, all in any letter case.

    `unspoken` are identifiers of people that occur in nothing that the agent's calls write, in whatever spelling, or it
    counts as unexplained.

    The grade card shows precision and recall of `sets`, which count only through musts and milestones.
    """

    scenario: str
    version: int
    seed: int
    rows: Mapping[str, Mapping[str, Sequence[dict[str, Any]]]]
    persona: Persona
    brief: str
    cause: str
    facts: F
    start: int
    oracle_steps: int
    max_steps: int
    milestones: tuple[Milestone, ...] = ()
    musts: tuple[Check, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    orders: tuple[Order, ...] = ()
    allowances: tuple[Allowance, ...] = ()
    refusal: ExpectedRefusal | None = None
    faults: tuple[InjectedFault, ...] = ()
    not_offered: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    guidance: Guidance = Guidance()
    answer: Answer | None = None
    sets: tuple[ItemSet, ...] = ()
    unspoken: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether the task can be done."""
        return self.refusal is None


class Scenario(ABC):
    """A family of tasks. `version` increases with every change that can affect a learning curve.

    Attributes:
        tools: Names of the tools that an instance can need when nothing goes wrong, and a few more. The
            orchestrator adds the tools that faults may require. Empty if an instance can need all tools.
        splits: The splits to which the family belongs. All its seeds share one idea, so a family that
            measures generalization to untrained tasks is `HELD_OUT`.
        readable_clues: Columns that tools show and in which a pair may differ, written `service.table.column`,
            because the cause is a fact to be read there, such as `datahub.documents.body`. `service.table`
            stands for all columns, and for rows that only one instance has. Everything else that tools show
            must be equal in a pair.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    title: ClassVar[str]
    summary: ClassVar[str]
    tools: ClassVar[tuple[str, ...]] = ()
    splits: ClassVar[tuple[Split, ...]] = tuple(Split)
    readable_clues: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw the instance of a seed; equal arguments give equal instances on every machine.

        Seeds 2k and 2k+1 are a counterfactual pair: at first they look the same to the agent, but the hidden
        cause differs.

        Args:
            seed: Number of the instance, from 0.
            chaos: The adversity of the instance.
            salt: Key of all draws; a published constant for training, a secret for private evaluation.
            size: Size of the company around the task: small, default, large, huge, or an approximate number
                of rows.
        """

    @abstractmethod
    def oracle(self, observation: Observation) -> Script:
        """Return a script that solves any instance with only an agent's means: tools and observations.

        Args:
            observation: The observation of the reset.
        """


class ScenarioUnknown(LookupError):
    """There is no scenario of this name; the message lists the existing ones."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no scenario {name!r}; there are {', '.join(known)}.")


def horizon(oracle_steps: int, at_least: int = 0) -> int:
    """Return an episode's step limit.

    It is 1.5 times the oracle's worst case, but at least six steps more than the worst case and at least
    `at_least`.
    """
    return max(oracle_steps + 6, ceil(1.5 * oracle_steps), at_least)


def load_scenarios() -> Mapping[str, Scenario]:
    """Return every scenario by name, in order of name.

    They come from the repository, from entry points of the group `companyos.scenarios`, and from the folders that
    the setting `COMPANYOS_SCENARIOS` names.

    Raises:
        ScenariosUnusable: A place cannot be loaded, or two scenarios have the same name.
    """
    listing = list_scenarios()
    if listing.faults:
        raise ScenariosUnusable(listing.faults)
    return listing.scenarios


@dataclass(frozen=True)
class Listing:
    """The usable scenarios by name, where each was found, and why others cannot be used."""

    scenarios: Mapping[str, Scenario]
    places: Mapping[str, str]
    faults: Sequence[str]


def list_scenarios() -> Listing:
    """Return the scenarios of `load_scenarios` with their places, and faults instead of an exception."""
    return _listing(os.environ.get(SETTING, ""))


def load_scenario(folder: str | os.PathLike[str]) -> Scenario:
    """Return the scenario of one folder in any location.

    Raises:
        ScenariosUnusable: The folder cannot be loaded.
    """
    found = found_in(Path(folder))
    if fault := _fault_of(found):
        raise ScenariosUnusable([fault])
    assert isinstance(found.offered, Scenario)
    return found.offered


def folder_of(scenario: Scenario) -> Path:
    """Return the folder that contains a scenario's code and card."""
    return Path(str(sys.modules[type(scenario).__module__].__file__)).parent


@cache
def source_digest(folder: Path) -> str:
    """Return the digest of a scenario folder's Python files, as of when this process loaded its scenarios."""
    sources = sorted(folder.rglob("*.py"))
    text = b"".join(bytes(path.relative_to(folder)) + b"\0" + path.read_bytes() for path in sources)
    return blake2b(text, digest_size=16).hexdigest()


def find(name: str) -> Scenario:
    """Return the scenario of this name.

    Raises:
        ScenarioUnknown: There is no such scenario.
        ScenariosUnusable: A place cannot be loaded, or two scenarios have the same name.
    """
    scenarios = load_scenarios()
    if name not in scenarios:
        raise ScenarioUnknown(name, list(scenarios))
    return scenarios[name]


@cache
def _listing(folders: str) -> Listing:
    """Return the listing of these folders and the standard places, loaded once per process."""
    scenarios: dict[str, Scenario] = {}
    places: dict[str, str] = {}
    faults: list[str] = []
    for found in everything_found(folders):
        offered, fault = found.offered, _fault_of(found)
        if fault or not isinstance(offered, Scenario):
            faults.append(fault)
        elif offered.name in places:
            both = f"{places[offered.name]} and {found.place}"
            faults.append(f"Two scenarios are called {offered.name}: {both}. Rename one.")
        else:
            scenarios[offered.name], places[offered.name] = offered, found.place
            # Cached now, because the files may change while this process keeps using what it loaded.
            source_digest(folder_of(offered))
    return Listing(dict(sorted(scenarios.items())), places, faults)


def _fault_of(found: Found) -> str:
    """Return why a found object is not a scenario, with its place, or an empty string if it is one."""
    if found.fault:
        return f"{found.place}: {found.fault}"
    if isinstance(found.offered, Scenario):
        return ""
    hint = "; call the class" if isinstance(found.offered, type) else ""
    return f"{found.place}: SCENARIO is {found.offered!r}, not a Scenario{hint}"
