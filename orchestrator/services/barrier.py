"""The barrier: a step continues only after every event it caused, directly or indirectly, is applied everywhere.

Each process has one stream, which receives the acknowledgements of all its steps. A step starts its watch
before the call, since acknowledgements can overtake replies. If one is late, the step queries the services'
own records, which are authoritative; an acknowledgement only repeats them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

import orjson
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from companyos.chassis.events.channel import open_channel

from ..protocol.effects import Group, Unit, UnitOutcome, read_outcome
from ..protocol.problems import Outage, ServiceDefect, Unsettled

#: How long acknowledgements may take before the services are queried, and the interval between queries.
PATIENCE_S = 0.5
BATCH = 256
BLOCK_MS = 1000
#: Seconds after which the stream of a dead process expires.
EXPIRE_S = 600
REFRESH_S = 5.0
RETRY_S = 0.2

#: An event awaited at a consumer.
Awaited = tuple[str, str]
#: Asks a service what it did for those of these events that it has applied.
AskApplied = Callable[[str, Sequence[str]], Awaitable[Mapping[str, UnitOutcome]]]
#: The services that consume events of a name.
Consumers = Callable[[str], Sequence[str]]

log = structlog.get_logger(__name__)


class EventWatch:
    """The acknowledgements of one world as they arrive, within one epoch of the database."""

    def __init__(self, epoch: str = "") -> None:
        self.epoch = epoch
        self._outcomes: dict[Awaited, UnitOutcome] = {}
        self._failures: dict[Awaited, str] = {}
        self._news = asyncio.Event()

    def note(self, event_id: str, consumer: str, outcome: UnitOutcome) -> None:
        """Apply an acknowledgement; a duplicate has no effect."""
        self._outcomes.setdefault((event_id, consumer), outcome)
        self._news.set()

    def note_failure(self, event_id: str, consumer: str, reason: str) -> None:
        """Note that a consumer fails on an event, however often it is delivered."""
        self._failures[event_id, consumer] = reason
        self._news.set()

    async def settle(
        self, first: Unit, consumers: Consumers, ask: AskApplied, *, by_agent: bool, deadline_s: float
    ) -> Group:
        """Wait until everything that `first` caused is applied, and return it with its reactions.

        Args:
            first: The call or tick, as its service reported it.
            consumers: The consumers of each event.
            ask: Queries a service for what it applied.
            by_agent: Whether `first` is the agent's own call.
            deadline_s: Longest wait.

        Raises:
            ServiceDefect: A consumer fails on an event.
            Unsettled: A reaction is missing at the deadline.
        """
        tree = _Tree(first, consumers)
        ends = monotonic() + deadline_s
        # A replayed result was acknowledged to an earlier attempt and will not be acknowledged to this one.
        patience = 0.0 if first.outcome.replayed else PATIENCE_S
        while missing := tree.grow(self._outcomes):
            self._refuse_failed(missing)
            left = ends - monotonic()
            if left <= 0:
                raise _unsettled_outage(missing)
            if not await self._wait_for_notice(min(patience, left)):
                await self._ask(missing, ask)
                patience = PATIENCE_S
        return Group(tuple(tree.units), by_agent)

    def _refuse_failed(self, missing: Sequence[Awaited]) -> None:
        for event_id, consumer in missing:
            if reason := self._failures.get((event_id, consumer)):
                raise ServiceDefect(consumer, f"fails on event {event_id}: {reason}")

    async def _wait_for_notice(self, patience_s: float) -> bool:
        self._news.clear()
        try:
            async with asyncio.timeout(patience_s):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    async def _ask(self, missing: Sequence[Awaited], ask: AskApplied) -> None:
        for consumer in sorted({consumer for _, consumer in missing}):
            awaited = [event_id for event_id, name in missing if name == consumer]
            try:
                applied = await ask(consumer, awaited)
            except Outage:
                continue  # A consumer that is down now may be back before the deadline.
            for event_id, outcome in applied.items():
                self.note(event_id, consumer, outcome)


class Barrier:
    """The acknowledgement stream of this process.

    Args:
        redis: The client of the server that has the stream.
        stream: Name of the stream, unique to this process.
    """

    def __init__(self, redis: Redis, stream: str) -> None:
        self._redis = redis
        self._channel = open_channel(redis)
        self.stream = stream
        self._watches: dict[int, EventWatch] = {}
        self._refreshed = float("-inf")

    @contextmanager
    def armed(self, world: int, epoch: str) -> Iterator[EventWatch]:
        """Receive a world's acknowledgements while the block runs; a world has one step at a time."""
        watch = self._watches[world] = EventWatch(epoch)
        try:
            yield watch
        finally:
            del self._watches[world]

    async def listen(self) -> None:
        """Pass acknowledgements to their watches until canceled; an outage of the bus only delays them."""
        last = b"0"
        while True:
            try:
                await self._keep_stream(last)
                entries = await self._channel.read(self.stream, last, count=BATCH, block_ms=BLOCK_MS)
            except (RedisError, OSError) as error:
                log.warning("bus_outage", reason=str(error))
                await asyncio.sleep(RETRY_S)
                continue
            for entry_id, fields in entries:
                last = entry_id
                self._hand_out(fields.get(b"ack", b""))

    async def forget(self) -> None:
        """Stop reading, and delete the stream when a process stops; if the bus is down, it expires by itself."""
        self._channel.close()
        with suppress(RedisError, OSError):
            await self._redis.delete(self.stream)

    def _hand_out(self, text: bytes) -> None:
        try:
            ack = orjson.loads(text)
            watch = self._watches.get(ack["world"])
            if watch is not None and watch.epoch == ack.get("epoch"):
                _note(ack, watch)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            # The services are asked instead. One bad entry must not keep the others from their steps.
            log.error("acknowledgement_unreadable", reason=repr(error))

    async def _keep_stream(self, last: bytes) -> None:
        if monotonic() - self._refreshed < REFRESH_S:
            return
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.xtrim(self.stream, minid=_after(last), approximate=False)
            pipeline.expire(self.stream, EXPIRE_S)
            await pipeline.execute()
        self._refreshed = monotonic()


def _note(ack: Mapping[str, Any], watch: EventWatch) -> None:
    if (failure := ack.get("failure")) is not None:
        watch.note_failure(ack["event"], ack["consumer"], str(failure))
    else:
        watch.note(ack["event"], ack["consumer"], read_outcome(ack))


class _Tree:
    """The units known so far, and the acknowledgements they still await."""

    def __init__(self, first: Unit, consumers: Consumers) -> None:
        self.units = [first]
        self._consumers = consumers
        self._missing = self._set_off(first)

    def grow(self, outcomes: Mapping[Awaited, UnitOutcome]) -> list[Awaited]:
        """Add the units that are acknowledged, and return the missing acknowledgements, sorted."""
        while ready := [awaited for awaited in self._missing if awaited in outcomes]:
            for awaited in ready:
                event_id, consumer = awaited
                self._missing.remove(awaited)
                self.units.append(unit := Unit(consumer, event_id, outcomes[awaited]))
                self._missing.extend(self._set_off(unit))
        return sorted(self._missing)

    def _set_off(self, unit: Unit) -> list[Awaited]:
        return [
            (event_id, consumer)
            for event_id, name in unit.outcome.events
            for consumer in self._consumers(name)
        ]


def _after(entry_id: bytes) -> str:
    """Return the smallest possible id of an entry after this one."""
    milliseconds, _, number = entry_id.decode().partition("-")
    return f"{milliseconds}-{int(number or 0) + 1}"


def _unsettled_outage(missing: Sequence[Awaited]) -> Unsettled:
    event_id, consumer = missing[0]
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return Unsettled(consumer, f"did not apply event {event_id}{more} in time")
