"""The catalogue of faults: what each does, how an agent notices and repairs it, and what it may cost.

This is the one place that knows which faults exist. Profiles are checked against it, the reference is generated from
it, and tests walk it, so a fault cannot be forgotten anywhere.
"""

from collections.abc import Mapping
from typing import Final

from .business import BUSINESS
from .event import EVENT
from .service import SERVICE
from .spec import FaultId, FaultSpec, Layer, Parameter, Reach

#: Every fault by id, layer by layer.
CATALOGUE: Final[Mapping[FaultId, FaultSpec]] = {spec.id: spec for spec in (*BUSINESS, *SERVICE, *EVENT)}

__all__ = ["CATALOGUE", "FaultId", "FaultSpec", "Layer", "Parameter", "Reach"]
