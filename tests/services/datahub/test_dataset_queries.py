"""The laws of dataset queries, and what their refusals and pages say."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.datahub.datasets.domain import Aggregate, Condition, Function, Operator, Select, SortKey
from tests.live_services import Desk, World

from .company import ORDERS, Row, orders, rows, start

REGIONS = ["north", "south", None]
orders_of_any_kind = st.lists(
    st.fixed_dictionaries(
        {
            "region": st.sampled_from(REGIONS),
            "booked": st.sampled_from([True, False, None]),
            "amount": st.none() | st.integers(-50, 50).map(float),
        }
    ),
    max_size=12,
)
CONDITIONS = [
    Condition("region", Operator.EQ, "north"),
    Condition("region", Operator.IS_NULL, False),
    Condition("amount", Operator.GE, 0),
    Condition("amount", Operator.LT, 25),
    Condition("booked", Operator.NE, True),
]
OPPOSITES = [
    (Operator.EQ, Operator.NE),
    (Operator.LT, Operator.GE),
    (Operator.GT, Operator.LE),
]
COUNT, SUM = Aggregate(Function.COUNT), Aggregate(Function.SUM, "amount")


async def ask(world: World, **query: Any) -> Any:
    return await world.post("/datasets/DS-0001/query", json=query)


async def opened(datahub: Desk) -> World:
    return await start(datahub, datasets=[orders()], dataset_rows=rows())


@given(orders_of_any_kind, st.permutations(CONDITIONS))
def test_the_order_of_conditions_does_not_matter(
    table: list[dict[str, Any]], conditions: Sequence[Condition]
) -> None:
    assert Select(where=conditions).run(table) == Select(where=CONDITIONS).run(table)


@given(orders_of_any_kind, st.sampled_from(OPPOSITES), st.integers(-50, 50))
def test_every_known_value_meets_a_condition_or_its_opposite_and_an_unknown_one_neither(
    table: list[dict[str, Any]], opposites: tuple[Operator, Operator], bound: int
) -> None:
    first, second = (len(Select([Condition("amount", one, bound)]).run(table)) for one in opposites)

    assert first + second == sum(row["amount"] is not None for row in table)


@given(orders_of_any_kind)
def test_a_value_is_null_or_it_is_not(table: list[dict[str, Any]]) -> None:
    null, known = (
        Select([Condition("amount", Operator.IS_NULL, wanted)]).run(table) for wanted in (True, False)
    )

    assert len(null) + len(known) == len(table)
    assert all(row["amount"] is None for row in null)


@given(orders_of_any_kind)
def test_groups_divide_the_rows_and_their_sums(table: list[dict[str, Any]]) -> None:
    groups = Select(group_by=["region", "booked"], aggregates=[COUNT, SUM]).run(table)

    assert sum(group["count"] for group in groups) == len(table)
    assert sum(group["sum_amount"] or 0 for group in groups) == sum(row["amount"] or 0 for row in table)
    assert len({(group["region"], group["booked"]) for group in groups}) == len(groups)


@given(orders_of_any_kind)
def test_a_group_without_a_known_value_has_no_sum_and_counts_no_value(table: list[dict[str, Any]]) -> None:
    counted = Aggregate(Function.COUNT, "amount")
    for group in Select(group_by=["region"], aggregates=[SUM, counted]).run(table):
        assert (group["sum_amount"] is None) == (group["count_amount"] == 0)


@given(orders_of_any_kind, st.booleans())
def test_sorting_keeps_equal_rows_in_their_order_and_unknown_ones_last(
    table: list[dict[str, Any]], descending: bool
) -> None:
    numbered = [{**row, "number": number} for number, row in enumerate(table)]

    found = Select(sort=[SortKey("amount", descending)]).run(numbered)

    sign = -1 if descending else 1
    keys = [(row["amount"] is None, sign * (row["amount"] or 0), row["number"]) for row in found]
    assert keys == sorted(keys)


@given(orders_of_any_kind)
def test_of_several_sort_keys_the_first_counts_most(table: list[dict[str, Any]]) -> None:
    known = [row for row in table if None not in row.values()]

    found = Select(sort=[SortKey("region"), SortKey("amount", descending=True)]).run(known)

    assert found == sorted(known, key=lambda row: (row["region"], -row["amount"]))


def test_groups_with_an_unknown_part_come_after_those_with_the_same_known_one() -> None:
    table = [{"a": a, "b": b} for a in (None, "y", "x") for b in (None, 2, 1)]

    found = Select(group_by=["a", "b"]).run(table)

    assert [tuple(row.values()) for row in found] == [
        *(("x", 1), ("x", 2), ("x", None)),
        *(("y", 1), ("y", 2), ("y", None)),
        *((None, 1), (None, 2), (None, None)),
    ]


async def test_a_result_that_ends_with_its_page_has_no_next_one(datahub: Desk) -> None:
    world = await opened(datahub)

    full, short = (await ask(world, limit=6)).json(), (await ask(world, limit=5)).json()

    assert (len(full["rows"]), full["next_cursor"]) == (len(ORDERS), None)
    assert (short["next_cursor"], short["total"]) == ("5", len(ORDERS))


async def test_a_place_that_no_page_ends_at_is_refused(datahub: Desk) -> None:
    world = await opened(datahub)
    cursors = ("0", "6", "999999999", "x", "-1", "1e3", "٣")

    refused = [await ask(world, cursor=cursor) for cursor in cursors]

    assert [(one.status_code, one.json()["type"]) for one in refused] == [(422, "cursor_unknown")] * 7


async def test_pages_of_groups_make_the_whole_result(datahub: Desk) -> None:
    world = await opened(datahub)
    query = {"group_by": ["day"], "aggregates": [{"function": "COUNT"}]}
    whole = (await ask(world, **query)).json()

    found: list[Row] = []
    cursor: str | None = ""
    while cursor is not None:
        told = (await ask(world, **query, limit=1, cursor=cursor)).json()
        found, cursor = [*found, *told["rows"]], told["next_cursor"]

    assert found == whole["rows"]
    assert [row["count"] for row in found] == [1, 2, 2, 1]


@pytest.mark.parametrize(
    ("aggregate", "said"),
    [
        ({"function": "sum", "column": "day"}, "'sum' does not fit the column day."),
        ({"function": "sum"}, "'sum' does not fit the column that is missing."),
    ],
    ids=["date", "no column"],
)
async def test_a_function_that_does_not_fit_is_named_with_its_column(
    datahub: Desk, aggregate: Row, said: str
) -> None:
    refused = (await ask(await opened(datahub), aggregates=[aggregate])).json()

    assert refused["detail"].startswith(said)


async def test_after_grouping_only_the_result_can_be_sorted_by(datahub: Desk) -> None:
    grouped = {"group_by": ["region"], "aggregates": [{"function": "sum", "column": "amount"}]}

    refused = (await ask(await opened(datahub), **grouped, sort=[{"column": "amount"}])).json()

    assert refused["allowed_values"] == ["region", "sum_amount"]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ({"column": "amount", "value": "12"}, "a number."),
        ({"column": "region", "value": 12}, "a text."),
        ({"column": "booked", "value": 1}, "true or false."),
        ({"column": "day", "value": 1}, "a date or time as ISO 8601 text."),
        ({"column": "day", "op": "in", "value": [1]}, "a list, each item a date or time as ISO 8601 text."),
        ({"column": "day", "op": "is_null", "value": "yes"}, "true or false."),
    ],
    ids=["number", "text", "boolean", "date", "list", "null"],
)
async def test_a_value_of_another_type_is_refused_with_the_type_that_fits(
    datahub: Desk, condition: Row, wanted: str
) -> None:
    refused = (await ask(await opened(datahub), where=[condition])).json()

    assert refused["detail"] == f"The value compared with {condition['column']} must be {wanted}"
