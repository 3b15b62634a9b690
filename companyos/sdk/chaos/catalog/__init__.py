"""The fault catalog: what each fault does, how an agent detects and repairs it, and its maximum cost.

This is the only list of faults. Profiles are checked against it, the reference is generated from it, and tests
iterate over it, so that no fault can be forgotten.
"""

from collections.abc import Mapping
from typing import Final

from .business import BUSINESS
from .event import EVENT
from .service import SERVICE
from .spec import FaultId, FaultSpec, Layer, Parameter, Reach

#: Every fault by id, layer by layer.
CATALOG: Final[Mapping[FaultId, FaultSpec]] = {spec.id: spec for spec in (*BUSINESS, *SERVICE, *EVENT)}

__all__ = ["CATALOG", "FaultId", "FaultSpec", "Layer", "Parameter", "Reach"]
