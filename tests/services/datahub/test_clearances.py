"""Clearances that automations raise and lower, what is recorded of them, and the lists of assets."""

from typing import Any

import pytest

from services.datahub.assets.domain import HIGHEST
from tests.live_services import Desk, World

from .company import NOW, Row, person, published, start

ANA = "ana.lopez"


def asset(number: int, holder: str | None = None, **changes: Any) -> Row:
    return {"id": f"AST-{number}", "name": f"Key {number}", "asset_class": "A", "holder": holder, **changes}


def moves(by: int) -> Row:
    """Whoever is given an asset is cleared for as many levels more."""
    rule = {"id": "AUT-1", "name": "Key", "description": "A key changes the clearance.", "number": 1}
    do = {"action": "change_clearance", "with": {"person": "$holder", "by": by}}
    return {**rule, "trigger": "asset.assigned", "when": [], "do": do}


async def moved(datahub: Desk, *, by: int, clearances: list[Row]) -> World:
    """Return a world in which Ana was given a key, and her clearance has moved by some levels if it can."""
    tables = {"people": [person(ANA)], "assets": [asset(1)], "automations": [moves(by)]}
    world = await start(datahub, clearances=clearances, **tables)
    effects = await world.effects("POST", "/assets/AST-1/assign", json={"person_id": ANA})
    await world.applied(effects["events"][-1]["id"])
    return world


@pytest.mark.parametrize(
    ("level", "by", "reached", "action"),
    [
        (3, -1, 2, "lowered"),
        (1, -1, 0, "lowered"),
        (2, -HIGHEST, 0, "lowered"),
        (0, 1, 1, "raised"),
        (4, 1, HIGHEST, "raised"),
        (3, HIGHEST, HIGHEST, "raised"),
    ],
)
async def test_a_clearance_moves_between_zero_and_the_highest_level(
    datahub: Desk, level: int, by: int, reached: int, action: str
) -> None:
    world = await moved(datahub, by=by, clearances=[{"id": ANA, "level": level, "version": 4}])

    clearance = (await world.get(f"/clearances/{ANA}")).json()
    assert (clearance["level"], clearance["version"]) == (reached, 5)
    assert (await world.rows("changes"))[f"clearance:{ANA}@5"] == {
        "id": f"clearance:{ANA}@5",
        "object_id": f"clearance:{ANA}",
        "version": 5,
        "at": NOW,
        "actor": "AUT-1",
        "action": action,
        "before": {"level": level},
        "after": {"level": reached},
    }
    assert await published(world, "clearance.changed") == [
        {"person_id": ANA, "before": level, "level": reached, "version": 5}
    ]


@pytest.mark.parametrize(("level", "by"), [(0, -1), (HIGHEST, 1), (3, 0)])
async def test_a_clearance_that_cannot_move_further_is_neither_recorded_nor_announced(
    datahub: Desk, level: int, by: int
) -> None:
    world = await moved(datahub, by=by, clearances=[{"id": ANA, "level": level}])

    assert (await world.get(f"/clearances/{ANA}")).json() == {"id": ANA, "level": level, "version": 1}
    assert list(await world.rows("changes")) == ["AST-1@2"]
    assert await published(world, "clearance.changed") == []


async def test_an_automation_about_a_person_without_a_clearance_comes_to_nothing(datahub: Desk) -> None:
    world = await moved(datahub, by=1, clearances=[{"id": "ben.okafor", "level": 2}])

    assert {key: row["level"] for key, row in (await world.rows("clearances")).items()} == {"ben.okafor": 2}
    assert (await world.rows("assets"))["AST-1"]["holder"] == ANA


async def test_an_automation_takes_an_asset_back_in_its_own_name(datahub: Desk) -> None:
    back = {**moves(1), "do": {"action": "return_asset", "with": {"asset": "$asset_id"}}}
    tables = {"people": [person(ANA)], "assets": [asset(1)], "automations": [back]}
    world = await start(datahub, **tables)

    effects = await world.effects("POST", "/assets/AST-1/assign", json={"person_id": ANA})
    await world.applied(effects["events"][-1]["id"])

    assert (await world.rows("assets"))["AST-1"]["holder"] is None
    assert (await world.rows("changes"))["AST-1@3"]["actor"] == "AUT-1"


async def test_each_change_of_hands_is_recorded_with_the_holders_before_and_after(datahub: Desk) -> None:
    world = await start(datahub, people=[person(ANA)], assets=[asset(1, "ben.okafor", version=6)])

    taken = (await world.post("/assets/AST-1/assign", json={"person_id": ANA})).json()
    returned = (await world.post("/assets/AST-1/return")).json()

    assert (taken["version"], returned["version"]) == (7, 8)
    changes = await world.rows("changes")
    assert [(changes[f"AST-1@{n}"]["before"], changes[f"AST-1@{n}"]["after"]) for n in (7, 8)] == [
        ({"holder": "ben.okafor"}, {"holder": ANA}),
        ({"holder": ANA}, {"holder": None}),
    ]
    assert {changes[f"AST-1@{n}"]["object_id"] for n in (7, 8)} == {"AST-1"}
    assert {changes[f"AST-1@{n}"]["actor"] for n in (7, 8)} == {"alex.agent"}


async def test_an_assignment_is_announced_with_the_class_and_both_holders(datahub: Desk) -> None:
    world = await start(datahub, people=[person(ANA)], assets=[asset(1, "ben.okafor", asset_class="C")])

    await world.post("/assets/AST-1/assign", json={"person_id": ANA})
    await world.post("/assets/AST-1/return")

    told = {"asset_id": "AST-1", "asset_class": "C"}
    assert await published(world, "asset.assigned") == [
        {**told, "holder": ANA, "previous": "ben.okafor", "version": 2}
    ]
    assert await published(world, "asset.returned") == [{**told, "previous": ANA, "version": 3}]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["AST-1", "AST-2", "AST-3", "AST-4"]),
        ({"holder": ANA}, ["AST-1", "AST-2"]),
        ({"asset_class": "B"}, ["AST-2", "AST-4"]),
        ({"q": "key 3"}, ["AST-3"]),
        ({"q": "ast-4"}, ["AST-4"]),
        ({"q": "van", "asset_class": "A"}, []),
        ({"limit": "3"}, ["AST-1", "AST-2", "AST-3"]),
        ({"limit": "2", "cursor": "AST-2"}, ["AST-3", "AST-4"]),
        ({"holder": ANA, "cursor": "AST-1"}, ["AST-2"]),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
async def test_assets_are_found_by_holder_class_and_text_page_by_page(
    datahub: Desk, query: dict[str, str], found: list[str]
) -> None:
    assets = [
        asset(1, ANA),
        asset(2, ANA, asset_class="B"),
        asset(3),
        asset(4, asset_class="B", name="Van"),
    ]
    world = await start(datahub, people=[person(ANA)], assets=assets)

    listed = (await world.get("/assets", params=query)).json()

    assert [one["id"] for one in listed["items"]] == found


@pytest.mark.parametrize(
    ("path", "field", "remedy"),
    [
        ("/assets/AST-9/return", "asset_id", "datahub_list_assets"),
        ("/assets/AST-1/return", "asset_id", "datahub_assign_asset"),
    ],
    ids=["unknown", "in the pool"],
)
async def test_a_refused_return_names_the_asset_and_the_tool_that_helps(
    datahub: Desk, path: str, field: str, remedy: str
) -> None:
    world = await start(datahub, assets=[asset(1)])

    refused = (await world.post(path)).json()

    assert (refused["field"], refused["remedy"]) == (field, remedy)
