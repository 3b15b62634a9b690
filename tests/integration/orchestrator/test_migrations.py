"""Any number of processes may bring the schemas up to date."""

import asyncio
import os
import sys
from collections.abc import Iterator

import psycopg
import pytest

from companyos.chassis.schema import create_roles
from orchestrator.storage import migrations
from tests.live_services import TestDatabases


@pytest.fixture
def empty(databases: TestDatabases) -> Iterator[str]:
    """An empty database beside the others, with the orchestrator's roles."""
    with psycopg.connect(databases.admin_url, autocommit=True) as admin:
        create_roles(admin, "orchestrator", databases.password)
        admin.execute("CREATE DATABASE empty")
        yield databases.admin_url.replace("/companyos", "/empty")
        admin.execute("DROP DATABASE empty WITH (FORCE)")


async def test_processes_that_migrate_at_the_same_time_make_one_schema(
    databases: TestDatabases, empty: str
) -> None:
    names = ("ticketdesk", "datahub", "approvalflow", "orchestrator")
    passwords = {f"{name.upper()}_DATABASE_PASSWORD": databases.password for name in names}
    environment = {**os.environ, **passwords, "COMPANYOS_ADMIN_DATABASE_URL": empty}
    command = (sys.executable, "-m", "companyos", "migrate")

    processes = [await asyncio.create_subprocess_exec(*command, env=environment) for _ in range(2)]
    codes = [await process.wait() for process in processes]

    assert codes == [0, 0]
    with psycopg.connect(empty) as connection:
        assert connection.execute("SELECT version_num FROM orchestrator.alembic_version").fetchall() == [
            (migrations.HEAD,)
        ]
        assert migrations.upgrade(empty) is False
        for name in names[:-1]:
            stamps = connection.execute(f"SELECT count(*) FROM {name}.stamp").fetchone()  # type: ignore[arg-type]
            assert stamps == (1,)
