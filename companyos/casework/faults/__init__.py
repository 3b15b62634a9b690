"""What chaos makes of a case: each business fault in a module of its own, and the order in which they befall it."""

from dataclasses import replace

from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.scenario import Trouble

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
from .befalling import Befalling

#: The business faults by id, in the order in which they befall a case.
BEFALLINGS: dict[FaultId, Befalling] = {
    befalling.fault: befalling
    for befalling in (
        missing_field.BEFALLING,
        blocked_ticket.BEFALLING,
        conflicting_records.BEFALLING,
        duplicate_entity.BEFALLING,
        stale_metric.BEFALLING,
        permission_gap.BEFALLING,
        schema_drift.BEFALLING,
        policy_drift.BEFALLING,
        separation_of_duty.BEFALLING,
        ooo_approver.BEFALLING,
        random_rejection.BEFALLING,
        # After what makes an attempt fail: each attempt needs the figure anew.
        expiring_value.BEFALLING,
        irreversible_trap.BEFALLING,
        misleading_text.BEFALLING,
    )
}


def befall(case: Case, setting: Setting) -> Case:
    """Return the case after the faults that the plan has for it; the company is changed accordingly."""
    known = setting.plan.chaos.settings
    possible = [fault for fault in BEFALLINGS if fault in known and BEFALLINGS[fault].fits(case, setting)]
    chosen = setting.plan.business(possible)
    for fault in (one for one in BEFALLINGS if one in chosen):
        case = BEFALLINGS[fault].befall(case, setting)
    return replace(case, troubles=tuple(_weighed(trouble, case) for trouble in case.troubles))


def _weighed(trouble: Trouble, case: Case) -> Trouble:
    overcome = BEFALLINGS[FaultId(trouble.fault)].overcome(case)
    return trouble if overcome is None else replace(trouble, overcome=overcome)


__all__ = ["BEFALLINGS", "Befalling", "befall"]
