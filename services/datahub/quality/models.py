"""The table of the quality area; the past values of metrics are in the table of changes."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(
    metadata, "quarantines", indexes=[("metric_id",)], maintained=("by", "at", "released_by", "released_at")
)
class Quarantine:
    """One quarantine of a metric, which lasts until it is released; id `<metric>-Q<n>`.

    Attributes:
        by: Id of the person who imposed it.
        released_by: Id of the person who lifted it; None while it lasts.
    """

    id: str
    metric_id: str
    by: str
    reason: str
    at: int
    released_by: str | None = None
    released_at: int | None = None
    release_reason: str | None = None
