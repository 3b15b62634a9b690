"""Events survive what happens to the bus, and nothing else may put one there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import orjson
import psycopg
import pytest
from redis.asyncio import Redis

from companyos.chassis.events import bus
from companyos.chassis.world import context as contexts
from tests.live_services import CONTEXT_KEY, Desk, World
from tests.patience import PATIENCE_S

WRITTEN = bus.stream_of("note.written")


@pytest.fixture
async def redis(notebook: Desk) -> AsyncIterator[Redis]:
    connection = Redis.from_url(notebook.databases.redis_url)
    yield connection
    await connection.aclose()


def outbox(world: World) -> list[str]:
    with psycopg.connect(world.desk.databases.admin_url) as connection:
        rows = connection.execute(
            "SELECT event_id FROM notebook.outbox WHERE layer = %s ORDER BY seq", (world.context.layer,)
        ).fetchall()
    return [event_id for (event_id,) in rows]


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await condition():
            await asyncio.sleep(0.05)


async def test_an_event_stays_in_the_outbox_until_it_is_settled(notebook: Desk, redis: Redis) -> None:
    world = await notebook.world()
    await world.post("/notes", json={"text": "first"})
    assert outbox(world) == ["s1.notebook.1"]

    settled = orjson.dumps([[world.context.layer, "s1.notebook.1"]])
    await redis.xadd(bus.settled_stream("notebook"), {"events": settled})

    async def gone() -> bool:
        return outbox(world) == []

    await eventually(gone)


async def test_an_emptied_bus_gets_its_unsettled_events_again(notebook: Desk, redis: Redis) -> None:
    world = await notebook.world()
    layer = world.context.layer
    await world.post("/notes", json={"text": "kept"})
    await redis.flushall()

    async def sent_again() -> bool:
        # The context inside an event is its world's own, so no other test's event passes for it.
        texts = [fields[b"event"] for _, fields in await redis.xrange(WRITTEN)]
        return any(contexts.read(orjson.loads(text)["context"], CONTEXT_KEY).layer == layer for text in texts)

    await eventually(sent_again)
    assert outbox(world) == ["s1.notebook.1"]


async def test_a_consumer_goes_on_after_the_bus_was_emptied(notebook: Desk, redis: Redis) -> None:
    world = await notebook.world()
    await world.deliver("note.shared", {"text": "before"})

    await redis.flushall()
    await world.deliver("note.shared", {"text": "after"})

    assert [row["text"] for row in (await world.rows("notes")).values()] == ["before", "after"]


async def test_a_stopped_consumer_leaves_events_waiting_and_applies_them_when_it_returns(
    notebook: Desk,
) -> None:
    world, consumer = await notebook.world(), notebook.app.state.consumer
    await consumer.stop()
    event_id = await world.send("note.shared", {"text": "waiting"})
    await asyncio.sleep(0.2)
    waiting = await world.rows("notes")

    await consumer.start()
    await world.applied(event_id)

    assert waiting == {}
    assert len(await world.rows("notes")) == 1


async def test_an_event_signed_by_another_key_is_not_applied(notebook: Desk, redis: Redis) -> None:
    world = await notebook.world()
    text = orjson.dumps(
        {"id": "x", "name": "note.shared", "payload": {"text": "forged"}, "context": ""}
    ).decode()
    await redis.xadd(bus.stream_of("note.shared"), bus.entry(text, "another-key"))  # type: ignore[arg-type]

    await world.deliver("note.shared", {"text": "genuine"})

    assert [row["text"] for row in (await world.rows("notes")).values()] == ["genuine"]


async def test_a_reaction_that_fails_leaves_nothing_and_stops_no_other(notebook: Desk) -> None:
    world = await notebook.world()

    failing = await world.send("note.shared", {"not text": 1})
    await world.deliver("note.shared", {"text": "fine"})

    assert [row["text"] for row in (await world.rows("notes")).values()] == ["fine"]
    pending = await notebook.client.get(
        "/admin/pending",
        params={"event": failing},
        headers={**world.headers(world.context), **notebook.admin},
    )
    assert pending.json()["applied"] == {}


async def test_an_acknowledgement_tells_what_was_done_and_is_repeated_for_a_copy(
    notebook: Desk, redis: Redis
) -> None:
    world = await notebook.world()
    world.context = replace(world.context, acks=f"acks:test:{world.context.world}")

    event_id = await world.deliver("note.shared", {"text": "hello"})
    await world.send("note.shared", {"text": "hello"}, event_id=event_id)

    async def acknowledged_twice() -> bool:
        return await redis.xlen(world.context.acks or "") == 2

    await eventually(acknowledged_twice)
    first, again = [orjson.loads(f[b"ack"]) for _, f in await redis.xrange(world.context.acks or "")]
    assert first == again
    assert (first["world"], first["event"], first["consumer"]) == (world.context.world, event_id, "notebook")
    assert first["events"] == [{"id": f"{event_id}.notebook.1", "name": "note.written"}]


async def test_only_where_something_may_go_wrong_an_event_tells_what_it_is_about(notebook: Desk) -> None:
    world = await notebook.world()
    await world.post("/notes", json={"text": "first"})
    world.context = replace(world.context, armed=True)
    await world.post("/notes", json={"text": "second"})

    with psycopg.connect(notebook.databases.admin_url) as connection:
        rows = connection.execute(
            "SELECT text FROM notebook.outbox WHERE layer = %s ORDER BY seq", (world.context.layer,)
        ).fetchall()
    calm, armed = [set(orjson.loads(text)) for (text,) in rows]
    assert armed - calm == {"object", "earlier"}
    assert calm == {"id", "name", "payload", "context"}


async def test_an_event_that_was_lost_is_sent_again_as_soon_as_it_is_asked_for(
    notebook: Desk, redis: Redis
) -> None:
    world = await notebook.world()
    await world.post("/notes", json={"text": "first"})
    await redis.delete(WRITTEN)
    wanted = orjson.dumps([world.context.layer, "s1.notebook.1"])

    await redis.xadd(bus.lost_stream("notebook"), {"event": wanted})

    async def sent_again() -> bool:
        texts = [orjson.loads(fields[b"event"]) for _, fields in await redis.xrange(WRITTEN)]
        return any(contexts.read(text["context"], CONTEXT_KEY).layer == world.context.layer for text in texts)

    await eventually(sent_again)
