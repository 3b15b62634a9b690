"""Notices that tell services which events are settled, so that they can forget them."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from ..protocol.effects import Group

STREAM_LENGTH = 20_000
RETRY_S = 0.5
GATHER_S = 0.1

log = structlog.get_logger(__name__)


class Settlements:
    """Settled events on their way to the services that recorded them.

    A lost notice costs only a resend, because consumers know what they applied.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: dict[tuple[str, str], list[tuple[int, str]]] = {}
        self._news = asyncio.Event()

    def note(self, layer: int, group: Group, epoch: str) -> None:
        """Note that all events of a group are settled, in the world that writes this layer, in this epoch."""
        for unit in group.units:
            for event_id, _ in unit.outcome.events:
                self._waiting.setdefault((unit.service, epoch), []).append((layer, event_id))
                self._news.set()

    async def send(self) -> None:
        """Send notices until canceled, all pending ones at once."""
        while True:
            await self._news.wait()
            # Nobody waits for a notice, so they go out together.
            await asyncio.sleep(GATHER_S)
            self._news.clear()
            waiting, self._waiting = self._waiting, {}
            try:
                await self._send(waiting)
            except (RedisError, OSError) as error:
                log.warning("bus_outage", reason=str(error))
                await asyncio.sleep(RETRY_S)

    async def _send(self, waiting: dict[tuple[str, str], list[tuple[int, str]]]) -> None:
        async with self._redis.pipeline(transaction=False) as pipeline:
            for (service, epoch), pairs in waiting.items():
                notice: Any = {"events": orjson.dumps(pairs), "epoch": epoch}
                pipeline.xadd(f"settled:{service}", notice, maxlen=STREAM_LENGTH, approximate=True)
            await pipeline.execute()
