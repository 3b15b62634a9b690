"""The base class of business faults: which tasks a fault fits, and how it is written into the company."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.chaos import Setting as Strength
from companyos.sdk.scenario import Predicate


class BusinessFault(ABC):
    """One business fault.

    It draws from `builder.draws`, which both tasks of a pair share, and must change both in the same way:
    nothing that an agent sees at the start may reveal the hidden cause.
    """

    fault: ClassVar[FaultId]

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Say whether the scenario and its packs support the fault."""
        return True

    def fits(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Say whether it can be applied to this task; the answer is the same for both tasks of a pair."""
        return True

    @abstractmethod
    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Write the fault into the company and return the new facts, with one more injected fault."""

    def overcome(self, facts: TaskFacts) -> Predicate | None:
        """Return the check that the fault is overcome, given the facts after all faults are applied.

        None keeps the check that the injected fault already has.
        """
        return None

    def strength(self, builder: TaskBuilder) -> Strength:
        """Return the fault's strength."""
        return builder.plan.chaos.settings[self.fault]

    def params(self, builder: TaskBuilder) -> dict[str, Any]:
        """Return the fault's own parameters."""
        return dict(self.strength(builder).params)
