"""Business faults as operations on the rows of a company, and the objects of a task that they may touch.

A family declares its `Targets`, and the frame applies the planned faults to them before the task is graded.
"""

from .families import FAMILY_FAULTS, apply_faults
from .family_fault import Effect, FamilyFault, Site
from .targets import Shortcut, Targets

__all__ = ["FAMILY_FAULTS", "Effect", "FamilyFault", "Shortcut", "Site", "Targets", "apply_faults"]
