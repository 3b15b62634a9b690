"""Capacity: the limit on open episodes, and their count."""

from __future__ import annotations

from ..protocol.problems import Refusal
from ..storage.store import Store

#: Capacity counts as short once this share of it is used.
CROWDED = 0.8


class Capacity:
    """The number of open episodes: the last count, plus those opened by this process since."""

    def __init__(self, store: Store, most: int) -> None:
        self._store = store
        self._most = most
        self._open = 0

    @property
    def is_crowded(self) -> bool:
        """Whether capacity is short."""
        return self._open > CROWDED * self._most

    def take(self, count: int = 1) -> None:
        """Reserve capacity for one or more new episodes.

        Raises:
            Refusal: 429 too_many_episodes.
        """
        if self._open + count > self._most:
            detail = f"{self._most} episodes are open, the most there may be. Finish or close some first."
            raise Refusal(429, "too_many_episodes", detail, retryable=True)
        self._open += count

    async def count(self) -> None:
        """Count the open episodes again."""
        self._open = await self._store.open_count()
