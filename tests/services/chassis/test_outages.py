"""A service whose database or bus is away: it says so, goes on, and recovers by itself."""

from dataclasses import replace

import httpx
import psycopg
from pydantic import SecretStr

from companyos.chassis.world.context import HEADER, Context, sign
from tests.live_services import CONTEXT_KEY, Desk, TestDatabases, serving
from tests.patience import PATIENCE_S

from .notebook import create_app

IN_SOME_WORLD = {HEADER: sign(Context(1, (-1, 1), 0, "alex", "analyst", "s1", "s1"), CONTEXT_KEY)}


async def test_a_database_that_is_not_there_at_start_is_told_and_not_fatal(databases: TestDatabases) -> None:
    nowhere = SecretStr("postgresql://notebook@127.0.0.1:1/companyos?connect_timeout=1")
    settings = databases.settings("notebook").model_copy(update={"database_url": nowhere})

    async with (
        serving(create_app(settings)) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client,
    ):
        health = await client.get("/health")
        ready = await client.get("/ready")
        called = await client.get("/notes/N-1", headers=IN_SOME_WORLD)

    assert (health.status_code, ready.status_code) == (200, 503)
    assert (called.status_code, called.json()["type"]) == (503, "database_unavailable")


async def test_a_bus_that_is_away_delays_events_and_refuses_nothing(notebook: Desk) -> None:
    databases = notebook.databases
    settings = databases.settings("notebook").model_copy(
        update={"redis_url": SecretStr("redis://127.0.0.1:1")}
    )

    async with (
        serving(create_app(settings)) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client,
    ):
        desk = Desk("notebook", None, client, databases)  # type: ignore[arg-type]
        world = await desk.world()
        written = await world.post("/notes", json={"text": "kept"})

        assert written.status_code == 201
        assert [event["name"] for event in await world.events()] == ["note.written"]


async def test_connections_cut_by_the_database_are_replaced(notebook: Desk) -> None:
    world = await notebook.world()
    with psycopg.connect(notebook.databases.admin_url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'notebook'")

    answers = [await world.post("/notes", json={"text": "again"}) for _ in range(12)]

    assert {answer.status_code for answer in answers} <= {201, 503}
    assert answers[-1].status_code == 201


async def test_a_failure_of_our_own_is_a_problem_document_without_a_traceback(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "x"}]})
    broken = replace(world.context, now=2**63 - 1)

    answer = await notebook.client.post("/notes/N-1/remind", headers=world.headers(broken))

    assert answer.status_code in (422, 500)
    assert answer.json()["type"] in ("invalid_request", "internal_error")
    assert "Traceback" not in answer.text
