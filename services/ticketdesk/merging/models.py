"""The table of merged tickets."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "merges", indexes=[("into",)], maintained=("merged_by", "merged_at"))
class Merge:
    """The merge of a duplicate, under its id, into the ticket `into`."""

    id: str
    into: str
    merged_by: str
    merged_at: int
