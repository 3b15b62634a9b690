"""Which tickets were merged into which."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "merges", indexes=[("into",)])
class Merge:
    """The end of a duplicate, whose id it has: the ticket `into` stands for both."""

    id: str
    into: str
    merged_by: str
    merged_at: int
