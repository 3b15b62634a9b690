"""The audit of erasures."""

from companyos.chassis import world_table

from ..models import metadata
from .domain import DataType, ErasureMode


@world_table(metadata, "erasures")
class Erasure:
    """The erasure or redaction of an object, whose id it has; it outlives the object and holds nothing personal.

    Attributes:
        basis: Id of what it was done for.
    """

    id: str
    type: DataType
    mode: ErasureMode
    erased_by: str
    erased_at: int
    basis: str
