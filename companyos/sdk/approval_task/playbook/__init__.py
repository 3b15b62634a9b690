"""The way a careful employee works on a task, as generators that yield actions and receive observations.

The generators know only what an agent knows: the brief and the tools' answers. Each concern has its own
module.
"""

from companyos.sdk.scripts.asking import Answer, Play, Refused

from .approvals import Approvals
from .blockers import Blockers
from .library import Library
from .records import Records


class Employee(Blockers, Records, Approvals, Library):
    """The employee that the oracle plays."""


__all__ = ["Answer", "Employee", "Play", "Refused"]
