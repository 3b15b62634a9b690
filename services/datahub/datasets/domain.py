"""The query over a dataset's rows: filter, group, aggregate, sort. It is pure, and sorting is stable."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from operator import eq, ge, gt, itemgetter, le, lt, ne
from typing import Any, Final

Values = Mapping[str, Any]


class ColumnType(StrEnum):
    """The type of a column."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"


class Operator(StrEnum):
    """How a condition compares a column with a value."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    CONTAINS = "contains"
    IS_NULL = "is_null"


class Function(StrEnum):
    """What an aggregate computes."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


#: The operators of each type of column.
OPERATORS: Final[Mapping[ColumnType, tuple[Operator, ...]]] = {
    ColumnType.STRING: (Operator.EQ, Operator.NE, Operator.IN, Operator.CONTAINS, Operator.IS_NULL),
    ColumnType.NUMBER: tuple(one for one in Operator if one is not Operator.CONTAINS),
    ColumnType.BOOLEAN: (Operator.EQ, Operator.NE, Operator.IS_NULL),
    ColumnType.DATE: tuple(one for one in Operator if one is not Operator.CONTAINS),
}
#: The functions of each type of column; without a column there is only `count`.
FUNCTIONS: Final[Mapping[ColumnType, tuple[Function, ...]]] = {
    ColumnType.STRING: (Function.COUNT,),
    ColumnType.NUMBER: tuple(Function),
    ColumnType.BOOLEAN: (Function.COUNT,),
    ColumnType.DATE: (Function.COUNT, Function.MIN, Function.MAX),
}


@dataclass(frozen=True)
class Condition:
    """A condition on one column; the result includes the rows that meet all conditions."""

    column: str
    operator: Operator
    value: Any = None


@dataclass(frozen=True)
class Aggregate:
    """A number computed over the rows of a group; nulls are ignored."""

    function: Function
    column: str | None = None

    @property
    def name(self) -> str:
        """The name of the result's column."""
        return f"{self.function}_{self.column}" if self.column else str(self.function)


@dataclass(frozen=True)
class SortKey:
    """A column of the result to order by; nulls come last in either direction."""

    column: str
    descending: bool = False


@dataclass(frozen=True)
class Select:
    """A query: with `group_by` or `aggregates` it returns one row per group, otherwise the rows."""

    where: Sequence[Condition] = ()
    group_by: Sequence[str] = ()
    aggregates: Sequence[Aggregate] = ()
    sort: Sequence[SortKey] = ()

    @property
    def is_grouped(self) -> bool:
        """Whether the result has one row per group."""
        return bool(self.group_by or self.aggregates)

    def result_columns(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of the result for a dataset with these columns."""
        return [*self.group_by, *(one.name for one in self.aggregates)] if self.is_grouped else list(columns)

    def run(self, rows: Sequence[Values]) -> list[Values]:
        """Return all rows of the result: those that meet the conditions, or their groups, in order."""
        kept = [row for row in rows if all(_meets(row, condition) for condition in self.where)]
        result = self._group_rows(kept) if self.is_grouped else kept
        # From the last key to the first, because sorting is stable.
        for key in reversed(self.sort):
            known = [row for row in result if row[key.column] is not None]
            unknown = [row for row in result if row[key.column] is None]
            known.sort(key=itemgetter(key.column), reverse=key.descending)
            result = [*known, *unknown]
        return result

    def _group_rows(self, rows: Sequence[Values]) -> list[Values]:
        groups: dict[tuple[Any, ...], list[Values]] = {} if self.group_by else {(): []}
        for row in rows:
            groups.setdefault(tuple(row.get(column) for column in self.group_by), []).append(row)
        ordered = sorted(groups.items(), key=lambda group: [(part is None, part) for part in group[0]])
        return [
            {
                **dict(zip(self.group_by, key, strict=True)),
                **{one.name: _aggregate_rows(one, members) for one in self.aggregates},
            }
            for key, members in ordered
        ]


_COMPARISONS: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    Operator.EQ: eq,
    Operator.NE: ne,
    Operator.LT: lt,
    Operator.LE: le,
    Operator.GT: gt,
    Operator.GE: ge,
    Operator.IN: lambda found, wanted: found in wanted,
    Operator.CONTAINS: lambda found, wanted: wanted.casefold() in found.casefold(),
}


def _meets(row: Values, condition: Condition) -> bool:
    found = row.get(condition.column)
    if condition.operator is Operator.IS_NULL:
        return (found is None) is bool(condition.value)
    return found is not None and _COMPARISONS[condition.operator](found, condition.value)


def _aggregate_rows(aggregate: Aggregate, rows: Sequence[Values]) -> Any:
    if aggregate.column is None:
        return len(rows)
    found = [row[aggregate.column] for row in rows if row.get(aggregate.column) is not None]
    if aggregate.function is Function.COUNT:
        return len(found)
    if not found:
        return None
    if aggregate.function in (Function.MIN, Function.MAX):
        return (min if aggregate.function is Function.MIN else max)(found)
    # `fsum` rounds once, so the order of rows and the version of Python do not matter.
    total = fsum(found)
    return total if aggregate.function is Function.SUM else total / len(found)
