"""What chaos makes of a case: each business fault in a module of its own, and the order in which they befall it."""

from companyos.casework.case import Case
from companyos.casework.setting import Setting
from companyos.chaos import FaultId

from . import missing_field, ooo_approver, random_rejection, stale_metric
from .befalling import Befalling

#: The business faults by id, in the order in which they befall a case.
BEFALLINGS: dict[FaultId, Befalling] = {
    befalling.fault: befalling
    for befalling in (
        missing_field.BEFALLING,
        stale_metric.BEFALLING,
        ooo_approver.BEFALLING,
        random_rejection.BEFALLING,
    )
}


def befall(case: Case, setting: Setting) -> Case:
    """Return the case after the faults that the plan has for it; the company is changed accordingly."""
    possible = [fault for fault, befalling in BEFALLINGS.items() if befalling.fits(case, setting)]
    chosen = setting.plan.business(possible)
    for fault in (known for known in BEFALLINGS if known in chosen):
        case = BEFALLINGS[fault].befall(case, setting)
    return case


__all__ = ["BEFALLINGS", "Befalling", "befall"]
