"""The recording behind the law of the layers sees every statement of a service, and of any process that is started."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companyos.chassis.postgres.prepared import Call, Connection, Rows
from tests.live_services import Desk
from tests.statements.recording import offenses, recorded
from tests.statements.statement_recorder import FOLDER

#: Says what it sends to PostgreSQL, then dies without a chance to tell anybody.
PROGRAM = """
import os, signal, sys, psycopg
with psycopg.connect(sys.argv[1]) as connection:
    connection.execute("SELECT id FROM notebook.notes WHERE id = %s", ["N-1"])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def shape(text: str) -> str:
    """Return a statement as PostgreSQL is given it, its parameters without names or numbers."""
    return re.sub(r"%\(\w+\)[sbt]|%[sbt]|\$\d+", "$", text).replace("%%", "%")


async def test_statements_sent_by_a_service_are_recorded(notebook: Desk, statements: Path) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "one"}]})
    await world.post("/notes", json={"text": "two"})
    await world.post("/notes/N-1/remind")
    await world.advance(3600)
    await world.get("/notes", params={"limit": 5})
    await world.rows("notes", scope="diff")

    given: set[str] = set()
    pool = notebook.app.state.database.pool
    async with pool.connection() as connection:
        for prepared in await (
            await connection.execute("SELECT statement FROM pg_prepared_statements")
        ).fetchall():
            given.add(shape(prepared[0]))

    given = {text for text in given if "notebook." in text}
    assert len(given) >= 5
    assert given <= {shape(text) for text in recorded(statements)}


async def test_a_statement_is_on_record_though_its_process_was_killed(notebook: Desk, tmp_path: Path) -> None:
    url = notebook.databases.url("notebook")

    killed = subprocess.run([sys.executable, "-c", PROGRAM, url], env={**os.environ, FOLDER: str(tmp_path)})

    assert killed.returncode == -9
    (said,) = offenses(tmp_path)
    assert "SELECT id FROM notebook.notes WHERE id = %s" in said
    assert "rows of any layer" in said


async def test_statements_sent_by_tests_themselves_are_not_recorded(notebook: Desk, statements: Path) -> None:
    pool = notebook.app.state.database.pool
    async with pool.connection() as connection:
        await connection.execute("SELECT count(*) FROM notebook.notes -- behind the walls, on purpose")

    assert not [text for text in recorded(statements) if "on purpose" in text]


async def test_statements_sent_through_a_wrapper_of_a_test_are_recorded(
    notebook: Desk, statements: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Connection.together

    async def wrapped(connection: Connection, *calls: Call) -> list[Rows]:
        return await together(connection, *((f"{text} -- wrapped", given) for text, given in calls))

    world = await notebook.world({"notes": [{"id": "N-1", "text": "one"}]})
    monkeypatch.setattr(Connection, "together", wrapped)
    await world.get("/notes/N-1")

    assert [text for text in recorded(statements) if text.endswith("-- wrapped")]
