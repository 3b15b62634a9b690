"""The audit of erasures."""

from companyos.chassis import world_table

from ..models import metadata
from .domain import DataType, ErasureMode


@world_table(metadata, "erasures", maintained=("erased_by", "erased_at"))
class Erasure:
    """The erasure or redaction of an object, under its id; it outlives the object and has no personal data.

    Attributes:
        basis: Id of the object that is the reason for it.
    """

    id: str
    type: DataType
    mode: ErasureMode
    erased_by: str
    erased_at: int
    basis: str
