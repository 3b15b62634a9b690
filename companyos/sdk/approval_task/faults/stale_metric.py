"""The refresh of the metric is slow, or fails once."""

from dataclasses import replace

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.faults.operations import delay_refreshes, fail_first_refresh
from companyos.sdk.scenario import InjectedFault

from .business_fault import BusinessFault


class StaleMetric(BusinessFault):
    """Makes refreshes of the goal's metric slow, or makes the first one fail."""

    fault = FaultId.STALE_METRIC

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Slow down refreshes, or make the first one fail."""
        outcome = builder.draws.choice(f"{self.fault}.outcome", self.params(builder)["outcome"])
        failures = (0,) if outcome == "fail_once" else ()
        if outcome == "slow":
            delay_refreshes(facts.metric)
        else:
            fail_first_refresh(builder.company, facts.metric)
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(facts.metric["id"],),
            repairs=("datahub_refresh_data", "datahub_get_job", "wait"),
            overcome=checks.is_refreshed(facts),
            cost=3,
        )
        measurement = replace(facts.measurement, failures=failures)
        return replace(facts, measurement=measurement, faults=(*facts.faults, injected))


FAULT = StaleMetric()
