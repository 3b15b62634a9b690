"""The walls PostgreSQL itself keeps, tried on worlds of a running service; `test_catalog` reads them all."""

import psycopg
import pytest

from tests.live_services import Desk


def as_service(desk: Desk, layer: int | None, statement: str) -> None:
    with psycopg.connect(desk.databases.url("notebook")) as connection:
        if layer is not None:
            connection.execute("SELECT set_config('app.layer', %s, true)", (str(layer),))
        connection.execute(statement)  # type: ignore[arg-type]


async def test_a_change_does_not_reach_another_worlds_rows(notebook: Desk) -> None:
    world = await notebook.world()
    await world.post("/notes", json={"text": "mine"})

    as_service(notebook, 999_999_999, "UPDATE notebook.notes SET text = 'theirs'")
    as_service(notebook, 999_999_999, "DELETE FROM notebook.notes")

    assert [row["text"] for row in (await world.rows("notes")).values()] == ["mine"]


async def test_a_base_is_frozen_even_for_its_own_layer(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "as generated"}]})
    base = world.context.chain[0]

    for statement in ("UPDATE notebook.notes SET text = 'changed'", "DELETE FROM notebook.notes"):
        with pytest.raises(psycopg.errors.RaiseException, match="frozen"):
            as_service(notebook, base, statement)


@pytest.mark.parametrize(
    "body",
    [{"chain": [-1, 2], "into": 3}, {"chain": [2, 1], "into": 3}, {"chain": [2], "into": 2}, {"chain": []}],
)
async def test_only_layers_above_a_base_are_folded_and_only_upwards(
    notebook: Desk, body: dict[str, object]
) -> None:
    answer = await notebook.client.post("/admin/layers/fold", json=body, headers=notebook.admin)

    assert answer.status_code == 422
