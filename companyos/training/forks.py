"""Credit that only forks can give: whether each call of an episode came nearer to a solution, or lost it.

A snapshot before each call lets the scenario's oracle go on from there, without noise and whatever the policy can do.
How many calls it has left, before a call and after it, is what the call was worth. Each state is asked about once, and
only where an earlier answer does not hold: the oracle's own call leads where it said, and a lost task stays lost.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson

from companyos.client import Record
from companyos.client.batch import CompanyosBatch
from companyos.evaluation.attacks.logs import ENDS

from .rollouts import UNUSED, Act, Rollout

#: The oracle's next call, its calls then, and how many are left, by state.
Advice = Mapping[bytes, Record]


@dataclass(frozen=True)
class _Kept:
    """A state that was met, so many calls into an episode, by its last call from the state before it."""

    snapshot: str
    calls: int
    before: bytes | None
    call: Mapping[str, Any] | None


class Snapshots:
    """Acts as a player does, and keeps a snapshot of each episode before each of its calls.

    Attributes:
        asked: How often the oracle had to play.
    """

    def __init__(self, batch: CompanyosBatch, act: Act) -> None:
        self._batch = batch
        self._act = act
        self._kept: dict[bytes, _Kept] = {}
        self.asked = 0

    def __call__(self, episodes: Sequence[Rollout]) -> Sequence[Mapping[str, Any]]:
        """Return the next action of each episode."""
        states = {state_of(each, len(each.turns)): each for each in episodes}
        new = {state: each for state, each in states.items() if state not in self._kept}
        taken = self._batch.snapshot(each.slot for each in new.values())
        for (state, each), snapshot in zip(new.items(), taken, strict=True):
            calls = len(each.turns)
            before = (state_of(each, calls - 1), each.turns[-1].action) if calls else (None, None)
            self._kept[state] = _Kept(snapshot, calls, *before)
        return self._act(episodes)

    def ask(self) -> Advice:
        """Return the oracle's advice at every state, and delete the snapshots."""
        advice: dict[bytes, Record] = {}
        for _, same in groupby(sorted(self._kept, key=self._calls), key=self._calls):
            unknown = []
            for state in same:
                kept = self._kept[state]
                known = advice_after(advice[kept.before], kept.call) if kept.before and kept.call else None
                if known is None:
                    unknown.append(state)
                else:
                    advice[state] = known
            advice |= self._ask_oracle(unknown)
        self._batch.drop(each.snapshot for each in self._kept.values())
        self._kept.clear()
        return advice

    def _calls(self, state: bytes) -> int:
        return self._kept[state].calls

    def _ask_oracle(self, states: Sequence[bytes]) -> Iterable[tuple[bytes, Record]]:
        self.asked += len(states)
        width = len(self._batch.episode_ids)
        for first in range(0, len(states), width):
            some = states[first : first + width]
            starts: list[Mapping[str, Any] | None] = [
                {"snapshot": self._kept[state].snapshot} for state in some
            ]
            self._batch.reset([*starts, *[None] * (width - len(some))])
            yield from zip(some, self._batch.advise(range(len(some))), strict=True)


def advice_after(advice: Record, call: Mapping[str, Any]) -> Record | None:
    """Return the advice after a call as far as the advice before it tells, else None."""
    if advice["action"] is None:
        return advice
    if advice["then"] and _without_keys(advice["action"]) == _without_keys(call):
        rest = advice["then"]
        return Record(action=rest[0], then=rest[1:], calls_left=len(rest), why=None)
    return None


def _without_keys(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    arguments = {name: value for name, value in call.get("arguments", {}).items() if name not in UNUSED}
    return str(call.get("tool_name")), arguments


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
    return -1.0 if episode.turns[number].action.get("tool_name") in ENDS else None
