"""Accounting periods of a company under construction, and metrics that are recomputed from others."""

from collections.abc import Mapping

from ..rows import Row
from ..staff import Person
from ..tables import Tables
from .datasets import compute_from


def add_period(
    company: Tables,
    period_id: str,
    entity: Row,
    name: str,
    *,
    starts_at: int,
    ends_at: int,
    status: str,
    locked_by: Person,
    locked_at: int,
) -> Row:
    """Add a period of an entity; unless it is open, it is or was locked by this person at this time."""
    was_locked = status != "open"
    return company.add_row(
        "datahub",
        "periods",
        {
            "id": period_id,
            "entity": entity["id"],
            "name": name,
            "starts_at": starts_at,
            "ends_at": ends_at,
            "status": status,
            "locked_by": locked_by.id if was_locked else None,
            "locked_at": locked_at if was_locked else None,
            "version": 2 if was_locked else 1,
        },
    )


def add_period_line(
    company: Tables,
    period: Row,
    metric: Row,
    *,
    category: str,
    owner: Person,
    reference: float,
) -> Row:
    """Add a metric to a period, with the reference value that it is reconciled to; a locked period keeps its value."""
    return company.add_row(
        "datahub",
        "period_lines",
        {
            "id": f"{period['id']}:{metric['id']}",
            "period_id": period["id"],
            "metric_id": metric["id"],
            "category": category,
            "owner": owner.id,
            "reference": reference,
            "locked_value": metric["value"] if period["status"] == "locked" else None,
        },
    )


def recompute_from(company: Tables, metric: Row, own: float, weights: Mapping[str, float]) -> None:
    """Make every refresh of a metric add a weighted sum of other metrics to `own`; weights are by metric id.

    The metric must not have any refresh results yet.
    """
    by_id = {row["id"]: row for row in company.rows["datahub"]["metrics"] if row["id"] in weights}
    compute_from(metric, *(by_id[one] for one in weights))
    hidden = {"id": metric["id"], "values": [own], "failures": [], "weights": dict(weights)}
    company.add_row("datahub", "sources", hidden)
