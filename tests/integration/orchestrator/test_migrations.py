"""The orchestrator's records outlive versions of its schema, and any number of processes may bring it up to date."""

import asyncio
import os
import sys
from collections.abc import Iterator

import orjson
import psycopg
import pytest

from companyos.chassis.schema import create_roles
from orchestrator.storage import migrations
from orchestrator.storage.packing import unpacked
from tests.live_services import TestDatabases

EPISODE = """
INSERT INTO orchestrator.episodes (id, world, chain, base, scenario, version, seed, chaos, size, profile, mode,
    max_steps, sim_now, due, hash)
VALUES ('ep-old', 1, '{-1,1}', 'b', 's', 1, 0, '{}', 'default', 'seed', 'dense', 20, 0, '{}', 'h')
"""


@pytest.fixture
def older(databases: TestDatabases) -> Iterator[str]:
    """An empty database beside the others, with the orchestrator's roles."""
    with psycopg.connect(databases.admin_url, autocommit=True) as admin:
        create_roles(admin, "orchestrator", databases.password)
        admin.execute("CREATE DATABASE older")
        yield databases.admin_url.replace("/companyos", "/older")
        admin.execute("DROP DATABASE older WITH (FORCE)")


def test_an_episode_of_the_first_schema_is_there_in_the_newest(older: str) -> None:
    migrations.upgrade(older, "0001")
    with psycopg.connect(older) as connection:
        connection.execute(EPISODE)

    changed, again = migrations.upgrade(older), migrations.upgrade(older)

    with psycopg.connect(older) as connection:
        kept = connection.execute("SELECT id, lineage, begun FROM orchestrator.episodes").fetchall()
        stamp = connection.execute("SELECT version_num FROM orchestrator.alembic_version").fetchall()
    assert (changed, again) == (True, False)
    assert kept == [("ep-old", [], 0)]
    assert stamp == [(migrations.HEAD,)]


def test_a_record_stored_before_records_were_packed_can_be_read(older: str) -> None:
    migrations.upgrade(older, "0003")
    with psycopg.connect(older) as connection:
        connection.execute("INSERT INTO orchestrator.steps VALUES (1, 1, %s)", ('{"text":"grün"}',))

    migrations.upgrade(older)

    with psycopg.connect(older) as connection:
        row = connection.execute("SELECT record FROM orchestrator.steps").fetchone()
    assert row
    assert orjson.loads(unpacked(row[0])) == {"text": "grün"}


async def test_processes_that_migrate_at_the_same_time_make_one_schema(
    databases: TestDatabases, older: str
) -> None:
    names = ("ticketdesk", "datahub", "approvalflow", "orchestrator")
    passwords = {f"{name.upper()}_DATABASE_PASSWORD": databases.password for name in names}
    environment = {**os.environ, **passwords, "COMPANYOS_ADMIN_DATABASE_URL": older}
    command = (sys.executable, "-m", "companyos", "migrate")

    processes = [await asyncio.create_subprocess_exec(*command, env=environment) for _ in range(3)]
    codes = [await process.wait() for process in processes]

    assert codes == [0, 0, 0]
    with psycopg.connect(older) as connection:
        assert connection.execute("SELECT version_num FROM orchestrator.alembic_version").fetchall() == [
            (migrations.HEAD,)
        ]
        for name in names[:-1]:
            stamps = connection.execute(f"SELECT count(*) FROM {name}.stamp").fetchone()  # type: ignore[arg-type]
            assert stamps == (1,)
