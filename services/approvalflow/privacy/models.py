"""The audit of redactions."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "erasures")
class Erasure:
    """The redaction of a request, whose id it has; it holds nothing personal.

    Attributes:
        mode: Always `redact`: requests are never deleted.
        basis: Id of what it was done for.
    """

    id: str
    erased_by: str
    erased_at: int
    basis: str
    mode: str = "redact"
