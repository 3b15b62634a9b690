"""The event bus on Redis Streams: at-least-once delivery, exactly-once application.

The outbox row written with the change is authoritative; a stream entry is only a copy. A relay sends the events of a
commit immediately and periodically resends unsettled ones, so a lost entry, a crashed consumer or an emptied Redis
delays an event but loses nothing. The orchestrator announces when an event is settled, and its outbox row is then
deleted.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import structlog
from psycopg import OperationalError
from psycopg_pool import PoolTimeout
from redis.asyncio import Redis
from redis.exceptions import RedisError

from ..world import context as contexts
from ..world.database import Database
from ..world.effects import Message
from .channel import open_channel

STREAM_LENGTH = 20_000
RESEND_AFTER_S = 1.0
SWEEP_EVERY_S = 0.5
#: The longest pause between two sweeps when there is nothing to send.
LONGEST_SWEEP_S = 2.0
FORGET_EVERY_S = 0.25
TRIM_EVERY_S = 2.0
#: Longest wait for a stream entry, in milliseconds; an arriving entry ends the wait at once. Well below
#: `redis_client.TIMEOUT_S`, or every wait without an entry would look like an outage.
WAIT_MS = 3_000
CANCEL_AGAIN_S = 0.2
BATCH = 64

log = structlog.get_logger(__name__)


def stream_of(event_name: str) -> str:
    """Return the stream of an event name."""
    return f"events:{event_name}"


def settled_stream(service: str) -> str:
    """Return the stream that tells a service which of its events are settled."""
    return f"settled:{service}"


def lost_stream(service: str) -> str:
    """Return the stream that asks a service to resend events that the bus lost."""
    return f"lost:{service}"


def entry(text: str, key: str, epoch: str = "") -> dict[str, str]:
    """Return the stream entry of an event, with its signature. Consumers ignore unsigned entries.

    Args:
        text: The event as stored in the outbox.
        key: The signing key.
        epoch: Epoch of the database in which the outbox row was read, if not that of the event's cause.
    """
    return {"event": text, "epoch": epoch, "signature": contexts.signature((text + epoch).encode(), key)}


class Relay:
    """Sends a service's events, and deletes each outbox row once its event is settled.

    Args:
        names: Names of the events that the service publishes.
    """

    def __init__(
        self, service: str, names: Iterable[str], redis: Redis, database: Database, context_key: str
    ) -> None:
        self._service = service
        # Number of events sent, by name. A name whose stream is empty is left out.
        self._untrimmed = Counter(dict.fromkeys(names, 0))
        self._is_quiet = False
        self._redis = redis
        self._channel = open_channel(redis)
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
        self._channel.close()

    def publish(self, messages: list[Message]) -> None:
        """Send the events of a commit. The sweep resends those that fail."""
        self._is_quiet = False
        task = asyncio.create_task(self._send_committed([message.text for message in messages]))
        self._sends.add(task)
        task.add_done_callback(self._sends.discard)

    async def _send_committed(self, texts: list[str]) -> None:
        try:
            await self._send(texts)
        except RedisError as error:
            log.warning("events_wait_for_the_bus", reason=str(error))

    async def _send(self, texts: Iterable[str], epoch: str = "") -> None:
        entries = []
        for text in texts:
            name = orjson.loads(text)["name"]
            self._untrimmed[name] += 1
            entries.append((stream_of(name), entry(text, self._key, epoch)))
        if entries:
            await self._channel.append(*entries, keep=STREAM_LENGTH)

    async def _sweep(self) -> None:
        # Each resend doubles the pause, so an event that never settles costs little; its row stays.
        claim = (
            f"UPDATE {self._service}.outbox SET sends = sends + 1, "  # noqa: S608
            f"send_at = clock_timestamp() + least(60, {RESEND_AFTER_S} * 2 ^ sends) * interval '1 second' "
            f"WHERE seq IN (SELECT seq FROM {self._service}.outbox WHERE send_at < clock_timestamp() "
            f"ORDER BY seq LIMIT {BATCH} FOR UPDATE SKIP LOCKED) RETURNING text"
        )
        pause_s = SWEEP_EVERY_S
        while True:
            pause_s = min(2 * pause_s, LONGEST_SWEEP_S) if self._is_quiet else SWEEP_EVERY_S
            self._is_quiet = True
            await asyncio.sleep(pause_s)
            with outage_is_logged("sweep"):
                async with self._database.pool.connection() as connection:
                    texts = [text for (text,) in await connection.rows(claim, {})]
                if texts:
                    self._is_quiet = False
                    await self._send(texts, connection.epoch)

    async def _send_lost(self) -> None:
        stream, last = lost_stream(self._service), "0"
        find = (
            f"SELECT text FROM {self._service}.outbox WHERE (layer, event_id) IN "  # noqa: S608
            f"(SELECT layer, event_id FROM unnest(%(layers)s::bigint[], %(events)s::text[]) AS l(layer, event_id))"
        )
        while True:
            with outage_is_logged("lost"):
                found: Any = await self._redis.xread({stream: last}, count=BATCH, block=WAIT_MS)
                for _, entries in found or []:
                    last = entries[-1][0]
                    pairs = [orjson.loads(fields[b"event"]) for _, fields in entries]
                    lost = {"layers": [p[0] for p in pairs], "events": [p[1] for p in pairs]}
                    async with self._database.pool.connection() as connection:
                        texts = [text for (text,) in await connection.rows(find, lost)]
                    await self._send(texts, connection.epoch)
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
                found: Any = await self._redis.xread({stream: last}, count=10 * BATCH, block=WAIT_MS)
                for _, entries in found or []:
                    last = entries[-1][0]
                    async with self._database.pool.connection() as connection:
                        pairs = list(_settled_in(connection.epoch, [fields for _, fields in entries]))
                        settled = {"layers": [p[0] for p in pairs], "events": [p[1] for p in pairs]}
                        await connection.rows(delete, settled)
                    # Other replicas may miss these entries; the outbox rows are already deleted.
                    await self._redis.xdel(stream, *(entry_id for entry_id, _ in entries))
            # Not time-critical: the pause lets notices accumulate, so they are handled in batches.
            await asyncio.sleep(FORGET_EVERY_S)

    async def _trim(self) -> None:
        while True:
            await asyncio.sleep(TRIM_EVERY_S)
            with outage_is_logged("trim"):
                for name, sent in list(self._untrimmed.items()):
                    await self._trim_stream(stream_of(name))
                    if not await self._redis.xlen(stream_of(name)) and self._untrimmed[name] == sent:
                        del self._untrimmed[name]

    async def _trim_stream(self, stream: str) -> None:
        """Remove the entries delivered to every consumer group, or all entries if there is none."""
        if not await self._redis.xlen(stream):
            return
        groups = await self._redis.xinfo_groups(stream)
        if groups:
            oldest = min(_parsed(group["last-delivered-id"]) for group in groups)
            await self._redis.xtrim(stream, minid=f"{oldest[0]}-{oldest[1] + 1}", approximate=False)
        else:
            await self._redis.xtrim(stream, maxlen=0, approximate=False)


def _settled_in(epoch: str, notices: Iterable[dict[bytes, bytes]]) -> Iterator[tuple[int, str]]:
    """Yield layer and id of the settled events, except those that a later crash may have undone."""
    for fields in notices:
        if fields.get(b"epoch", b"").decode() in ("", epoch):
            yield from orjson.loads(fields[b"events"])


def _parsed(entry_id: bytes) -> tuple[int, int]:
    milliseconds, _, number = entry_id.decode().partition("-")
    return int(milliseconds), int(number)


async def cancel(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait until they have finished."""
    # The Redis client swallows a cancellation that arrives while it connects, so one may not be enough.
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=CANCEL_AGAIN_S)


@contextlib.contextmanager
def outage_is_logged(loop: str) -> Iterator[None]:
    """Log an outage of the bus or the database and let the loop continue."""
    try:
        yield
    except (RedisError, OperationalError, PoolTimeout, OSError) as error:
        log.warning("bus_outage", loop=loop, reason=str(error))
