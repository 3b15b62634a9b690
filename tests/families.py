"""Which families the laws of the engine are tried on: some of every shape for every change, all of them in a proof."""

from companyos.scenario import load_scenarios

from .approval_tasks import APPROVAL_TASKS
from .sizes import size

ALL = sorted(load_scenarios())
SOME = size(
    ["constrained_change", "data_quality_audit", "erasure_request", "joint_purchase", "vendor_onboarding"],
    ALL,
)
SOME_APPROVAL_TASKS = size(["expense_report", "vendor_onboarding"], APPROVAL_TASKS)
