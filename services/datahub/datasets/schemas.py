"""The wire types of datasets."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field, WithJsonSchema

from companyos.chassis import AnyCase, Body, Key, PageQuery, SimTime, View, Whole

from .domain import Aggregate, ColumnType, Condition, Function, Operator, Select, SortKey

DatasetId = Annotated[Key, Path()]
AnyOperator = Annotated[Operator, Field(strict=False), AnyCase]
AnyFunction = Annotated[Function, Field(strict=False), AnyCase]


_GREATEST = 10**15
Number = (
    Annotated[int, Field(ge=-_GREATEST, le=_GREATEST)] | Annotated[float, Field(ge=-_GREATEST, le=_GREATEST)]
)
_Plain = Annotated[str, Field(max_length=100)] | bool | Number
#: The value that a column is compared with; null is not allowed, because no column value equals it.
Comparand = Annotated[
    _Plain | Annotated[list[_Plain], Field(max_length=50)],
    WithJsonSchema(
        {
            "type": ["string", "number", "boolean", "array"],
            "maxLength": 100,
            "maxItems": 50,
            "items": {"type": ["string", "number", "boolean"], "maxLength": 100},
        }
    ),
]


class DatasetsQuery(PageQuery):
    """Which datasets to list."""

    q: Key | None = Field(None, description="Text in the id, name or description.")


class ColumnView(View):
    """A column of a dataset."""

    name: str = Field(description="Name of the column.")
    type: ColumnType = Field(description="`string`, `number`, `boolean` or `date`.")
    description: str = Field(description="What it holds.")


class DatasetSummary(View):
    """A dataset without its columns."""

    id: str = Field(description="Id of the dataset.")
    name: str = Field(description="Its name.")
    owner: str = Field(description="Person id of its owner.")
    source: str = Field(description="The job that loads it.")
    loaded_at: SimTime = Field(description="When it was loaded last.")
    row_count: int = Field(description="How many rows it has.")
    metrics: list[str] = Field(description="Ids of the metrics computed from it.")


class DatasetView(DatasetSummary):
    """A dataset."""

    description: str = Field(description="What a row is, and how the metrics are computed from the rows.")
    columns: list[ColumnView] = Field(description="Its columns.")


class WhereBody(Body):
    """A condition on a column."""

    column: Key
    op: AnyOperator = Field(Operator.EQ, description="Depends on the column's type.")
    value: Comparand = Field("", description="A list for `in`, true or false for `is_null`.")


class AggregateBody(Body):
    """A number per group."""

    function: AnyFunction
    column: Key = Field("", description="Left out for `count` of rows.")


class SortBody(Body):
    """A column of the result to order by."""

    column: Key = Field(description="Such as a grouped column or `sum_amount`.")
    descending: bool = False


class QueryDataset(Body):
    """A query over the rows of a dataset."""

    where: list[WhereBody] = Field([], max_length=10, description="All of them must hold.")
    group_by: list[Key] = Field([], max_length=4, description="Columns.")
    aggregates: list[AggregateBody] = Field([], max_length=6, description="Numbers per group.")
    sort: list[SortBody] = Field([], max_length=4, description="The first counts most.")
    cursor: str | None = Field(None, max_length=200, description="`next_cursor` of the previous page.")
    limit: Annotated[int, Field(ge=1, le=200), Whole] = Field(20, description="The most rows to return.")

    @property
    def select(self) -> Select:
        """The query as the rules run it."""
        return Select(
            [Condition(one.column, one.op, one.value) for one in self.where],
            self.group_by,
            [Aggregate(one.function, one.column or None) for one in self.aggregates],
            [SortKey(one.column, one.descending) for one in self.sort],
        )


class ResultView(View):
    """A page of a query's result."""

    dataset_id: str = Field(description="The dataset.")
    loaded_at: SimTime = Field(description="When the dataset was loaded last.")
    columns: list[str] = Field(
        description="The columns of the result; an aggregate's is `<function>_<column>`."
    )
    rows: list[dict[str, Any]] = Field(description="Values by column.")
    total: int = Field(description="How many rows the whole result has.")
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last page.")
