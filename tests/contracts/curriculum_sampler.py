"""A sampler as we read OpenEnv's RFC 013, which is in review and has no released one; see decision record 0108."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterable

from companyos.client import Record

PROMOTE, DEMOTE = 0.70, 0.20
#: The weight of a row of the tier that is being learned, and of one of any other tier.
LEARNING, OTHER = 1.0, 0.2


class CurriculumSampler:
    """Draws rows by `difficulty`: most from the tier being learned, which moves with the share of its successes.

    A tier is all rows of one difficulty. The share is taken over the last `window` episodes of the tier, and an episode
    counts as a success if its reward is at least `threshold`.
    """

    def __init__(self, rows: Iterable[Record], *, threshold: float, window: int, seed: int) -> None:
        self.rows = list(rows)
        self.tiers = sorted({row.difficulty for row in self.rows})
        self.tier = 0
        self._threshold, self._random = threshold, random.Random(seed)
        self._ended: dict[int, deque[bool]] = defaultdict(lambda: deque(maxlen=window))

    def draw(self) -> Record:
        """Return the row to play next."""
        learned = self.tiers[self.tier]
        weights = [LEARNING if row.difficulty == learned else OTHER for row in self.rows]
        return self._random.choices(self.rows, weights)[0]

    def record(self, row: Record, reward: float) -> None:
        """Count an episode, and move to the next or the previous tier where this one says so."""
        ended = self._ended[row.difficulty]
        ended.append(reward >= self._threshold)
        if row.difficulty != self.tiers[self.tier] or len(ended) < (ended.maxlen or 0):
            return
        share = sum(ended) / len(ended)
        move = 1 if share >= PROMOTE else -1 if share <= DEMOTE else 0
        self.tier = min(max(self.tier + move, 0), len(self.tiers) - 1)
        ended.clear()
