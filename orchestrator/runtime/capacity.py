"""Capacity: the limit on open episodes, their count, and whether resets are taken at all."""

from __future__ import annotations

from ..protocol.problems import Refusal
from ..storage import statements
from ..storage.store import Store

#: Capacity counts as short once this share of it is used.
CROWDED = 0.8
DRAINING = "cell_draining"


class Capacity:
    """The number of open episodes: the last count, plus those opened by this process since.

    Attributes:
        most: The most episodes that may be open.
        open_episodes: The open ones.
        drains_s: For how many seconds from the last count on the stack takes no resets; 0 if it takes them.
    """

    def __init__(self, store: Store, most: int) -> None:
        self._store = store
        self.most = most
        self.open_episodes = 0
        self.drains_s = 0.0

    @property
    def is_crowded(self) -> bool:
        """Whether capacity is short."""
        return self.open_episodes > CROWDED * self.most

    def take(self, count: int = 1) -> None:
        """Reserve capacity for one or more new episodes.

        Raises:
            Refusal: 429 too_many_episodes.
        """
        if self.open_episodes + count > self.most:
            detail = f"{self.most} episodes are open, the most there may be. Finish or close some first."
            raise Refusal(429, "too_many_episodes", detail, retryable=True)
        self.open_episodes += count

    def refuse_draining(self) -> None:
        """Refuse a reset while the stack drains.

        Raises:
            Refusal: 503 cell_draining.
        """
        if self.drains_s:
            detail = f"This stack is draining: it takes no resets for {self.drains_s:.0f} s, unless it stops before."
            raise Refusal(503, DRAINING, detail, retryable=True)

    async def count(self) -> None:
        """Count the open episodes again, and see whether the stack drains."""
        self.open_episodes, self.drains_s = await self._store.occupancy()

    async def drain(self, seconds: float) -> None:
        """Take no resets for so many seconds; 0 takes them again. Other replicas follow with their next count."""
        await self._store.run(statements.DRAIN, {"seconds": seconds})
        await self.count()

    def document(self) -> dict[str, object]:
        """Return the stack as a cell among others: its name, its episodes as last counted, and whether it drains."""
        return {
            "name": self._store.names.cell,
            "open_episodes": self.open_episodes,
            "max_episodes": self.most,
            "drains_s": round(self.drains_s, 1),
        }
