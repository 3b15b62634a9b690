"""The barrier: nobody goes on before every event of a step, and every event of those, is applied everywhere.

One stream per process receives the acknowledgements of all its steps. A step arms its watch before the call, since
acknowledgements overtake replies. Where one is late the services' own records are asked, which are the truth; an
acknowledgement is only their echo.
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

from .effects import Group, Outcome, Unit, read_outcome
from .problems import Outage, Unsettled

#: How long acknowledgements may take before the services are asked, and how often they are asked.
PATIENCE_S = 0.5
BATCH = 256
BLOCK_MS = 1000
#: A stream whose process is gone disappears by itself.
EXPIRE_S = 600
REFRESH_S = 5.0
RETRY_S = 0.2

#: An event awaited at a consumer.
Awaited = tuple[str, str]
#: Asks a service what it did on those of these events that it applied.
AskApplied = Callable[[str, Sequence[str]], Awaitable[Mapping[str, Outcome]]]
#: The services that react to events of a name.
Consumers = Callable[[str], Sequence[str]]

log = structlog.get_logger(__name__)


class Watch:
    """The acknowledgements of one world, as they come in, in one life of the database."""

    def __init__(self, life: str = "") -> None:
        self.life = life
        self._outcomes: dict[Awaited, Outcome] = {}
        self._news = asyncio.Event()

    def note(self, event_id: str, consumer: str, outcome: Outcome) -> None:
        """Take in an acknowledgement; one that comes twice says the same twice."""
        self._outcomes.setdefault((event_id, consumer), outcome)
        self._news.set()

    async def settle(
        self, first: Unit, consumers: Consumers, ask: AskApplied, *, by_agent: bool, deadline_s: float
    ) -> Group:
        """Wait until everything that `first` set off is applied, and return it with its reactions.

        Args:
            first: The call or tick, as its service told.
            consumers: Who reacts to which event.
            ask: Asks a service for the truth.
            by_agent: Whether `first` is the agent's own call.
            deadline_s: Longest wait.

        Raises:
            Unsettled: A reaction is missing at the deadline.
        """
        tree = _Tree(first, consumers)
        ends = monotonic() + deadline_s
        # What is only reported again was acknowledged to an earlier attempt; nobody will acknowledge it to this one.
        patience = 0.0 if first.outcome.replayed else PATIENCE_S
        while missing := tree.grow(self._outcomes):
            left = ends - monotonic()
            if left <= 0:
                raise _unsettled(missing)
            if not await self._heard(min(patience, left)):
                await self._ask(missing, ask)
                patience = PATIENCE_S
        return Group(tuple(tree.units), by_agent)

    async def _heard(self, patience_s: float) -> bool:
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
        redis: A connection of its own; reading blocks it.
        stream: Name of the stream, unlike that of any other process.
    """

    def __init__(self, redis: Redis, stream: str) -> None:
        self._redis = redis
        self.stream = stream
        self._watches: dict[int, Watch] = {}
        self._refreshed = float("-inf")

    @contextmanager
    def armed(self, world: int, life: str) -> Iterator[Watch]:
        """Listen for a world's acknowledgements while the block runs; one step at a time has a world."""
        watch = self._watches[world] = Watch(life)
        try:
            yield watch
        finally:
            del self._watches[world]

    async def listen(self) -> None:
        """Hand acknowledgements to their watches until cancelled; an outage of the bus only makes them late."""
        last = b"0"
        while True:
            try:
                await self._keep_stream(last)
                found: Any = await self._redis.xread({self.stream: last}, count=BATCH, block=BLOCK_MS)
            except (RedisError, OSError) as error:
                log.warning("bus_outage", reason=str(error))
                await asyncio.sleep(RETRY_S)
                continue
            for _, entries in found or []:
                last = entries[-1][0]
                for _, fields in entries:
                    self._hand_out(orjson.loads(fields[b"ack"]))

    async def forget(self) -> None:
        """Delete the stream of a process that stops; without the bus it disappears by itself."""
        with suppress(RedisError, OSError):
            await self._redis.delete(self.stream)

    def _hand_out(self, ack: dict[str, Any]) -> None:
        watch = self._watches.get(ack["world"])
        if watch is not None and watch.life == ack.get("life"):
            watch.note(ack["event"], ack["consumer"], read_outcome(ack))

    async def _keep_stream(self, last: bytes) -> None:
        if monotonic() - self._refreshed < REFRESH_S:
            return
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.xtrim(self.stream, minid=_after(last), approximate=False)
            pipeline.expire(self.stream, EXPIRE_S)
            await pipeline.execute()
        self._refreshed = monotonic()


class _Tree:
    """The units known so far, and what they are waited for."""

    def __init__(self, first: Unit, consumers: Consumers) -> None:
        self.units = [first]
        self._consumers = consumers
        self._missing = self._set_off(first)

    def grow(self, outcomes: Mapping[Awaited, Outcome]) -> list[Awaited]:
        """Add the units that acknowledged, and return what is still missing, sorted."""
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
    """Return the smallest id that an entry after this one can have."""
    milliseconds, _, number = entry_id.decode().partition("-")
    return f"{milliseconds}-{int(number or 0) + 1}"


def _unsettled(missing: Sequence[Awaited]) -> Unsettled:
    event_id, consumer = missing[0]
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return Unsettled(consumer, f"did not apply event {event_id}{more} in time")
