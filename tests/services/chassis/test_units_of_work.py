"""What a call does to its world, and what it leaves when it is refused, repeated or raced."""

import asyncio
from collections import defaultdict
from typing import Any

import psycopg
import pytest

from companyos.chassis.postgres.prepared import Call, Connection, Rows
from companyos.chassis.web.http import EFFECTS_MEDIA_TYPE
from tests.live_services import Desk

from .notebook import Note

Trips = defaultdict[asyncio.Task[Any] | None, list[int]]


async def test_a_call_changes_its_world_and_says_what_it_changed(notebook: Desk) -> None:
    world = await notebook.world()

    effects = await world.effects("POST", "/notes", json={"text": "buy milk"})

    assert [(c["table"], c["id"], c["row"]["text"]) for c in effects["changes"]] == [
        ("notes", "N-0001", "buy milk")
    ]
    assert effects["events"] == [{"id": "s1.notebook.1", "name": "note.written"}]
    assert "next_due" not in effects


async def test_a_world_cannot_see_the_notes_of_another(notebook: Desk) -> None:
    mine, other = await notebook.world(), await notebook.world()

    await mine.post("/notes", json={"text": "secret"})

    assert (await other.get("/notes")).json()["items"] == []
    assert (await other.get("/notes/N-0001")).status_code == 404


async def test_rows_of_the_base_are_changed_above_it_and_never_in_it(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "old"}, {"id": "N-2", "text": "kept"}]})

    assert (await world.call("DELETE", "/notes/N-1")).status_code == 204

    assert [note["id"] for note in (await world.get("/notes")).json()["items"]] == ["N-2"]
    assert await world.rows("notes", scope="diff") == {"N-1": None}
    assert set(await world.rows("notes")) == {"N-2"}


async def test_a_refusal_changes_nothing_and_says_what_would_help(notebook: Desk) -> None:
    world = await notebook.world()

    refused = await world.post("/notes/N-9/remind")

    assert refused.status_code == 404
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "note_unknown"
    assert refused.json()["field"] == "note_id"
    assert await world.rows("notes", scope="diff") == {}


async def test_a_repeated_step_is_answered_again_and_done_once(notebook: Desk) -> None:
    world = await notebook.world()
    headers = {**world.headers(), "accept": EFFECTS_MEDIA_TYPE}

    first, again = [
        await notebook.client.post("/notes", json={"text": "once"}, headers=headers) for _ in range(2)
    ]

    assert again.json()["result"] == first.json()["result"]
    assert again.json()["effects"]["events"] == first.json()["effects"]["events"]
    assert again.json()["effects"]["replayed"] is True
    assert len(await world.rows("notes")) == 1


async def test_parallel_repeats_of_a_step_have_one_effect(notebook: Desk) -> None:
    world = await notebook.world()
    headers = world.headers()

    answers = await asyncio.gather(
        *(notebook.client.post("/notes", json={"text": "once"}, headers=headers) for _ in range(32))
    )

    assert {answer.json()["id"] for answer in answers} == {"N-0001"}
    assert len(await world.rows("notes")) == 1


async def test_an_agents_key_returns_the_first_result_in_a_later_step(notebook: Desk) -> None:
    world = await notebook.world()
    keyed = {"Idempotency-Key": "pay-once", "accept": EFFECTS_MEDIA_TYPE}

    first = await world.post("/notes", json={"text": "pay"}, headers=keyed)
    again = await world.post("/notes", json={"text": "pay"}, headers=keyed)
    other = await world.post("/notes", json={"text": "pay twice"}, headers=keyed)

    assert again.json()["result"] == first.json()["result"]
    assert again.json()["effects"]["changes"] == []
    assert other.status_code == 422
    assert other.json()["type"] == "idempotency_key_reused"
    assert len(await world.rows("notes")) == 1


async def test_a_due_event_comes_up_once_at_its_simulated_time(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "call back"}]}, now=1000)

    planned = await world.effects("POST", "/notes/N-1/remind")
    early = await world.advance(3599)
    due = await world.advance(1)
    late = await world.advance(3600)

    assert planned["next_due"] == 4600
    assert early["changes"] == []
    assert due["changes"][0]["row"]["tags"] == ["reminded at 4600"]
    assert due["next_due"] is None
    assert late["changes"] == []


async def test_an_event_is_applied_exactly_once_however_often_it_arrives(notebook: Desk) -> None:
    world = await notebook.world()

    event_id = await world.deliver("note.shared", {"text": "hello", "unknown": "field"})
    for _ in range(3):
        await world.send("note.shared", {"text": "hello"}, event_id=event_id)
    await world.deliver("note.shared", {"text": "bye"})

    assert [row["text"] for row in (await world.rows("notes")).values()] == ["hello", "bye"]


async def test_pages_follow_each_other_without_gap_or_overlap(notebook: Desk) -> None:
    rows = [{"id": f"N-{number:02}", "text": str(number)} for number in range(7)]
    world = await notebook.world({"notes": rows})

    seen, cursor = [], None
    while True:
        page = (
            await world.get("/notes", params={"limit": 3, **({"cursor": cursor} if cursor else {})})
        ).json()
        seen += [note["id"] for note in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break

    assert seen == [row["id"] for row in rows]


async def test_a_page_past_the_end_still_says_how_long_the_list_is(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": f"N-{number}", "text": ""} for number in range(7)]})

    page = (await world.get("/notes", params={"cursor": "N-6"})).json()

    assert page == {"items": [], "total": 7, "next_cursor": None}


async def test_the_rows_of_a_base_and_of_the_world_count_once(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": f"N-{number}", "text": ""} for number in range(3)]})
    await world.post("/notes", json={"text": "one more"})

    page = (await world.get("/notes", params={"limit": 1})).json()

    assert (len(page["items"]), page["total"]) == (1, 4)


async def test_a_reply_leaves_only_after_its_commit(notebook: Desk) -> None:
    world = await notebook.world()
    with psycopg.connect(notebook.databases.admin_url, autocommit=True) as observer:
        for number in range(20):
            request = notebook.client.build_request(
                "POST", "/notes", json={"text": str(number)}, headers=world.headers()
            )
            reply = await notebook.client.send(request, stream=True)
            committed = observer.execute(
                "SELECT count(*) FROM notebook.notes WHERE layer_id = %s", (world.context.layer,)
            ).fetchone()
            await reply.aclose()

            assert committed == (number + 1,)


async def test_ids_go_on_from_those_of_the_base_and_are_never_given_twice(notebook: Desk) -> None:
    ids = ["N-0001", "N-0009", "N-0020", "N-3x", "N-", "NN-99"]
    world = await notebook.world({"notes": [{"id": key, "text": "old"} for key in ids]})

    first = (await world.post("/notes", json={"text": "new"})).json()["id"]
    await world.call("DELETE", f"/notes/{first}")
    second = (await world.post("/notes", json={"text": "newer"})).json()["id"]

    assert (first, second) == ("N-0021", "N-0022")


async def test_a_layer_holds_one_base_and_a_base_one_layer(notebook: Desk) -> None:
    layer = (await notebook.world()).context.chain[0]
    body = {"layer": layer, "start": 0, "rows": {}}

    taken = await notebook.client.put("/admin/bases/other", json=body, headers=notebook.admin)
    moved = await notebook.client.put(
        f"/admin/bases/base{-layer}", json={**body, "layer": layer - 10**9}, headers=notebook.admin
    )
    same = await notebook.client.put(f"/admin/bases/base{-layer}", json=body, headers=notebook.admin)

    assert [answer.status_code for answer in (taken, moved, same)] == [409, 409, 200]
    assert taken.json()["type"] == moved.json()["type"] == "base_conflict"


@pytest.mark.parametrize("flaw", [{"text": "kept", "color": "red"}, {"tags": ["no text"]}])
async def test_a_base_with_a_row_that_does_not_fit_is_refused_by_its_columns(
    notebook: Desk, flaw: dict[str, Any]
) -> None:
    body = {"layer": -(10**12), "start": 0, "rows": {"notes": [{"id": "N-1", **flaw}]}}

    refused = await notebook.client.put("/admin/bases/unfit", json=body, headers=notebook.admin)
    found = await notebook.client.get("/admin/bases/unfit", headers=notebook.admin)

    assert (refused.status_code, found.status_code) == (422, 404)
    assert ("color" if "color" in flaw else "text") in refused.json()["detail"]


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> Trips:
    """The number of statements of each round trip from now on, by who made it: workers look for work meanwhile."""
    sent: Trips = defaultdict(list)
    together = Connection.together

    async def counted(connection: Connection, *calls: Call) -> list[Rows]:
        sent[asyncio.current_task()].append(len(calls))
        return await together(connection, *calls)

    monkeypatch.setattr(Connection, "together", counted)
    return sent


async def test_a_page_and_the_length_of_its_list_cost_one_round_trip(notebook: Desk, trips: Trips) -> None:
    world = await notebook.world({"notes": [{"id": f"N-{number}", "text": "note"} for number in range(3)]})

    async with notebook.app.state.database.reading(world.context) as unit:
        trips.clear()
        page = await unit.page(Note, limit=2, contains=(("text",), "OT"))

    assert ([note.id for note in page.items], page.total) == (["N-0", "N-1"], 3)
    assert trips[asyncio.current_task()] == [2]


async def test_rows_fetched_together_cost_one_round_trip_and_are_at_hand_then(
    notebook: Desk, trips: Trips
) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "one"}]})

    async with notebook.app.state.database.reading(world.context) as unit:
        trips.clear()
        await unit.fetch((Note, "N-1"), (Note, "N-2"))
        found = [await unit.get(Note, note_id) for note_id in ("N-1", "N-2", "N-2")]

    assert [note and note.text for note in found] == ["one", None, None]
    assert trips[asyncio.current_task()] == [2]
