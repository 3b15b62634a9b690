"""The event consumer of a service: applies each event from the bus once in its world.

One transaction applies an event and stores the outcome under its id; then the event is acknowledged with that
outcome. A second delivery finds the outcome and only acknowledges. If the world has an event fault plan, or
its context asks to defer events, `injection` decides what happens to the event. It is acknowledged in the
same way, so nothing waits for a deferred event.
"""

import asyncio
import contextlib
import hmac
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
import structlog
from psycopg import OperationalError
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from ..errors import ServiceError
from ..postgres.limits import PROGRAM_LIMITS
from ..world import context as contexts
from ..world import statements
from ..world.causes import publisher
from ..world.database import Database, Writing
from ..world.internals import Internals
from . import bus, injection
from .channel import open_channel
from .deferred import DeferredEvents
from .reactions import Reactions
from .redis_client import end

log = structlog.get_logger(__name__)


class Consumer:
    """Applies the events a service reacts to. Replicas share the work: each entry goes to one of them.

    With `real_kills`, an event is lost by shutting Redis down, which loses everything on the bus.
    """

    def __init__(
        self,
        service: str,
        redis: Redis,
        database: Database,
        internals: Internals,
        reactions: Reactions,
        context_key: str,
        *,
        real_kills: bool = False,
    ) -> None:
        self._service = service
        self._redis = redis
        self._reading, self._sending = open_channel(redis), open_channel(redis)
        self._database = database
        self._internals = internals
        self._reactions = reactions
        self._key = context_key
        self._real_kills = real_kills
        self._loop: asyncio.Task[None] | None = None
        self._applying: asyncio.Future[list[None]] | None = None

    async def start(self) -> None:
        """Start consuming; does nothing for a service without reactions."""
        if self._reactions.consumed and self._loop is None:
            self._loop = asyncio.create_task(self._consume())

    async def stop(self) -> None:
        """Finish the events already received and stop. Other events wait on the bus and in the outbox."""
        if self._loop is not None:
            await bus.cancel([self._loop])
            self._reading.close()
            if self._applying is not None:
                await self._applying
            self._loop = None
        self._sending.close()

    async def _create_groups(self) -> None:
        for name in self._reactions.consumed:
            with contextlib.suppress(ResponseError):
                await self._redis.xgroup_create(bus.stream_of(name), self._service, id="0", mkstream=True)

    async def _consume(self) -> None:
        streams = [bus.stream_of(name) for name in self._reactions.consumed]
        while True:
            with bus.outage_is_logged("consume"):
                try:
                    # Not acknowledged to Redis: the outbox resends an entry lost with this process.
                    entries = await self._reading.read_group(
                        self._service, streams, count=bus.BATCH, block_ms=bus.WAIT_MS
                    )
                except ResponseError:  # the groups do not exist yet, or an emptied Redis lost them
                    await self._create_groups()
                    continue
                self._applying = asyncio.gather(*(self._receive(fields) for _, fields in entries))
                await asyncio.shield(self._applying)
                continue
            await asyncio.sleep(bus.SWEEP_EVERY_S)

    async def _receive(self, fields: dict[bytes, bytes]) -> None:
        text, epoch, signed = fields[b"event"], fields.get(b"epoch", b""), fields[b"signature"]
        if not hmac.compare_digest(contexts.signature(text + epoch, self._key).encode(), signed):
            log.error("event_with_a_wrong_signature")
            return
        event = orjson.loads(text)
        # A reaction that fails is tried once more; if it fails again, it is a defect, and nothing waits for it.
        if await self._applied(event, epoch.decode(), is_last=False):
            return
        await self._applied(event, epoch.decode(), is_last=True)

    async def _applied(self, event: dict[str, Any], epoch: str, *, is_last: bool) -> bool:
        """Apply an event, unless that must wait; return False if it is to be tried again at once."""
        try:
            await self.apply(event, epoch)
        except PROGRAM_LIMITS as error:
            return await self._failed(event, epoch, error, is_last=is_last)
        except (OperationalError, RedisError, OSError) as error:
            # If the event still has to be applied, the outbox resends it.
            log.warning("event_waits", event_id=event["id"], reason=str(error).strip())
        except Exception as error:  # noqa: BLE001
            # Process boundary: one bad event must not stop the others; its outbox row stays, so it is resent.
            return await self._failed(event, epoch, error, is_last=is_last)
        return True

    async def _failed(self, event: dict[str, Any], epoch: str, error: Exception, *, is_last: bool) -> bool:
        """Log a reaction's failure and, after the last attempt, tell the step that waits for it."""
        log.error("event_not_applied", event_id=event["id"], exc_info=error)
        if is_last:
            with bus.outage_is_logged("failure"), contextlib.suppress(ServiceError):
                context = contexts.read(event["context"], self._key)
                failure = {"failure": type(error).__name__}
                await self._acknowledge(replace(context, epoch=epoch or context.epoch), event["id"], failure)
        return is_last

    async def apply(self, event: dict[str, Any], epoch: str = "") -> None:
        """Apply an event once in its world and acknowledge it. An event undone by a crash is not applied."""
        context = contexts.read(event["context"], self._key)
        context = replace(context, epoch=epoch or context.epoch)
        structlog.contextvars.bind_contextvars(world=context.world)
        arrival = injection.Arrival()
        expected = self._database.expect(f"on {event['name']}", context, event["payload"])
        writes = self._database.writing(context, noted=context.armed or context.hold, expected=expected)
        async with writes as writing:
            if writing.replayed is None:
                arrival = await self._arrive(event, writing)
                if not arrival.lost:
                    writing.conclude(self._internals.outcome, 200, None)
        if arrival.lost:
            await self._ask_again(event["id"], context.layer)
            return
        if arrival.copies > 1:
            await self._deliver_again(event, epoch, times=arrival.copies - 1)
        await self._acknowledge(context, event["id"], writing.reported_effects())

    async def _arrive(self, event: dict[str, Any], writing: Writing) -> injection.Arrival:
        unit = writing.unit
        if unit.context.armed or unit.context.hold:
            return await injection.arrive(
                event, DeferredEvents(unit, writing.noted), self._reactions, self._service
            )
        await self._reactions.react(event["name"], event["payload"], unit)
        return injection.Arrival()

    async def _acknowledge(
        self, context: contexts.Context, event_id: str, effects: Mapping[str, Any]
    ) -> None:
        if not context.acks:
            return
        ack = {
            "world": context.world,
            "epoch": context.epoch,
            "event": event_id,
            "consumer": self._service,
            **effects,
        }
        fields = {"ack": orjson.dumps(ack)}
        await self._sending.append((context.acks, fields), keep=bus.STREAM_LENGTH)

    async def _ask_again(self, event_id: str, layer: int) -> None:
        """Ask the publisher to resend a lost event. If this request is lost too, the outbox resends it."""
        if self._real_kills:
            await end(self._redis)
            return
        wanted: Any = {"event": orjson.dumps([layer, event_id])}
        stream = bus.lost_stream(publisher(event_id))
        await self._redis.xadd(stream, wanted, maxlen=bus.STREAM_LENGTH, approximate=True)

    async def _deliver_again(self, event: dict[str, Any], epoch: str, *, times: int) -> None:
        fields: Any = bus.entry(statements.dumps(event), self._key, epoch)
        async with self._redis.pipeline(transaction=False) as pipeline:
            for _ in range(times):
                stream = bus.stream_of(event["name"])
                pipeline.xadd(stream, fields, maxlen=bus.STREAM_LENGTH, approximate=True)
            await pipeline.execute()
