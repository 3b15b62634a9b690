"""Watching an episode: the records of its steps as they are committed, read from the store by any replica."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

from ..protocol.problems import episode_unknown, refusing_outages
from ..protocol.records import Episode
from ..storage.store import Store

#: The pauses between two looks at an episode: the first after a step, and the longest while nothing happens.
SHORTEST_S: Final = 0.2
LONGEST_S: Final = 2.0


class Watching:
    """Follows episodes that others play.

    Args:
        store: The rows of all replicas.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def begin(self, episode_id: str) -> Episode:
        """Return the episode to follow.

        Raises:
            Refusal: 404 episode_unknown, 503 service_unavailable.
        """
        if (episode := await self._episode(episode_id)) is None:
            raise episode_unknown(episode_id)
        return episode

    async def records(self, episode: Episode, *, after: int) -> AsyncIterator[dict[str, Any]]:
        """Yield the records of the steps after a step as in the trace, until the episode is done or deleted.

        A restored episode goes on from the step that it was restored to.

        Raises:
            Refusal: 503 service_unavailable.
        """
        seen, pause_s = episode, SHORTEST_S
        while True:
            for record in await self._records(seen, after):
                yield record
                after, pause_s = record["step"], SHORTEST_S
            if seen.done:
                return
            await asyncio.sleep(pause_s)
            now, pause_s = await self._episode(seen.id), min(pause_s * 1.5, LONGEST_S)
            if now is None or not now.is_meant(seen.uid):
                return
            if seen.world not in now.worlds and now.origin is not None:  # it was restored
                after = min(after, now.origin["step"])
            seen = now

    async def _episode(self, episode_id: str) -> Episode | None:
        with refusing_outages():
            return await self._store.episode(episode_id)

    async def _records(self, episode: Episode, after: int) -> list[dict[str, Any]]:
        if episode.step <= after:
            return []
        with refusing_outages():
            return await self._store.records(episode, after=after)
