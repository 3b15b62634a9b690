"""The scenarios made from the template for approval tasks, of which more is true than of every scenario."""

from companyos.approval_task import ApprovalTask
from companyos.scenario import load_scenarios

APPROVAL_TASKS = sorted(
    name for name, scenario in load_scenarios().items() if isinstance(scenario, ApprovalTask)
)
