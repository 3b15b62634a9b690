"""What a business fault is: where it fits, and what it makes of a case."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.chaos import Setting as Strength
from companyos.scenario import Predicate


class Befalling(ABC):
    """One business fault.

    It draws from `setting.draws`, which twins share, and must do the same to both: what an agent sees at the start
    tells nothing about the hidden cause.
    """

    fault: ClassVar[FaultId]

    def fits(self, case: Case, setting: Setting) -> bool:
        """Say whether it can befall this case; the same for both twins."""
        return True

    @abstractmethod
    def befall(self, case: Case, setting: Setting) -> Case:
        """Write the fault into the company and return the case as it is then, with one more trouble."""

    def overcome(self, case: Case) -> Predicate | None:
        """Return what holds once it does no harm any more, in the case after all that befell it.

        None: what its trouble said at once.
        """
        return None

    def strength(self, setting: Setting) -> Strength:
        """Return how strong the fault is."""
        return setting.plan.chaos.settings[self.fault]

    def params(self, setting: Setting) -> dict[str, Any]:
        """Return the fault's own parameters."""
        return dict(self.strength(setting).params)
