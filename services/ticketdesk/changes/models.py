"""The changes that were planned for tickets, and their status."""

from companyos.chassis import world_table

from ..models import metadata
from .domain import Category, ChangeStatus, Procedure


@world_table(
    metadata,
    "changes",
    indexes=[("ticket_id",), ("system",)],
    maintained=("planned_by", "planned_at", "rolled_out_by", "rolled_out_at", "rolled_back_at", "version"),
)
class PlannedRollout:
    """A change of a system, planned for a ticket; id `CHG-<n>`.

    Attributes:
        system: Id of the record of the system that is changed.
        starts_at: When an ordinary change goes live.
        version: Incremented with every change of this row.
    """

    id: str
    ticket_id: str
    system: str
    procedure: Procedure
    category: Category
    planned_by: str
    planned_at: int
    status: ChangeStatus = ChangeStatus.PLANNED
    starts_at: int | None = None
    rolled_out_by: str | None = None
    rolled_out_at: int | None = None
    rolled_back_at: int | None = None
    version: int = 1
