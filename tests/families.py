"""Which families the laws of the engine are tried on: some of every shape for every change, all of them in a proof."""

from companyos.scenario import load_scenarios

from .approval_tasks import APPROVAL_TASKS
from .sizes import size

ALL = sorted(load_scenarios())
SOME = size(
    ["constrained_change", "data_quality_audit", "erasure_request", "joint_purchase", "vendor_onboarding"],
    ALL,
)
#: The same with and without chaos, each family one way or the other for every change.
SOME_AND_CHAOS = [(name, chaos) for number, name in enumerate(SOME) for chaos in size((number % 2,), (0, 1))]
SOME_APPROVAL_TASKS = size(["expense_report", "vendor_onboarding"], APPROVAL_TASKS)
