"""Datasets: what they hold, and queries over their rows."""

from typing import Any

import httpx
import pytest

from companyos.sdk.simtime import DAY, to_iso
from tests.live_services import Desk, World

from .company import COLUMNS, NOW, Row, orders, rows, start


async def world_with_orders(datahub: Desk) -> World:
    other = orders(id="DS-0002", name="returns", description="Goods that came back.", metrics=[])
    return await start(datahub, datasets=[orders(), other], dataset_rows=[*rows(), *rows("DS-0002")])


async def ask(world: World, **query: Any) -> httpx.Response:
    return await world.post("/datasets/DS-0001/query", json=query)


async def answer(world: World, **query: Any) -> Row:
    told = await ask(world, **query)
    assert told.status_code == 200, told.text
    found: Row = told.json()
    return found


def named(told: Row) -> list[str]:
    return [row["order"] for row in told["rows"]]


async def test_datasets_are_listed_and_found_by_text(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    every = (await world.get("/datasets")).json()
    found = (await world.get("/datasets", params={"q": "CAME BACK"})).json()

    assert [one["id"] for one in every["items"]] == ["DS-0001", "DS-0002"]
    assert [one["id"] for one in found["items"]] == ["DS-0002"]
    assert every["items"][0]["metrics"] == ["MET-0104"]
    assert "columns" not in every["items"][0]


async def test_a_dataset_says_what_its_columns_are_and_when_it_was_loaded(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    told = (await world.get("/datasets/DS-0001")).json()

    assert told["columns"] == COLUMNS
    assert told["loaded_at"] == to_iso(NOW - DAY)


async def test_without_conditions_a_query_returns_the_rows_in_their_order_page_by_page(
    datahub: Desk,
) -> None:
    world = await world_with_orders(datahub)

    first = await answer(world, limit=4)
    rest = await answer(world, limit=4, cursor=first["next_cursor"])

    assert (named(first), named(rest)) == (["O-1", "O-2", "O-3", "O-4"], ["O-5", "O-6"])
    assert (first["total"], rest["next_cursor"]) == (6, None)
    assert first["columns"] == [column["name"] for column in COLUMNS]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ({"column": "region", "value": "south"}, ["O-3", "O-4"]),
        ({"column": "region", "op": "NE", "value": "south"}, ["O-1", "O-2", "O-6"]),
        ({"column": "region", "op": "in", "value": ["south", "east"]}, ["O-3", "O-4"]),
        ({"column": "order", "op": "contains", "value": "o-1"}, ["O-1"]),
        ({"column": "amount", "op": "ge", "value": 12.5}, ["O-3", "O-4"]),
        ({"column": "amount", "op": "lt", "value": 1}, ["O-1", "O-2", "O-6"]),
        ({"column": "amount", "op": "gt", "value": 12.5}, ["O-3"]),
        ({"column": "amount", "op": "in", "value": [30, 12.5]}, ["O-3", "O-4"]),
        ({"column": "amount", "op": "is_null", "value": True}, ["O-5"]),
        ({"column": "region", "op": "is_null", "value": False}, ["O-1", "O-2", "O-3", "O-4", "O-6"]),
        ({"column": "booked", "value": False}, ["O-3", "O-6"]),
        ({"column": "day", "op": "le", "value": "2031-01-05"}, ["O-1", "O-2", "O-3"]),
    ],
)
async def test_a_condition_keeps_the_rows_that_meet_it(
    datahub: Desk, condition: Row, kept: list[str]
) -> None:
    world = await world_with_orders(datahub)

    assert named(await answer(world, where=[condition])) == kept


async def test_all_conditions_have_to_hold(datahub: Desk) -> None:
    world = await world_with_orders(datahub)
    conditions = [{"column": "region", "value": "north"}, {"column": "booked", "value": True}]

    assert named(await answer(world, where=conditions)) == ["O-1", "O-2"]


async def test_aggregates_without_groups_are_one_row_exact_and_without_nulls(datahub: Desk) -> None:
    world = await world_with_orders(datahub)
    functions = ("sum", "avg", "min", "max", "count")

    told = await answer(
        world,
        where=[{"column": "amount", "op": "lt", "value": 1}],
        aggregates=[{"function": "count"}, *({"function": one, "column": "amount"} for one in functions)],
    )

    assert told["rows"] == [
        {
            "count": 3,
            "sum_amount": 0.6,
            "avg_amount": 0.19999999999999998,
            "min_amount": 0.1,
            "max_amount": 0.3,
            "count_amount": 3,
        }
    ]


async def test_groups_come_in_the_order_of_their_columns_and_unknown_last(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    told = await answer(
        world, group_by=["region", "booked"], aggregates=[{"function": "sum", "column": "amount"}]
    )

    assert [tuple(row.values()) for row in told["rows"]] == [
        ("north", False, 0.3),
        ("north", True, 0.30000000000000004),
        ("south", False, 30.0),
        ("south", True, 12.5),
        (None, True, None),
    ]
    assert told["columns"] == ["region", "booked", "sum_amount"]


async def test_groups_without_aggregates_are_the_distinct_values(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    told = await answer(world, group_by=["region"])

    assert told["rows"] == [{"region": "north"}, {"region": "south"}, {"region": None}]


async def test_a_query_over_no_rows_counts_nothing_and_sums_nothing(datahub: Desk) -> None:
    world = await world_with_orders(datahub)
    nowhere = [{"column": "region", "value": "west"}]
    both = [{"function": "count"}, {"function": "sum", "column": "amount"}]

    assert (await answer(world, where=nowhere, aggregates=both))["rows"] == [{"count": 0, "sum_amount": None}]
    assert (await answer(world, where=nowhere, group_by=["region"], aggregates=both))["rows"] == []


async def test_a_result_is_sorted_by_several_columns_with_unknown_last_either_way(datahub: Desk) -> None:
    world = await world_with_orders(datahub)
    by_region = {"column": "region", "descending": True}

    told = await answer(world, sort=[by_region, {"column": "amount", "descending": False}])
    down = await answer(world, sort=[{"column": "amount", "descending": True}])

    assert named(told) == ["O-4", "O-3", "O-1", "O-2", "O-6", "O-5"]
    assert named(down) == ["O-3", "O-4", "O-6", "O-2", "O-1", "O-5"]


async def test_groups_are_sorted_by_an_aggregate(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    told = await answer(
        world,
        group_by=["day"],
        aggregates=[{"function": "max", "column": "amount"}],
        sort=[{"column": "max_amount", "descending": True}],
        limit=2,
    )

    assert [row["day"] for row in told["rows"]] == ["2031-01-05", "2031-01-06"]
    assert (told["total"], told["next_cursor"]) == (4, "2")


@pytest.mark.parametrize(
    ("query", "code", "allowed"),
    [
        ({"where": [{"column": "colour", "value": 1}]}, "column_unknown", "amount"),
        ({"group_by": ["colour"]}, "column_unknown", "amount"),
        ({"aggregates": [{"function": "sum", "column": "colour"}]}, "column_unknown", "amount"),
        ({"sort": [{"column": "colour"}]}, "column_unknown", "amount"),
        ({"group_by": ["day"], "sort": [{"column": "amount"}]}, "column_unknown", "day"),
        (
            {"where": [{"column": "region", "op": "gt", "value": "a"}]},
            "operator_not_allowed",
            "contains",
        ),
        (
            {"where": [{"column": "amount", "op": "contains", "value": "1"}]},
            "operator_not_allowed",
            "ge",
        ),
        ({"aggregates": [{"function": "sum", "column": "day"}]}, "operator_not_allowed", "max"),
        ({"aggregates": [{"function": "avg", "column": "region"}]}, "operator_not_allowed", "count"),
        ({"aggregates": [{"function": "sum"}]}, "operator_not_allowed", "count"),
    ],
)
async def test_a_query_that_does_not_fit_is_refused_with_what_would(
    datahub: Desk, query: Row, code: str, allowed: str
) -> None:
    refused = await ask(await world_with_orders(datahub), **query)

    assert (refused.status_code, refused.json()["type"]) == (422, code)
    assert refused.json()["field"] == list(query)[-1]
    assert allowed in refused.json()["allowed_values"]


@pytest.mark.parametrize(
    "condition",
    [
        {"column": "amount", "value": "12"},
        {"column": "amount", "value": True},
        {"column": "amount", "value": None},
        {"column": "amount", "op": "in", "value": 12},
        {"column": "amount", "op": "in", "value": [12, "a"]},
        {"column": "region", "value": 12},
        {"column": "region", "value": ["north"]},
        {"column": "booked", "value": 1},
        {"column": "amount", "op": "is_null", "value": "yes"},
    ],
)
async def test_a_value_of_another_type_is_refused(datahub: Desk, condition: Row) -> None:
    refused = await ask(await world_with_orders(datahub), where=[condition])

    assert (refused.status_code, refused.json()["type"]) == (422, "value_not_allowed")
    assert refused.json()["field"] == "where"


@pytest.mark.parametrize(
    "query",
    [
        {"where": [{"column": "amount"}] * 11},
        {"where": [{"column": "amount", "op": "like", "value": "1"}]},
        {"group_by": ["region"] * 5},
        {"limit": 201},
        {"limit": 0},
        {"select": ["amount"]},
        {"where": [{"column": "region", "op": "in", "value": ["a"] * 51}]},
    ],
)
async def test_a_query_beyond_its_bounds_is_refused(datahub: Desk, query: Row) -> None:
    refused = await ask(await world_with_orders(datahub), **query)

    assert (refused.status_code, refused.json()["type"]) == (422, "invalid_request")


async def test_a_dataset_that_does_not_exist_is_refused(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    for refused in (await world.get("/datasets/DS-9"), await world.post("/datasets/DS-9/query", json={})):
        assert (refused.status_code, refused.json()["type"]) == (404, "dataset_unknown")


async def test_a_query_changes_nothing(datahub: Desk) -> None:
    world = await world_with_orders(datahub)

    effects = await world.effects("POST", "/datasets/DS-0001/query", json={"limit": 1})

    assert (effects["changes"], effects["events"]) == ([], [])
