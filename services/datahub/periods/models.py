"""The tables of accounting periods; times are in simulated seconds."""

from companyos.chassis import world_table

from ..models import metadata
from .domain import Category, PeriodStatus


@world_table(metadata, "periods", indexes=[("entity",)], maintained=("locked_by", "locked_at", "version"))
class Period:
    """A span of time for which an entity closes its books.

    Attributes:
        entity: Id of the entity's record.
        starts_at: Its first instant.
        ends_at: The first instant after it.
        locked_by: Id of the person who locked it.
    """

    id: str
    entity: str
    name: str
    starts_at: int
    ends_at: int
    status: PeriodStatus = PeriodStatus.OPEN
    locked_by: str | None = None
    locked_at: int | None = None
    version: int = 1


@world_table(metadata, "period_lines", indexes=[("period_id",)], maintained=("locked_value",))
class PeriodLine:
    """A metric of a period with its reference value; id `<period>:<metric>`.

    Attributes:
        owner: Id of the person responsible for it.
        reference: The value that the metric must match, from a source outside the books.
        locked_value: The metric's value when the period was locked.
    """

    id: str
    period_id: str
    metric_id: str
    category: Category
    owner: str
    reference: float
    locked_value: float | None = None
