"""The hidden truth about which procedure fixes a system, and the changes that are live."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "remedies", hidden=True, indexes=[("system",)])
class Remedy:
    """The values of a metric while a procedure is live on a system, and while it is not. Never shown.

    Attributes:
        id: Id of the metric.
        before: The refresh values while the procedure is not live on the system.
        after: The refresh values while it is live.
    """

    id: str
    system: str
    procedure: str
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)


@world_table(metadata, "live_changes", hidden=True, indexes=[("system",)])
class LiveChange:
    """A change as last announced by TicketDesk, under the change's id.

    Attributes:
        ended: Whether it was rolled back, which is final.
    """

    id: str
    system: str
    procedure: str
    ended: bool = False
