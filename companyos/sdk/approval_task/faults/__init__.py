"""The business faults that chaos can inject into a task, one module each, in the order of application."""

from dataclasses import replace

from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.scenario import InjectedFault

from . import (
    blocked_ticket,
    conflicting_records,
    duplicate_entity,
    expiring_value,
    irreversible_trap,
    misleading_text,
    missing_field,
    ooo_approver,
    permission_gap,
    policy_drift,
    random_rejection,
    schema_drift,
    separation_of_duty,
    stale_metric,
)
from .business_fault import BusinessFault

#: The business faults by id, in the order of application.
BUSINESS_FAULTS: dict[FaultId, BusinessFault] = {
    fault.fault: fault
    for fault in (
        missing_field.FAULT,
        blocked_ticket.FAULT,
        conflicting_records.FAULT,
        duplicate_entity.FAULT,
        stale_metric.FAULT,
        permission_gap.FAULT,
        schema_drift.FAULT,
        policy_drift.FAULT,
        separation_of_duty.FAULT,
        ooo_approver.FAULT,
        random_rejection.FAULT,
        # Applied after the faults that make an attempt fail: each attempt needs a fresh metric.
        expiring_value.FAULT,
        irreversible_trap.FAULT,
        misleading_text.FAULT,
        misleading_text.INJECTED_INSTRUCTION,
    )
}


def apply_faults(facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
    """Apply the planned faults of a task to its company and return the resulting facts."""
    planned = [fault for fault in BUSINESS_FAULTS if fault in builder.plan.chaos.settings]
    offered = [fault for fault in planned if BUSINESS_FAULTS[fault].is_offered(facts, builder)]
    facts = replace(facts, not_offered=tuple(str(fault) for fault in planned if fault not in offered))
    chosen = builder.plan.business([one for one in offered if BUSINESS_FAULTS[one].fits(facts, builder)])
    for fault in (one for one in offered if one in chosen):
        facts = BUSINESS_FAULTS[fault].apply(facts, builder)
    return replace(facts, faults=tuple(_weighed(injected, facts) for injected in facts.faults))


def _weighed(injected: InjectedFault, facts: TaskFacts) -> InjectedFault:
    overcome = BUSINESS_FAULTS[FaultId(injected.fault)].overcome(facts)
    return injected if overcome is None else replace(injected, overcome=overcome)


__all__ = ["BUSINESS_FAULTS", "BusinessFault", "apply_faults"]
