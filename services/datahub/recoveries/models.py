"""The hidden truth about what mends a system, and the changes that are live."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "remedies", hidden=True, indexes=[("system",)])
class Remedy:
    """What a metric measures while a procedure is live on a system, and while it is not. Never shown.

    Attributes:
        id: Id of the metric.
        before: The values of refreshes as long as nothing mends it.
        after: The values of refreshes while the procedure is live on the system.
    """

    id: str
    system: str
    procedure: str
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)


@world_table(metadata, "live_changes", hidden=True, indexes=[("system",)])
class LiveChange:
    """A change as last announced by TicketDesk, with the change's id.

    Attributes:
        ended: Whether it was rolled back, which is final.
    """

    id: str
    system: str
    procedure: str
    ended: bool = False
