"""Credit that only forks can give: whether each call of an episode came nearer to a solution, or lost it.

A snapshot before each call lets the scenario's oracle go on from there, without noise and whatever the policy can do.
How many calls it has left, before a call and after it, is what the call was worth. Episodes of one task that made the
same calls are in the same state, so each state is asked about once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from companyos.client import Record
from companyos.client.batch import CompanyosBatch
from companyos.evaluation.attacks.logs import ENDS

from .rollouts import Act, Rollout

#: The oracle's next call and how many are left, by state.
Advice = Mapping[bytes, Record]


class Snapshots:
    """Acts as a player does, and keeps a snapshot of each episode before each of its calls."""

    def __init__(self, batch: CompanyosBatch, act: Act) -> None:
        self._batch = batch
        self._act = act
        self._kept: dict[bytes, str] = {}

    def __call__(self, episodes: Sequence[Rollout]) -> Sequence[Mapping[str, Any]]:
        """Return the next action of each episode."""
        new = {state_of(each, len(each.turns)): each.slot for each in episodes}
        new = {state: slot for state, slot in new.items() if state not in self._kept}
        self._kept |= zip(new, self._batch.snapshot(new.values()), strict=True)
        return self._act(episodes)

    def ask(self) -> Advice:
        """Ask the oracle at every state, and delete the snapshots."""
        states, width = list(self._kept), len(self._batch.episode_ids)
        advice: dict[bytes, Record] = {}
        for first in range(0, len(states), width):
            some = states[first : first + width]
            starts: list[Mapping[str, Any] | None] = [{"snapshot": self._kept[state]} for state in some]
            self._batch.reset([*starts, *[None] * (width - len(some))])
            advice |= zip(some, self._batch.advise(range(len(some))), strict=True)
        self._batch.drop(self._kept.values())
        self._kept.clear()
        return advice


def state_of(episode: Rollout, calls: int) -> bytes:
    """Return what identifies the state of an episode after so many of its calls."""
    actions = [turn.action for turn in episode.turns[:calls]]
    return orjson.dumps([episode.options, actions], option=orjson.OPT_SORT_KEYS)


def progress(episode: Rollout, advice: Advice) -> list[float | None]:
    """Return what each call of an episode was worth.

    Returns:
        1 for a call after which the oracle has a call less to make, 0 for one that changes nothing, and -1 for one that
        makes more work or the task unsolvable. None where nothing can be said: after the task was lost, and of a last
        call that ended nothing but the budget.
    """
    return [_worth(episode, number, advice) for number in range(len(episode.turns))]


def _worth(episode: Rollout, number: int, advice: Advice) -> float | None:
    before = advice[state_of(episode, number)]["calls_left"]
    if before is None:
        return None
    if number + 1 < len(episode.turns):
        after = advice[state_of(episode, number + 1)]["calls_left"]
        return -1.0 if after is None else float(max(-1, min(1, before - after)))
    if episode.success:
        return 1.0
    return -1.0 if episode.turns[number].action["tool_name"] in ENDS else None
