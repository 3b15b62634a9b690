"""The refreshed metric stays fresh for a few minutes only, so it may be stale again before the request."""

from dataclasses import replace
from typing import Final

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import SUBMIT_REQUESTS
from companyos.sdk.scenario import InjectedFault, View

from .business_fault import BusinessFault

#: Steps: refresh, wait, read, and look up the approver again.
_COST_EACH: Final = 4


class ExpiringValue(BusinessFault):
    """Shortens the lifetime of the goal's metric, which must be fresh at every attempt at a request."""

    fault = FaultId.EXPIRING_VALUE

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Give the metric its short lifetime, which is visible from the start."""
        builder.company.set_lifetime(facts.metric, self.params(builder)["validity_s"])
        attempts = 1 + len(facts.objections) + _refused(facts)
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(facts.metric["id"],),
            repairs=("datahub_refresh_data",),
            overcome=_is_harmless(facts),
            cost=_COST_EACH * attempts,
        )
        return replace(facts, faults=(*facts.faults, injected))


FAULT = ExpiringValue()


def _refused(facts: TaskFacts) -> int:
    """Return how often a request is refused for a missing permission: first, and while the grant is late."""
    return 2 if facts.lacks is not None and facts.lacks["id"] == SUBMIT_REQUESTS else 0


def _is_harmless(facts: TaskFacts) -> checks.Fact:
    """The metric was refreshed, and no request is held."""
    refreshed = checks.is_refreshed(facts)

    def holds(view: View) -> bool:
        held = [one for one in checks.goal_requests(facts, view) if one["status"] == "held"]
        return refreshed(view) and not held

    return holds
