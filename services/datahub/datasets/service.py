"""The rules of datasets: the validation of queries, and their results in pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companyos.chassis import CursorUnknown, ListPage, UnitOfWork

from . import domain, errors
from .domain import Aggregate, ColumnType, Condition, Operator, Select
from .models import Dataset
from .repository import DatasetRepository

#: What the value of a condition must be, by the type of its column.
_WANTED = {
    ColumnType.STRING: (str, "a text"),
    ColumnType.NUMBER: (float, "a number"),
    ColumnType.BOOLEAN: (bool, "true or false"),
    ColumnType.DATE: (str, "a date or time as ISO 8601 text"),
}


@dataclass(frozen=True, kw_only=True)
class ResultPage:
    """A page of a query's result."""

    dataset_id: str
    loaded_at: int
    columns: list[str]
    rows: list[dict[str, Any]]
    total: int
    next_cursor: str | None


class Datasets:
    """The rules of datasets, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = DatasetRepository(unit)

    async def page(self, *, q: str | None, cursor: str | None, limit: int) -> ListPage[Dataset]:
        """Return a page of datasets."""
        return await self._repository.datasets(q=q, cursor=cursor, limit=limit)

    async def get(self, dataset_id: str) -> Dataset:
        """Return a dataset.

        Raises:
            DatasetUnknown: No such dataset in this world.
        """
        dataset = await self._unit.get(Dataset, dataset_id)
        if dataset is None:
            raise errors.DatasetUnknown(dataset_id)
        return dataset

    async def query(self, dataset_id: str, select: Select, *, cursor: str | None, limit: int) -> ResultPage:
        """Return a page of a query's result.

        Raises:
            DatasetUnknown: No such dataset in this world.
            ColumnUnknown, OperatorNotAllowed, ValueNotAllowed: The query does not fit the dataset.
            CursorUnknown: The cursor is not a position in the result.
        """
        dataset = await self.get(dataset_id)
        refuse_unfit(select, dataset)
        found = select.run([row.values for row in await self._repository.rows(dataset.id)])
        begin = _place(cursor, len(found))
        columns = select.result_columns([column["name"] for column in dataset.columns])
        end = begin + limit
        return ResultPage(
            dataset_id=dataset.id,
            loaded_at=dataset.loaded_at,
            columns=columns,
            rows=[{column: row.get(column) for column in columns} for row in found[begin:end]],
            total=len(found),
            next_cursor=str(end) if end < len(found) else None,
        )


def refuse_unfit(select: Select, dataset: Dataset) -> None:
    """Refuse a query with columns, operators or values that do not fit the dataset.

    Raises:
        ColumnUnknown: A column does not exist.
        OperatorNotAllowed: An operator or function does not fit its column.
        ValueNotAllowed: A value does not have its column's type.
    """
    types = {column["name"]: ColumnType(column["type"]) for column in dataset.columns}
    for condition in select.where:
        _refuse_column(condition.column, "where", list(types))
        _refuse_condition(condition, types[condition.column])
    for column in select.group_by:
        _refuse_column(column, "group_by", list(types))
    for aggregate in select.aggregates:
        if aggregate.column is not None:
            _refuse_column(aggregate.column, "aggregates", list(types))
        _refuse_aggregate(aggregate, types)
    for key in select.sort:
        _refuse_column(key.column, "sort", select.result_columns(list(types)))


def _refuse_column(column: str, field: str, columns: Sequence[str]) -> None:
    if column not in columns:
        raise errors.ColumnUnknown(column, field=field, columns=columns)


def _refuse_aggregate(aggregate: Aggregate, types: dict[str, ColumnType]) -> None:
    column = aggregate.column
    allowed = (domain.Function.COUNT,) if column is None else domain.FUNCTIONS[types[column]]
    if aggregate.function not in allowed:
        column_name = column or "that is missing"
        raise errors.OperatorNotAllowed(column_name, aggregate.function, field="aggregates", allowed=allowed)


def _refuse_condition(condition: Condition, type_: ColumnType) -> None:
    allowed = domain.OPERATORS[type_]
    if condition.operator not in allowed:
        raise errors.OperatorNotAllowed(condition.column, condition.operator, field="where", allowed=allowed)
    kind, wanted = _WANTED[type_]
    value = condition.value
    if condition.operator is Operator.IS_NULL:
        fits, wanted = isinstance(value, bool), "true or false"
    elif condition.operator is Operator.IN:
        fits = isinstance(value, list) and all(_is_a(kind, one) for one in value)
        wanted = f"a list, each item {wanted}"
    else:
        fits = _is_a(kind, value)
    if not fits:
        raise errors.ValueNotAllowed(condition.column, wanted, field="where")


def _is_a(kind: type, value: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind)


def _place(cursor: str | None, total: int) -> int:
    """Return the position that a cursor stands for; no page of an unchanging result ends at its end."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10 and 0 < int(cursor) < total):
        raise CursorUnknown(cursor)
    return int(cursor)
