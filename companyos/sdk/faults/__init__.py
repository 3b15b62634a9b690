"""Business faults as operations on the rows of a company, and the objects of a task that they may touch.

A family declares its `Targets`, and the frame applies the planned faults to them before the task is graded.
"""

from .families import FAMILY_FAULTS, apply_faults
from .family_fault import Effect, FamilyFault, FaultSite
from .targets import HarmfulAdvice, Targets

__all__ = ["FAMILY_FAULTS", "Effect", "FamilyFault", "FaultSite", "HarmfulAdvice", "Targets", "apply_faults"]
