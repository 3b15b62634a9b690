"""Events on Redis Streams: at least once on the wire, once in the world.

The outbox row written with the change is the truth; a stream entry is only its copy on the way. A relay sends
the rows of a commit at once and sweeps up what was sent but not settled, so a lost entry, a crashed consumer or
an emptied Redis delay an event and lose nothing. The orchestrator says when an event is settled, which is when its
outbox row goes.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import structlog
from psycopg import OperationalError
from psycopg_pool import PoolTimeout
from redis.asyncio import Redis
from redis.exceptions import RedisError

from . import context as contexts
from .database import Database
from .work import Message

STREAM_LENGTH = 20_000
RESEND_AFTER_S = 1.0
SWEEP_EVERY_S = 0.5
FORGET_EVERY_S = 0.25
TRIM_EVERY_S = 2.0
CANCEL_AGAIN_S = 0.2
BATCH = 64

log = structlog.get_logger(__name__)


def stream_of(event_name: str) -> str:
    """Return the stream that carries events of a name."""
    return f"events:{event_name}"


def settled_stream(service: str) -> str:
    """Return the stream on which a service is told which of its events are settled everywhere."""
    return f"settled:{service}"


def lost_stream(service: str) -> str:
    """Return the stream on which a service is asked to send events again that the bus lost."""
    return f"lost:{service}"


def entry(text: str, key: str, life: str = "") -> dict[str, str]:
    """Return the stream entry of an event: its text and our signature, without which no consumer reads it.

    Args:
        text: The event, as the outbox keeps it.
        key: Signs it.
        life: Life of the database in which the outbox was seen to hold it, where not that of its cause.
    """
    return {"event": text, "life": life, "signature": contexts.signature((text + life).encode(), key)}


class Relay:
    """Sends a service's events and keeps its outbox: each row stays until its event is settled.

    Args:
        names: The events that the service publishes.
    """

    def __init__(
        self, service: str, names: Iterable[str], redis: Redis, database: Database, context_key: str
    ) -> None:
        self._service = service
        self._names = sorted(names)
        self._redis = redis
        self._database = database
        self._key = context_key
        self._sends: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        loops = (self._sweep(), self._send_lost(), self._forget_settled(), self._trim())
        self._loops = [asyncio.create_task(loop) for loop in loops]

    async def stop(self) -> None:
        await asyncio.gather(*self._sends, return_exceptions=True)
        await cancel(self._loops)

    def publish(self, messages: list[Message]) -> None:
        """Send the events of a commit; what fails here is sent by the sweep."""
        task = asyncio.create_task(self._send_committed([message.text for message in messages]))
        self._sends.add(task)
        task.add_done_callback(self._sends.discard)

    async def _send_committed(self, texts: list[str]) -> None:
        try:
            await self._send(texts)
        except RedisError as error:
            log.warning("events_wait_for_the_bus", reason=str(error))

    async def _send(self, texts: Iterable[str], life: str = "") -> None:
        async with self._redis.pipeline(transaction=False) as pipeline:
            for text in texts:
                name = orjson.loads(text)["name"]
                fields: Any = entry(text, self._key, life)
                pipeline.xadd(stream_of(name), fields, maxlen=STREAM_LENGTH, approximate=True)
            await pipeline.execute()

    async def _sweep(self) -> None:
        # Each resend doubles the pause, so an event nobody settles costs little; the row stays all the same.
        claim = (
            f"UPDATE {self._service}.outbox SET sends = sends + 1, "  # noqa: S608
            f"send_at = clock_timestamp() + least(60, {RESEND_AFTER_S} * 2 ^ sends) * interval '1 second' "
            f"WHERE seq IN (SELECT seq FROM {self._service}.outbox WHERE send_at < clock_timestamp() "
            f"ORDER BY seq LIMIT {BATCH} FOR UPDATE SKIP LOCKED) RETURNING text"
        )
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            with outage_is_logged("sweep"):
                async with self._database.pool.connection() as connection:
                    texts = [text for (text,) in await connection.rows(claim, {})]
                if texts:
                    await self._send(texts, connection.life)

    async def _send_lost(self) -> None:
        stream, last = lost_stream(self._service), "0"
        find = (
            f"SELECT text FROM {self._service}.outbox WHERE (layer, event_id) IN "  # noqa: S608
            f"(SELECT layer, event_id FROM unnest(%(layers)s::bigint[], %(events)s::text[]) AS l(layer, event_id))"
        )
        while True:
            with outage_is_logged("lost"):
                found: Any = await self._redis.xread({stream: last}, count=BATCH, block=1000)
                for _, entries in found or []:
                    last = entries[-1][0]
                    pairs = [orjson.loads(fields[b"event"]) for _, fields in entries]
                    lost = {"layers": [p[0] for p in pairs], "events": [p[1] for p in pairs]}
                    async with self._database.pool.connection() as connection:
                        texts = [text for (text,) in await connection.rows(find, lost)]
                    await self._send(texts, connection.life)
                    await self._redis.xdel(stream, *(entry_id for entry_id, _ in entries))
                continue
            await asyncio.sleep(SWEEP_EVERY_S)

    async def _forget_settled(self) -> None:
        stream, last = settled_stream(self._service), "0"
        delete = (
            f"DELETE FROM {self._service}.outbox WHERE (layer, event_id) IN "  # noqa: S608
            f"(SELECT layer, event_id FROM unnest(%(layers)s::bigint[], %(events)s::text[]) AS s(layer, event_id))"
        )
        while True:
            with outage_is_logged("settled"):
                found: Any = await self._redis.xread({stream: last}, count=10 * BATCH, block=1000)
                for _, entries in found or []:
                    last = entries[-1][0]
                    async with self._database.pool.connection() as connection:
                        pairs = list(_settled_in(connection.life, [fields for _, fields in entries]))
                        settled = {"layers": [p[0] for p in pairs], "events": [p[1] for p in pairs]}
                        await connection.rows(delete, settled)
                    # Other replicas may miss them: they would find no outbox rows any more.
                    await self._redis.xdel(stream, *(entry_id for entry_id, _ in entries))
            # Nobody waits for this: a pause lets notices gather, so that steps do not pay for one each.
            await asyncio.sleep(FORGET_EVERY_S)

    async def _trim(self) -> None:
        while True:
            await asyncio.sleep(TRIM_EVERY_S)
            with outage_is_logged("trim"):
                for name in self._names:
                    await self._trim_stream(stream_of(name))

    async def _trim_stream(self, stream: str) -> None:
        """Remove what every group of consumers was handed; all of it where nobody consumes."""
        if not await self._redis.exists(stream):
            return
        groups = await self._redis.xinfo_groups(stream)
        if groups:
            oldest = min(_parsed(group["last-delivered-id"]) for group in groups)
            await self._redis.xtrim(stream, minid=f"{oldest[0]}-{oldest[1] + 1}", approximate=False)
        else:
            await self._redis.xtrim(stream, maxlen=0, approximate=False)


def _settled_in(life: str, notices: Iterable[dict[bytes, bytes]]) -> Iterator[tuple[int, str]]:
    """Return layer and id of the events that are settled, unless a crash since may have undone what they set off."""
    for fields in notices:
        if fields.get(b"life", b"").decode() in ("", life):
            yield from orjson.loads(fields[b"events"])


def _parsed(entry_id: bytes) -> tuple[int, int]:
    milliseconds, _, number = entry_id.decode().partition("-")
    return int(milliseconds), int(number)


async def cancel(tasks: list[asyncio.Task[None]]) -> None:
    """End tasks and wait until they have."""
    # The Redis client loses a cancellation that reaches it while it connects, so one is not always enough.
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=CANCEL_AGAIN_S)


@contextlib.contextmanager
def outage_is_logged(loop: str) -> Iterator[None]:
    """Let a loop go on after an outage of the bus or the database."""
    try:
        yield
    except (RedisError, OperationalError, PoolTimeout, OSError) as error:
        log.warning("bus_outage", loop=loop, reason=str(error))
