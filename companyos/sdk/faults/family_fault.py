"""The base class of the business faults of families: which tasks a fault fits, and what it does to the company."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from companyos.sdk.chaos import FaultId, FaultPlan
from companyos.sdk.company import Company, Person, Row
from companyos.sdk.draws import Draws
from companyos.sdk.grading.allowances import Allowance
from companyos.sdk.grading.predicates import Forbidden
from companyos.sdk.grading.state import Table
from companyos.sdk.scenario import InjectedFault

from .targets import Targets


@dataclass(frozen=True)
class FaultSite:
    """A task in its complete company, as faults find it.

    Attributes:
        me: The agent's persona.
        tools: The tools that the family offers.
        background: The rows that are no part of the task, by table.
    """

    company: Company
    plan: FaultPlan
    targets: Targets
    me: Person
    tools: Collection[str]
    background: Mapping[Table, list[Row]]

    @property
    def draws(self) -> Draws:
        """The draws, shared by both tasks of a pair."""
        return self.company.draws

    def params(self, fault: FaultId) -> dict[str, Any]:
        """Return the parameters that the plan gives a fault."""
        return dict(self.plan.chaos.settings[fault].params)


@dataclass(frozen=True)
class Effect:
    """An injected fault, what an agent may write to overcome it, and what it must not do."""

    injected: InjectedFault
    allowances: tuple[Allowance, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()


class FamilyFault(ABC):
    """One business fault, as an operation on the targets of any family.

    It must change both tasks of a pair in the same way: nothing that an agent sees at the start may reveal the hidden
    cause.
    """

    fault: ClassVar[FaultId]

    @abstractmethod
    def fits(self, site: FaultSite) -> bool:
        """Return whether the task has what the fault needs; the answer is the same for both tasks of a pair."""

    @abstractmethod
    def apply(self, site: FaultSite) -> Effect:
        """Write the fault into the company."""
