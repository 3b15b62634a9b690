"""The audit of redactions."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "erasures", maintained=("erased_by", "erased_at"))
class Erasure:
    """The redaction of a request, under the request's id; it contains no personal data.

    Attributes:
        mode: Always `redact`, because requests are never deleted.
        basis: Id of the object that is the reason for it.
    """

    id: str
    erased_by: str
    erased_at: int
    basis: str
    mode: str = "redact"
