"""The walls PostgreSQL itself keeps: own layer only, frozen bases, and no more rights than a service needs."""

import psycopg
import pytest

from companyos.chassis.testing import Desk

WORLD_TABLES = """
SELECT c.oid, n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'layer_id')
"""


def as_admin(desk: Desk, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(desk.databases.admin_url) as connection:
        return connection.execute(statement).fetchall()  # type: ignore[arg-type]


def as_service(desk: Desk, layer: int | None, statement: str) -> None:
    with psycopg.connect(desk.databases.url("notebook")) as connection:
        if layer is not None:
            connection.execute("SELECT set_config('app.layer', %s, true)", (str(layer),))
        connection.execute(statement)  # type: ignore[arg-type]


async def test_every_world_table_has_the_layer_first_in_its_key(notebook: Desk) -> None:
    keys = as_admin(
        notebook,
        f"SELECT w.name, (SELECT attname FROM pg_attribute WHERE attrelid = w.oid AND attnum = i.indkey[0]) "
        f"FROM ({WORLD_TABLES}) w LEFT JOIN pg_index i ON i.indrelid = w.oid AND i.indisprimary",
    )

    assert keys
    assert {column for _, column in keys} == {"layer_id"}


async def test_every_world_table_restricts_writes_to_the_own_layer(notebook: Desk) -> None:
    tables = as_admin(
        notebook,
        f"SELECT w.name, c.relrowsecurity, (SELECT array_agg(p.polcmd::text ORDER BY p.polcmd::text) "
        f"FROM pg_policy p WHERE p.polrelid = w.oid) FROM ({WORLD_TABLES}) w JOIN pg_class c ON c.oid = w.oid",
    )

    assert tables
    assert all(secured and commands == ["a", "d", "r", "w"] for _, secured, commands in tables), tables


async def test_a_services_role_owns_nothing_and_bypasses_nothing(notebook: Desk) -> None:
    roles = as_admin(
        notebook,
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = 'notebook'",
    )
    owned = as_admin(
        notebook,
        "SELECT c.relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE r.rolname = 'notebook'",
    )

    assert roles == [(False, False, False, False)]
    assert owned == []


@pytest.mark.parametrize("layer", [None, 999_999_998])
async def test_a_row_cannot_be_added_to_a_layer_that_is_not_being_written(
    notebook: Desk, layer: int | None
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        as_service(
            notebook,
            layer,
            "INSERT INTO notebook.notes (layer_id, id, text, tags, weight, version) "
            "VALUES (999999999, 'N-1', '', '[]', 1, 1)",
        )


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


async def test_a_connection_returns_to_the_pool_without_a_world(notebook: Desk) -> None:
    world = await notebook.world()
    await world.post("/notes", json={"text": "done"})
    await world.post("/notes", json={"text": 1})
    await world.post("/notes/N-9/remind")

    pool = notebook.app.state.database.pool
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT coalesce(current_setting('app.layer', true), '')")
        assert await cursor.fetchone() == ("",)
    locks = as_admin(notebook, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")
    assert locks == []


@pytest.mark.parametrize(
    "body",
    [{"chain": [-1, 2], "into": 3}, {"chain": [2, 1], "into": 3}, {"chain": [2], "into": 2}, {"chain": []}],
)
async def test_only_layers_above_a_base_are_folded_and_only_upwards(
    notebook: Desk, body: dict[str, object]
) -> None:
    answer = await notebook.client.post("/admin/layers/fold", json=body, headers=notebook.admin)

    assert answer.status_code == 422
