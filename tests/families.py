"""The families on which the engine's laws are tested: some of every shape by default, all in a proof."""

from companyos.sdk.scenario import load_scenarios

from .approval_tasks import APPROVAL_TASKS
from .sizes import size

ALL = sorted(load_scenarios())
SOME = size(
    ["erasure_request", "joint_purchase", "vendor_onboarding"],
    ALL,
)
#: The same families with chaos levels: both in a proof, otherwise one level per family.
SOME_AND_CHAOS = [(name, chaos) for number, name in enumerate(SOME) for chaos in size((number % 2,), (0, 1))]
SOME_APPROVAL_TASKS = size(["vendor_onboarding"], APPROVAL_TASKS)
#: One approval task and each family of another template, all of them in a proof.
EVERY_SHAPE = size([name for name in ALL if name == "vendor_onboarding" or name not in APPROVAL_TASKS], ALL)
