"""What the tasks about a case have in common: their seeds, their twins, and how an instance is put together."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from companyos.chaos import Chaos, FaultPlan
from companyos.company import Company, fill, hire_cast, names, precedence
from companyos.draws import Draws
from companyos.scenario import Check, Footprint, Instance, Never, Order, Persona, Scenario, horizon
from companyos.simtime import DAY, HOUR, from_iso

from . import grading
from .brief import write_brief
from .case import Case
from .faults import befall
from .outline import Outline
from .setting import Setting

#: A Monday; the original seeds start here, the others some weeks, days and hours later.
_FIRST_START: Final = from_iso("2030-03-04T09:00:00Z")


@dataclass(frozen=True)
class Plot:
    """What a task adds to its setting.

    Attributes:
        case: The private facts.
        story: What the agent is asked, in a sentence or two.
        submits: Whether the right end is an approval; if not, `musts` and the rest say what it is.
    """

    case: Case
    story: str
    submits: bool
    musts: Sequence[Check] = ()
    nevers: Sequence[Never] = ()
    orders: Sequence[Order] = ()
    footprint: Sequence[Footprint] = ()


class Task(Scenario):
    """A scenario about one case.

    Attributes:
        causes: The two hidden causes of a pair of twins; the first is that of seed 0.
        persona_role: Role of who the agent is.
        team: Their team.
        rules: House rules of this kind of case, a paragraph each.
        outline: What is particular to it, for agents that work every task.
        oracle_length: The oracle's steps on its longer way where chaos does nothing.
        least_steps: How many steps an episode has at least.
    """

    causes: ClassVar[tuple[str, str]]
    persona_role: ClassVar[str]
    team: ClassVar[str]
    rules: ClassVar[str] = ""
    outline: ClassVar[Outline]
    oracle_length: ClassVar[int]
    least_steps: ClassVar[int]

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw the instance of a seed: a company, a case in it, and the life around both."""
        setting = self._setting(seed, chaos, salt, size)
        case = befall(self.case(setting), setting)
        plot = self.plot(case, setting)
        fill(setting.company, setting.cast)
        return self._instance(seed, setting, plot)

    @abstractmethod
    def case(self, setting: Setting) -> Case:
        """Write the case into the company as it is where nothing goes wrong."""

    @abstractmethod
    def plot(self, case: Case, setting: Setting) -> Plot:
        """Say what is asked and what is right in a case, whatever has befallen it."""

    def _setting(self, seed: int, chaos: Chaos, salt: str, size: str | int) -> Setting:
        pair, original = seed // 2, seed < 2
        draws = Draws(salt, self.name, self.version, pair, chaos.digest)
        swapped = not original and draws.chance("twins.swapped", 0.5)
        company = Company(draws, _start(draws, original=original), size)
        cast = hire_cast(company, persona_role=self.persona_role, team=self.team, original=original)
        precedence.lay_down(company)
        cause = self.causes[(seed + swapped) % 2]
        return Setting(company, cast, FaultPlan(draws, chaos), cause, original)

    def _instance(self, seed: int, setting: Setting, plot: Plot) -> Instance:
        case, company, persona = plot.case, setting.company, setting.cast.persona
        # The same for both twins: the steps that remain are part of the first observation.
        oracle_steps = self.oracle_length + setting.cost(case.troubles)
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(persona.id, persona.name, persona.role),
            brief=write_brief(_employer(setting), persona, plot.story, self.rules),
            goal=case.facts(setting.cause, company.numbers.following("APR")),
            start=company.start,
            oracle_steps=oracle_steps,
            max_steps=horizon(oracle_steps, self.least_steps),
            milestones=grading.milestones(case, submits=plot.submits),
            musts=(
                *(grading.approval_musts(case) if plot.submits else ()),
                *grading.settled(case),
                *plot.musts,
            ),
            nevers=(*grading.nevers(case), *plot.nevers),
            orders=(*(grading.approval_orders(case) if plot.submits else ()), *plot.orders),
            footprint=(*grading.footprint(case), *plot.footprint),
            troubles=grading.troubles(case, submits=plot.submits),
        )


def _start(draws: Draws, *, original: bool) -> int:
    if original:
        return _FIRST_START
    weeks, days = draws.integer("start.week", 0, 35), draws.integer("start.day", 0, 4)
    return _FIRST_START + (7 * weeks + days) * DAY + draws.integer("start.hour", -1, 2) * HOUR


def _employer(setting: Setting) -> str:
    return setting.draws.choice("employer", names.COMPANIES)
