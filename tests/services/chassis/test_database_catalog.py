"""Every table of every service has every wall between worlds, read from the catalog and tried with real rows."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.live_services import Desk, TestDatabases

from .database_catalog import Connection, flaws, world_table_names

SERVICES = sorted(
    module.name
    for module in pkgutil.iter_modules(importlib.import_module("services").__path__)
    if module.ispkg
)
BASE, OWN, FOREIGN = -(10**15), 10**15, 10**15 + 1

#: What somebody might do to a table or role, and a word of the flaw it must be reported as.
DAMAGE = [
    ("CREATE TABLE notebook.forgotten (id text PRIMARY KEY)", "no column ('layer_id'"),
    ("CREATE TABLE notebook.forgotten (id text PRIMARY KEY)", "grants"),
    ("CREATE VIEW notebook.glance AS SELECT * FROM notebook.notes", "no plain table"),
    ("ALTER TABLE notebook.notes ALTER COLUMN deleted DROP NOT NULL", "no column ('deleted'"),
    ("ALTER TABLE notebook.notes DROP CONSTRAINT notes_pkey", "primary key"),
    (
        "ALTER TABLE notebook.notes DROP CONSTRAINT notes_pkey, ADD PRIMARY KEY (id, layer_id)",
        "starts with id",
    ),
    ("CREATE INDEX by_text ON notebook.notes (text, layer_id)", "starts with text"),
    ("CREATE INDEX by_layer ON notebook.notes ((layer_id + 1))", "starts with (layer_id + 1)"),
    ("ALTER TABLE notebook.notes DISABLE ROW LEVEL SECURITY", "not enabled"),
    ("ALTER TABLE notebook.notes NO FORCE ROW LEVEL SECURITY", "not forced"),
    ("DROP POLICY change_own_layer ON notebook.notes", "policies"),
    ("CREATE POLICY more ON notebook.notes FOR DELETE USING (layer_id > 0)", "policies"),
    ("ALTER POLICY reap_own_layer ON notebook.notes USING (true)", "policies"),
    ("ALTER POLICY read_all ON notebook.notes TO public", "policies"),
    ("DROP TRIGGER keep_base_on_delete ON notebook.notes", "on DELETE of a ROW"),
    ("ALTER TABLE notebook.notes DISABLE TRIGGER keep_base_on_insert", "on INSERT OR UPDATE of a ROW"),
    ("DROP TRIGGER keep_own_base ON notebook.notes", "of a STATEMENT"),
    ("GRANT TRUNCATE ON notebook.notes TO notebook", "grants"),
    ("GRANT SELECT ON notebook.notes TO public", "grants"),
    ("GRANT UPDATE (text) ON notebook.notes TO datahub", "grants"),
    ("ALTER TABLE notebook.notes OWNER TO notebook", "belongs to notebook"),
    ("ALTER TABLE notebook.notes OWNER TO notebook", "owns something"),
    ("ALTER ROLE notebook BYPASSRLS", "rolbypassrls"),
    ("ALTER ROLE notebook SUPERUSER", "rolsuper"),
    ("ALTER ROLE notebook_owner LOGIN", "log in"),
    ("ALTER ROLE notebook SET app.layer = 7", "begins with a layer"),
    ("GRANT notebook_owner TO notebook", "can act as notebook_owner"),
    ("GRANT USAGE, CREATE ON SCHEMA notebook TO notebook", "create in schema notebook"),
    ("GRANT SELECT ON datahub.metrics TO notebook", "can reach datahub.metrics"),
]


@pytest.fixture(scope="module")
def migrated(databases: TestDatabases) -> TestDatabases:
    databases.migrate()
    return databases


@pytest.fixture
def admin(migrated: TestDatabases) -> Iterator[Connection]:
    """A superuser's connection on which nothing stays."""
    with psycopg.connect(migrated.admin_url) as connection:
        yield connection
        connection.rollback()


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_table_of_every_service_has_every_wall(admin: Connection, service: str) -> None:
    assert len(world_table_names(admin, service)) >= 8
    assert flaws(admin, service) == []


def test_every_table_that_a_service_declares_is_in_its_schema(admin: Connection, service: str) -> None:
    schema = importlib.import_module(f"services.{service}.app").SERVICE.schema

    assert set(world_table_names(admin, service)) == {table.name for table in schema.metadata.sorted_tables}


async def test_a_wall_that_is_missing_is_reported(notebook: Desk, admin: Connection) -> None:
    assert flaws(admin, "notebook") == []

    unnoticed = []
    for statement, word in DAMAGE:
        with admin.transaction(force_rollback=True):
            admin.execute(statement.encode())
            unnoticed += [] if any(word in flaw for flaw in flaws(admin, "notebook")) else [statement]

    assert unnoticed == []


def test_a_services_role_writes_its_last_layer_and_no_other(admin: Connection, service: str) -> None:
    for table in world_table_names(admin, service):
        add(admin, service, table, OWN)
        add(admin, service, table, FOREIGN)

        for layer in (None, OWN + 2, BASE):
            assert change(admin, service, table, layer, target=OWN) == 0
            assert remove(admin, service, table, layer, target=OWN) == 0
            with pytest.raises(psycopg.errors.InsufficientPrivilege), admin.transaction():
                insert(admin, service, table, layer, target=OWN + 3)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), admin.transaction():
            move(admin, service, table, OWN, target=OWN + 3)
        assert change(admin, service, table, OWN, target=FOREIGN) == 0
        assert change(admin, service, table, OWN, target=OWN) == 1
        assert remove(admin, service, table, OWN, target=OWN) == 1


def test_a_base_is_frozen_for_everybody(admin: Connection, service: str) -> None:
    for table in world_table_names(admin, service):
        add(admin, service, table, BASE)
    admin.execute(
        f"INSERT INTO {service}.bases (digest, layer, start, rows, frozen) VALUES ('x', {BASE}, 0, 0, true)".encode()
    )

    for table in world_table_names(admin, service):
        for act in (change, remove, insert):
            key = "new" if act is insert else "key"
            for role, layer in ((service, BASE), ("postgres", BASE), ("postgres", OWN), ("postgres", None)):
                with pytest.raises(psycopg.errors.RaiseException, match="frozen"), admin.transaction():
                    act(admin, service, table, layer, target=BASE, role=role, key=key)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), admin.transaction():
            as_role(admin, service, BASE)
            admin.execute(f"TRUNCATE {service}.{table}".encode())
        assert change(admin, service, table, OWN, target=BASE) == 0


def add(admin: Connection, schema: str, table: str, layer: int) -> None:
    """Put a row into a layer as the service does."""
    with admin.transaction():
        insert(admin, schema, table, layer, target=layer)
        admin.execute("RESET ROLE")


def as_role(admin: Connection, role: str, layer: int | None) -> None:
    admin.execute(f"SET LOCAL ROLE {role}".encode())
    admin.execute("SELECT set_config('app.layer', %s, true)", ("" if layer is None else str(layer),))


def insert(
    admin: Connection,
    schema: str,
    table: str,
    layer: int | None,
    *,
    target: int,
    role: str | None = None,
    key: str = "key",
) -> None:
    values = {**any_row(admin, schema, table), "layer_id": target, "id": key}
    as_role(admin, role or schema, layer)
    columns = ", ".join(f'"{column}"' for column in values)
    admin.execute(
        f"INSERT INTO {schema}.{table} ({columns}) SELECT {columns} "
        f"FROM jsonb_populate_record(NULL::{schema}.{table}, %s)".encode(),
        (psycopg.types.json.Jsonb(values),),
    )


def change(admin: Connection, schema: str, table: str, layer: int | None, **options: Any) -> int:
    return write(admin, schema, f"UPDATE {schema}.{table} SET deleted = true", layer, **options)


def remove(admin: Connection, schema: str, table: str, layer: int | None, **options: Any) -> int:
    return write(admin, schema, f"DELETE FROM {schema}.{table}", layer, **options)


def move(admin: Connection, schema: str, table: str, layer: int, *, target: int) -> int:
    """Try to give the rows of a layer to another."""
    return write(admin, schema, f"UPDATE {schema}.{table} SET layer_id = {target}", layer, target=layer)


def write(
    admin: Connection,
    schema: str,
    statement: str,
    layer: int | None,
    *,
    target: int,
    role: str | None = None,
    key: str = "key",
) -> int:
    """Return how many rows of the target layer a statement reached; nothing of it stays."""
    with admin.transaction(force_rollback=True):
        as_role(admin, role or schema, layer)
        return admin.execute(f"{statement} WHERE layer_id = {target} AND id = '{key}'".encode()).rowcount


def any_row(admin: Connection, schema: str, table: str) -> dict[str, Any]:
    """Return values that fit the columns of a table, but for those that PostgreSQL computes."""
    samples: dict[str, Any] = {
        "text": "x",
        "bigint": 1,
        "bytea": r"\x00",
        "double precision": 1.0,
        "boolean": False,
        "jsonb": [],
    }
    columns = admin.execute(
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER'",
        (schema, table),
    ).fetchall()
    return {name: samples[kind] for name, kind in columns}
