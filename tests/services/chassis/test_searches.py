"""Full-text search over a world: its live rows as they are now, best first, and those of no other world."""

from dataclasses import replace

import pytest
from psycopg import AsyncConnection

from companyos.chassis import searching
from companyos.chassis.world.statements import chain_parameters
from tests.live_services import Desk, World

from .notebook import Note


async def found(world: World, q: str) -> list[str]:
    answer = await world.get(f"/notes/found/{q}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] == len(answer.json()["items"])
    return [note["id"] for note in answer.json()["items"]]


async def test_a_search_sees_rows_as_they_are_now(notebook: Desk) -> None:
    base = [
        {"id": "N-1", "text": "buy milk"},
        {"id": "N-2", "text": "sell milk"},
        {"id": "N-3", "text": "milk"},
    ]
    world = await notebook.world({"notes": base})

    await world.patch("/notes/N-1", json={"text": "buy bread"})
    await world.call("DELETE", "/notes/N-2")
    await world.post("/notes", json={"text": "milk the cow"})

    assert await found(world, "milk") == ["N-0004", "N-3"]
    assert await found(world, "bread") == ["N-1"]


async def test_a_search_reads_a_chain_of_layers_and_nothing_else(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "buy milk"}]})
    other = await notebook.world({"notes": [{"id": "N-9", "text": "buy milk"}]})
    await world.patch("/notes/N-1", json={"text": "buy oat milk"})

    base, layer = world.context.chain
    fork = World(
        notebook, replace(world.context, world=layer + 10**9, chain=(base, layer, layer + 10**9)), world.steps
    )
    await fork.post("/notes", json={"text": "oat flakes"})

    assert await found(fork, "oat") == ["N-0002", "N-1"]
    assert await found(world, "oat") == ["N-1"]
    assert await found(other, "milk") == ["N-9"]


@pytest.mark.parametrize("q", ["'", "' | '", "!", "( & )", " 12", '" 12"', "a:*", "layer_id", "%s"])
async def test_no_query_is_an_error_or_reaches_beyond_the_text(notebook: Desk, q: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "12 eggs"}]})

    assert await found(world, q) in ([], ["N-1"] if "12" in q else [])


async def test_the_topic_counts_for_more_than_the_text(notebook: Desk) -> None:
    notes = [
        {"id": "N-1", "topic": "food", "text": "milk milk milk"},
        {"id": "N-2", "topic": "milk", "text": "where to buy it"},
    ]
    world = await notebook.world({"notes": notes})

    assert await found(world, "milk") == ["N-2", "N-1"]


async def test_a_search_reads_the_rows_of_its_own_layers_only(notebook: Desk) -> None:
    notes = [{"id": f"N-{number}", "text": f"note {number} about milk"} for number in range(300)]
    for _ in range(3):
        world = await notebook.world({"notes": notes})
    query = searching(Note)
    bound = {**query.constants, **chain_parameters(world.context.chain), "q": "9", "after": "", "limit": 5}
    async with await AsyncConnection.connect(notebook.databases.admin_url) as connection:
        await connection.execute("ANALYZE notebook.notes")
    async with await AsyncConnection.connect(notebook.databases.url("notebook")) as connection:
        lines = await (await connection.execute(f"EXPLAIN {query.sql}", bound)).fetchall()

    plan = "\n".join(line for (line,) in lines)
    assert "Index Cond: (layer_id" in plan
    assert "Seq Scan on notes" not in plan
