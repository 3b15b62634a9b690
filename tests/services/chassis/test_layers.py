"""Layers carried from one stack to another: read as what they add up to, written into one, strange rows refused."""

from dataclasses import replace
from typing import Any

import pytest

from tests.live_services import Desk, World

BASE = [{"id": f"B-{number}", "text": f"base {number}"} for number in range(3)]
OUTCOME = {"id": "s1", "digest": "d", "status": 200, "body": None, "effects": {}, "deleted": False}


async def excerpt(world: World, **changed: Any) -> list[dict[str, Any]]:
    """Return all pages of what a world's layers add up to above its base."""
    desk, chain = world.desk, list(world.context.chain)
    body: dict[str, Any] = {"base": f"base{-chain[0]}", "chain": chain, "after": None, **changed}
    rows: list[dict[str, Any]] = []
    while True:
        answer = await desk.client.post("/admin/layers/export", json=body, headers=desk.admin)
        answer.raise_for_status()
        page = answer.json()
        rows += page["rows"]
        if page["after"] is None:
            return rows
        assert len(page["rows"]) == body.get("limit", 100)
        body["after"] = page["after"]


async def load(desk: Desk, layer: int, rows: Any) -> tuple[int, str]:
    """Write rows into a layer and return status and what was said."""
    answer = await desk.client.post(
        "/admin/layers/import", json={"layer": layer, "rows": rows}, headers=desk.admin
    )
    return answer.status_code, answer.text


def by_table(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in rows:
        found.setdefault(line["table"], []).append(line["row"])
    return found


async def written_world(notebook: Desk) -> World:
    """Return a world of two layers, with rows written, rewritten, removed and due."""
    world = await notebook.world({"notes": BASE})
    await world.post("/notes", json={"text": "Zoë's “note”"})
    await world.call("DELETE", "/notes/B-1")
    await world.post("/notes/B-2/remind")
    context = world.context
    world.context = replace(
        context, world=context.layer + 10**6, chain=(*context.chain, context.layer + 10**6)
    )
    await world.patch("/notes/B-0", json={"text": "rewritten"})
    await world.post("/notes", json={"text": "above"})
    return world


async def moved(world: World) -> World:
    """Return a world that goes on above a copy of another's layers in one layer of its own."""
    other = await world.desk.world({"notes": BASE})
    layer = other.context.layer
    assert (await load(world.desk, layer, by_table(await excerpt(world))))[0] == 204
    above = layer + 10**6
    context = replace(world.context, world=above, chain=(*other.context.chain, above))
    return World(world.desk, context, world.steps)


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_layers_written_elsewhere_hold_what_they_held(notebook: Desk, limit: int) -> None:
    world = await written_world(notebook)

    copy = await moved(world)

    assert await copy.rows("notes") == await world.rows("notes")
    assert await excerpt(replace_chain(copy), limit=limit) == await excerpt(world)
    assert {line["table"] for line in await excerpt(world)} == {
        "notes",
        "world_counters",
        "world_due",
        "world_outcomes",
    }


def replace_chain(world: World) -> World:
    """Return the world as its frozen layers are, without the one it writes."""
    return World(world.desk, replace(world.context, chain=world.context.chain[:-1]), world.steps)


async def test_counters_outcomes_and_what_is_due_go_on(notebook: Desk) -> None:
    world = await written_world(notebook)
    again = replace(world.context)

    copy = await moved(world)
    copied = World(notebook, replace(again, world=copy.context.world, chain=copy.context.chain))
    repeated = await notebook.client.post(
        "/notes", json={"text": "above"}, headers=copied.headers(copied.context)
    )
    new = await copy.post("/notes", json={"text": "new"})
    await copy.advance(3600)

    assert repeated.json()["id"] == "N-0002"
    assert new.json()["id"] == "N-0003"
    assert (await copy.rows("notes"))["B-2"]["tags"] == ["reminded at 3600"]


async def test_ids_come_in_order_of_their_code_points(notebook: Desk) -> None:
    keys = ["a", "B", "é", "Z", "_", "ä", "aa", "\U0001f600", "Ω"]
    other = await notebook.world({})
    counters = [{"id": key, "value": 1, "deleted": False} for key in keys]
    assert (await load(notebook, other.context.layer, {"world_counters": counters}))[0] == 204

    read = [line["row"]["id"] for line in await excerpt(other, limit=2)]

    assert read == sorted(keys)


async def test_a_call_repeated_changes_nothing_and_overwrites_nothing(notebook: Desk) -> None:
    world = await notebook.world({})
    await load(notebook, world.context.layer, {"world_outcomes": [OUTCOME]})

    again = await load(notebook, world.context.layer, {"world_outcomes": [{**OUTCOME, "status": 500}]})

    assert again[0] == 204
    assert [line["row"] for line in await excerpt(world)] == [OUTCOME]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"zoo": []}, "no table"),
        ({"outbox": []}, "no table"),
        ({"world_outcomes": [{**OUTCOME, "layer_id": 1}]}, "layer_id"),
        ({"world_outcomes": [{**OUTCOME, "status": "200"}]}, "status"),
        ({"world_outcomes": [{**OUTCOME, "status": True}]}, "status"),
        ({"world_outcomes": [{**OUTCOME, "status": 2**70}]}, "stored"),
        ({"world_outcomes": [{**OUTCOME, "digest": None}]}, "digest"),
        ({"world_outcomes": [{**OUTCOME, "digest": "a\0b"}]}, "stored"),
        ({"world_outcomes": [{**OUTCOME, "effects": []}]}, "effects"),
        ({"world_outcomes": [{**OUTCOME, "deleted": None}]}, "deleted"),
        ({"world_outcomes": [{**OUTCOME, "id": ""}]}, "id"),
        ({"world_outcomes": [{"id": "s1"}]}, "digest"),
        ({"world_outcomes": ["s1"]}, "object"),
        ({"world_outcomes": OUTCOME}, "list"),
        ([], "object"),
    ],
)
async def test_rows_that_no_service_could_have_written_are_refused(
    notebook: Desk, rows: Any, said: str
) -> None:
    world = await notebook.world({})

    status, text = await load(notebook, world.context.layer, rows)

    assert status == 422
    assert said in text
    assert await excerpt(world) == []


@pytest.mark.parametrize("layer", [0, -1, 2**63])
async def test_only_a_layer_above_a_base_can_be_written(notebook: Desk, layer: int) -> None:
    status, _ = await load(notebook, layer, {"world_outcomes": [OUTCOME]})

    assert status == 422


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"base": "another"}, 404, "base_unknown"),
        ({"chain": [-7, 9]}, 409, "base_conflict"),
        ({"chain": [7, 9]}, 422, "invalid_request"),
        ({"chain": [-7, 9, 8]}, 422, "invalid_request"),
        ({"chain": []}, 422, "invalid_request"),
        ({"limit": 101}, 422, "invalid_request"),
    ],
)
async def test_only_a_chain_above_its_base_can_be_read(
    notebook: Desk, changed: dict[str, Any], status: int, code: str
) -> None:
    world = await notebook.world({})
    chain = list(world.context.chain)
    body = {"base": f"base{-chain[0]}", "chain": chain, **changed}

    answer = await notebook.client.post("/admin/layers/export", json=body, headers=notebook.admin)

    assert (answer.status_code, answer.json()["type"]) == (status, code)


@pytest.mark.parametrize("route", ["export", "import"])
async def test_both_want_the_admin_token(notebook: Desk, route: str) -> None:
    answer = await notebook.client.post(f"/admin/layers/{route}", json={})

    assert (answer.status_code, answer.json()["type"]) == (401, "admin_token_required")


@pytest.mark.parametrize(
    "body",
    [{"chain": [-1, 2], "into": 3}, {"chain": [2, 1], "into": 3}, {"chain": [2], "into": 2}, {"chain": []}],
)
async def test_only_layers_above_a_base_are_folded_and_only_upwards(
    notebook: Desk, body: dict[str, object]
) -> None:
    answer = await notebook.client.post("/admin/layers/fold", json=body, headers=notebook.admin)

    assert answer.status_code == 422
