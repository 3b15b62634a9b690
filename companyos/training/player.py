"""Plays a policy: keeps the history of each episode, chooses calls, and remembers how they were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .calls import OutOfReach, Slot, Vocabulary, choices_of, compose
from .demonstrations import begin
from .features import Featurizer, State
from .forks import Advice, state_of
from .policy import PointerPolicy
from .rollouts import Rollout


@dataclass(frozen=True)
class Decision:
    """A call as it was chosen: the state before it, the slots and the chosen options."""

    state: State
    slots: list[Slot]
    chosen: list[int]


class Player:
    """Acts for many episodes with one policy.

    Attributes:
        decisions: The decisions of each episode so far, by the identity of the episode.
    """

    def __init__(
        self, policy: PointerPolicy, vocabulary: Vocabulary, generator: torch.Generator | None = None
    ) -> None:
        """Play greedily, or by chance if there is a generator."""
        self._policy = policy
        self._vocabulary = vocabulary
        self._generator = generator
        self._followers: dict[int, Featurizer] = {}
        self.decisions: dict[int, list[Decision]] = {}

    @torch.no_grad()
    def __call__(self, episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        """Return the next action of each episode."""
        followers = [self._follow(episode) for episode in episodes]
        states = [follower.state() for follower in followers]
        calls = [compose(follower.history, self._vocabulary) for follower in followers]
        decisions = [Decision(state, [], []) for state in states]
        actions: dict[int, Mapping[str, Any]] = {}
        choosing = self._policy.begin_choosing(states)
        pending = {number: next(call) for number, call in enumerate(calls)}
        while pending:
            chosen = choosing.choose(pending, self._generator)
            slots, pending = pending, {}
            for number, option in chosen.items():
                decisions[number].slots.append(slots[number])
                decisions[number].chosen.append(option)
                try:
                    pending[number] = calls[number].send(option)
                except StopIteration as end:
                    actions[number] = end.value
        for episode, decision in zip(episodes, decisions, strict=True):
            self.decisions.setdefault(id(episode), []).append(decision)
        return [actions[number] for number in range(len(episodes))]

    def _follow(self, episode: Rollout) -> Featurizer:
        """Return the follower of an episode after its latest turn."""
        follower = self._followers.get(id(episode))
        if follower is None:
            follower = self._followers[id(episode)] = Featurizer(begin(episode, self._vocabulary))
        if episode.turns:
            latest = episode.turns[-1]
            follower.history.add(latest.action, latest.observation)
        return follower


def labels(episodes: Sequence[Rollout], advice: Advice, vocabulary: Vocabulary) -> list[Decision]:
    """Return the oracle's call at each state of episodes, where it has one that can be composed (DAgger).

    A learner that imitates its teacher at the states that it reaches itself learns to come back from its mistakes
    (Ross et al. 2011, arXiv 1011.0686).
    """
    found: dict[bytes, Decision | None] = {}
    for episode in episodes:
        follower = Featurizer(begin(episode, vocabulary))
        for number, turn in enumerate(episode.turns):
            state = state_of(episode, number)
            action = advice[state]["action"]
            if action is not None and state not in found:
                found[state] = _as_decision(action, follower, vocabulary)
            follower.history.add(turn.action, turn.observation)
    return [decision for decision in found.values() if decision is not None]


def _as_decision(action: Mapping[str, Any], follower: Featurizer, vocabulary: Vocabulary) -> Decision | None:
    """Return an action at the state of a follower as a decision; None if it cannot be composed."""
    try:
        slots, _ = choices_of(follower.history, vocabulary, action)
    except OutOfReach:
        return None
    chosen = [slot.target for slot in slots if slot.target is not None]
    return Decision(follower.state(), slots, chosen)
