"""The refreshed figure keeps for a few minutes only: who dawdles between refresh and request finds it stale again."""

from dataclasses import replace
from typing import Final

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import policy
from companyos.scenario import Trouble, View

from .befalling import Befalling

#: Steps: refresh, wait, read, and see again who decides.
_COST_EACH: Final = 4


class ExpiringValue(Befalling):
    """Shortens the life of the goal's figure; every attempt at a request needs it fresh."""

    fault = FaultId.EXPIRING_VALUE

    def befall(self, case: Case, setting: Setting) -> Case:
        """Give the figure its short life, which is seen from the start."""
        setting.company.outlive(case.metric, self.params(setting)["validity_s"])
        attempts = 1 + len(case.objections) + _refused(case)
        trouble = Trouble(
            fault=self.fault,
            shown_by=(case.metric["id"],),
            repairs=("datahub_refresh_data",),
            overcome=_is_harmless(case),
            cost=_COST_EACH * attempts,
        )
        return replace(case, troubles=(*case.troubles, trouble))


BEFALLING = ExpiringValue()


def _refused(case: Case) -> int:
    """Return how often a request is refused for want of a permission: at first, and while news of its grant is late."""
    return 2 if case.lacks is not None and case.lacks["id"] == policy.SUBMIT_REQUESTS else 0


def _is_harmless(case: Case) -> checks.Fact:
    """No request waits for the figure, which was brought up to date."""
    refreshed = checks.is_refreshed(case)

    def holds(view: View) -> bool:
        held = [one for one in checks.goal_requests(case, view) if one["status"] == "held"]
        return refreshed(view) and not held

    return holds
