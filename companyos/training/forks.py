"""Credit that only forks can give: which call of a failed episode made its task unsolvable, and what was right there.

An episode is solvable up to one call and unsolvable after it. A snapshot before each call lets the scenario's oracle
play on from any of them, so a binary search finds the call: about log2(n) continuations for n calls, without noise.
Where the task stayed solvable to the end, the last call ended the episode or its budget, and is the one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companyos.client.batch import CompanyosBatch

from .rollouts import Act, Rollout


@dataclass(frozen=True)
class DecisiveCall:
    """The call that decided a failed episode.

    Attributes:
        number: Its place among the episode's turns, from 0.
        advice: The oracle's call in its place; None where the oracle has none.
        values: How many continuations of the oracle it took to find it.
    """

    number: int
    advice: Mapping[str, Any] | None
    values: int


class Snapshots:
    """Acts as a player does, and keeps a snapshot of each episode before each of its calls."""

    def __init__(self, batch: CompanyosBatch, act: Act) -> None:
        self._batch = batch
        self._act = act
        self._kept: dict[int, list[str]] = {}

    def __call__(self, episodes: Sequence[Rollout]) -> Sequence[Mapping[str, Any]]:
        """Return the next action of each episode."""
        taken = self._batch.snapshot([episode.slot for episode in episodes])
        for episode, snapshot in zip(episodes, taken, strict=True):
            self._kept.setdefault(id(episode), []).append(snapshot)
        return self._act(episodes)

    def decisive_calls(self, failed: Sequence[Rollout]) -> list[DecisiveCall]:
        """Return the decisive call of each of these failed episodes."""
        width = len(self._batch.episode_ids)
        chunks = [failed[first : first + width] for first in range(0, len(failed), width)]
        return [call for chunk in chunks for call in self._found(chunk)]

    def drop(self) -> None:
        """Delete the snapshots."""
        self._batch.drop([snapshot for taken in self._kept.values() for snapshot in taken])
        self._kept.clear()

    def _found(self, failed: Sequence[Rollout]) -> list[DecisiveCall]:
        # The decisive call is one of those from the first bound to the second.
        bounds = [(0, len(episode.turns) - 1) for episode in failed]
        values = [0] * len(failed)
        while wide := [number for number, (low, high) in enumerate(bounds) if low < high]:
            # Most failures are an end that comes too early, so the state before the last call is asked about first.
            middles = {
                number: sum(bounds[number]) // 2 if values[number] else bounds[number][1] - 1
                for number in wide
            }
            self._return_to({number: (failed[number], middle + 1) for number, middle in middles.items()})
            for number, value in zip(wide, self._batch.value(range(len(wide))), strict=True):
                low, high = bounds[number]
                bounds[number] = (middles[number] + 1, high) if value["solvable"] else (low, middles[number])
                values[number] += 1
        calls = [low for low, _ in bounds]
        self._return_to({number: (failed[number], call) for number, call in enumerate(calls)})
        advice = self._batch.advise(range(len(failed)))
        return [
            DecisiveCall(call, told["action"], asked + 1)
            for call, told, asked in zip(calls, advice, values, strict=True)
        ]

    def _return_to(self, places: Mapping[int, tuple[Rollout, int]]) -> None:
        """Begin episodes at the snapshots before these calls, in the first slots of the batch."""
        snapshots = [self._kept[id(episode)][call] for episode, call in places.values()]
        rest = len(self._batch.episode_ids) - len(snapshots)
        self._batch.reset([*[{"snapshot": snapshot} for snapshot in snapshots], *[None] * rest])
