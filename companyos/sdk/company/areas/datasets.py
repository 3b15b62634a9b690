"""Past values, lineage and datasets of a company under construction."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..rows import Row
from ..staff import Person
from ..tables import Tables


def add_history(company: Tables, metric: Row, values: Sequence[tuple[int, float]]) -> None:
    """Add a metric's past values, each as a pair of its age in seconds and the value."""
    job = metric["source"]
    taken = [*((company.start - age_s, value) for age_s, value in values), (metric["as_of"], metric["value"])]
    for version, (as_of, value) in enumerate(taken, start=1):
        after = {"value": value, "as_of": as_of}
        change = {
            "id": f"{metric['id']}@{version}",
            "object_id": metric["id"],
            "version": version,
            "at": as_of,
            "actor": job,
            "action": "refreshed",
            "before": {},
            "after": after,
        }
        company.add_row("datahub", "changes", change)
    for service in ("datahub", "approvalflow"):
        company.row(service, "metrics", metric["id"])["version"] = len(taken)


def compute_from(metric: Row, *upstream: Row) -> None:
    """Declare that a metric is computed from others."""
    metric["upstream"] = sorted({*metric["upstream"], *(one["id"] for one in upstream)})


def quarantine(company: Tables, metric: Row, by: Person, reason: str, *, age_s: int) -> None:
    """Put a metric in quarantine, beginning `age_s` before the start."""
    company.row("datahub", "metrics", metric["id"])["status"] = "quarantined"
    known = {"id": metric["id"], "number": 0, "active": True, "since": company.start - age_s}
    company.add_row("approvalflow", "quarantined_metrics", known)
    imposed = {"id": f"{metric['id']}-Q1", "metric_id": metric["id"], "by": by.id, "reason": reason}
    lasting = dict.fromkeys(("released_by", "released_at", "release_reason"))
    company.add_row("datahub", "quarantines", {**imposed, "at": company.start - age_s, **lasting})


def add_dataset(
    company: Tables,
    dataset_id: str,
    name: str,
    description: str,
    owner: Person,
    columns: Mapping[str, tuple[str, str]],
    rows: Sequence[Sequence[Any]],
    *,
    age_s: int,
    source: str,
    metrics: Sequence[Row] = (),
) -> Row:
    """Add a dataset loaded `age_s` before the start.

    Args:
        description: What a row represents, and how the metrics are computed from the rows.
        columns: The type and the description of each column, by name.
        rows: The values of each row, in the order of the columns.
        source: The job that loads it.
        metrics: The metrics that are computed from it.
    """
    for number, values in enumerate(rows, start=1):
        named = dict(zip(columns, values, strict=True))
        row = {"id": f"{dataset_id}:{number:06}", "dataset_id": dataset_id, "values": named}
        company.add_row("datahub", "dataset_rows", row)
    dataset = {
        "id": dataset_id,
        "name": name,
        "description": description,
        "owner": owner.id,
        "source": source,
        "loaded_at": company.start - age_s,
        "row_count": len(rows),
        "columns": [
            {"name": column, "type": kind, "description": text} for column, (kind, text) in columns.items()
        ],
        "metrics": [metric["id"] for metric in metrics],
    }
    return company.add_row("datahub", "datasets", dataset)
