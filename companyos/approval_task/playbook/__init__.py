"""How a careful employee works a task, as generators: yield an action, receive its observation.

The generators know what an agent knows: the brief and the tools' answers. Each concern has its own module.
"""

from companyos.sdk.asking import Answer, Play, Refused

from .approvals import Approvals
from .blockers import Blockers
from .library import Library
from .records import Records


class Employee(Blockers, Records, Approvals, Library):
    """The employee that the oracle plays."""


__all__ = ["Answer", "Employee", "Play", "Refused"]
