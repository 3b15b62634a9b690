"""Assets change hands, and clearances are read."""

from typing import Any

import pytest

from tests.live_services import Desk

from .company import person, start

Row = dict[str, Any]


def asset(number: int, holder: str | None = None, asset_class: str = "A") -> Row:
    return {"id": f"AST-{number}", "name": f"Key {number}", "asset_class": asset_class, "holder": holder}


async def test_an_asset_goes_from_hand_to_hand_and_back_to_the_pool(datahub: Desk) -> None:
    world = await start(datahub, people=[person("ana.lopez"), person("ben.okafor")], assets=[asset(1)])

    taken = await world.post("/assets/AST-1/assign", json={"person_id": "ana.lopez"})
    handed = await world.post("/assets/AST-1/assign", json={"person_id": "ben.okafor"})
    returned = await world.post("/assets/AST-1/return")

    assert [one.json()["holder"] for one in (taken, handed, returned)] == ["ana.lopez", "ben.okafor", None]
    names = [(event["name"], event["payload"].get("previous")) for event in await world.events()]
    assert names == [
        ("asset.assigned", None),
        ("asset.assigned", "ana.lopez"),
        ("asset.returned", "ben.okafor"),
    ]
    history = await world.rows("changes")
    assert [history[f"AST-1@{version}"]["action"] for version in (2, 3, 4)] == [
        "assigned",
        "assigned",
        "returned",
    ]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/assets/AST-9/assign", {"person_id": "ana.lopez"}, "asset_unknown"),
        ("/assets/AST-1/assign", {"person_id": "nobody"}, "person_unknown"),
        ("/assets/AST-1/assign", {"person_id": "ana.lopez"}, "already_holder"),
        ("/assets/AST-2/return", None, "asset_in_pool"),
    ],
)
async def test_invalid_asset_transfer_is_refused_and_changes_nothing(
    datahub: Desk, path: str, body: Row | None, code: str
) -> None:
    world = await start(
        datahub, people=[person("ana.lopez")], assets=[asset(1, holder="ana.lopez"), asset(2)]
    )

    answer = await world.post(path, **({"json": body} if body else {}))

    assert answer.json()["type"] == code
    assert await world.events() == []


async def test_a_clearance_is_read_by_person(datahub: Desk) -> None:
    world = await start(datahub, clearances=[{"id": "ana.lopez", "level": 3}])

    known, unknown = await world.get("/clearances/ana.lopez"), await world.get("/clearances/ben.okafor")

    assert known.json() == {"id": "ana.lopez", "level": 3, "version": 1}
    assert (unknown.json()["type"], unknown.json()["remedy"]) == ("clearance_unknown", "datahub_list_people")
