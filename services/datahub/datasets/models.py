"""The tables of datasets."""

from dataclasses import field
from typing import Any

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "datasets")
class Dataset:
    """A table of rows, loaded by a source job at `loaded_at`.

    Attributes:
        columns: `{"name", "type", "description"}` each; the type is `string`, `number`, `boolean` or `date`.
        metrics: Ids of the metrics that are computed from it.
        row_count: The number of rows, at most 2,000.
    """

    id: str
    name: str
    description: str
    owner: str
    source: str
    loaded_at: int
    row_count: int
    columns: list[dict[str, Any]] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)


@world_table(metadata, "dataset_rows", indexes=[("dataset_id",)])
class DatasetRow:
    """One row of a dataset; id `<dataset>:<number>`, with padded numbers, so that ids sort in row order.

    Attributes:
        values: A value or null by column; dates are ISO 8601 texts, which sort by time.
    """

    id: str
    dataset_id: str
    values: dict[str, Any] = field(default_factory=dict)
