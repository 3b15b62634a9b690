"""Refreshing the figure takes long, or fails once."""

from dataclasses import replace

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.scenario import Trouble

from .befalling import Befalling

_SLOWER = 4


class StaleMetric(Befalling):
    """Makes refreshes of the goal's figure slow, or the first of them fail."""

    fault = FaultId.STALE_METRIC

    def befall(self, case: Case, setting: Setting) -> Case:
        """Slow refreshes down, or let the first one fail."""
        outcome = setting.draws.choice(f"{self.fault}.outcome", self.params(setting)["outcome"])
        failures = (0,) if outcome == "fail_once" else ()
        if outcome == "slow":
            case.metric["refresh_s"] *= _SLOWER
        setting.company.source(case.metric["id"])["failures"] = list(failures)
        trouble = Trouble(
            fault=self.fault,
            shown_by=(case.metric["id"],),
            repairs=("datahub_refresh_data", "datahub_get_job", "wait"),
            overcome=checks.is_refreshed(case),
            cost=3,
        )
        figure = replace(case.figure, failures=failures)
        return replace(case, figure=figure, troubles=(*case.troubles, trouble))


BEFALLING = StaleMetric()
