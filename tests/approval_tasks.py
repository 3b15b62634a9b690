"""The scenarios built on the approval task template, which have to satisfy additional tests."""

from companyos.sdk.approval_task import ApprovalTask
from companyos.sdk.scenario import load_scenarios

APPROVAL_TASKS = sorted(
    name for name, scenario in load_scenarios().items() if isinstance(scenario, ApprovalTask)
)
