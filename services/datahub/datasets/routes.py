"""Datasets over HTTP."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .models import Dataset
from .schemas import DatasetId, DatasetsQuery, DatasetSummary, DatasetView, QueryDataset, ResultView
from .service import Datasets, ResultPage

datasets = ToolRouter(prefix="/datasets", tags=["datasets"])


@datasets.get(
    "",
    response_model=Page[DatasetSummary],
    summary="List datasets",
    description="Shows when each was loaded and which metrics are computed from it.",
)
async def list_datasets(query: Annotated[DatasetsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Datasets(unit).page(**query.model_dump()), query.limit)


@datasets.get(
    "/{dataset_id}",
    response_model=DatasetView,
    summary="Read what a dataset holds",
    description="Returns its columns with their types, and how its metrics are computed from its rows. "
    "datahub_query_dataset returns rows.",
)
async def get_dataset(dataset_id: DatasetId, unit: InWorld) -> Dataset:
    return await Datasets(unit).get(dataset_id)


@datasets.post(
    "/{dataset_id}/query",
    idempotent=True,
    response_model=ResultView,
    summary="Query the rows of a dataset",
    description="Returns the rows that meet every condition or, with `group_by` or `aggregates`, one row per group. "
    "Rows without a value meet no condition but `is_null` and count in no aggregate of the column.",
)
async def query_dataset(dataset_id: DatasetId, body: QueryDataset, unit: InWorld) -> ResultPage:
    return await Datasets(unit).query(dataset_id, body.select, cursor=body.cursor, limit=body.limit)
