"""How a careful employee works a case, as generators: yield an action, get its observation.

They know what an agent knows: the brief, and what tools answer. Each concern is a module of its own.
"""

from . import objections
from .approvals import Approvals
from .asking import Answer, Play, Refused
from .blockers import Blockers
from .records import Records


class Employee(Blockers, Records, Approvals):
    """Who works the case."""


__all__ = ["Answer", "Employee", "Play", "Refused", "objections"]
