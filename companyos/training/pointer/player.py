"""Plays a policy: keeps the history of each episode, chooses calls, and remembers how they were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..rollouts import Rollout
from .calls import Slot, Special, Vocabulary, compose
from .demonstrations import begin
from .features import Featurizer, State
from .network import PointerNetwork


@dataclass(frozen=True)
class PointerDecision:
    """A call as it was chosen: the state before it, the slots and the chosen options.

    Attributes:
        tools: The options of the first slot.
    """

    state: State
    slots: list[Slot]
    chosen: list[int]
    tools: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.slots)

    def service(self, option: int) -> str:
        """Return the service of a tool, or the tool's name if it belongs to none."""
        return self.tools[option - len(Special)].partition("_")[0]


class PointerPlayer:
    """Acts for many episodes with one policy.

    Attributes:
        decisions: The decisions of each episode so far, by the identity of the episode.
    """

    def __init__(
        self, network: PointerNetwork, vocabulary: Vocabulary, generator: torch.Generator | None = None
    ) -> None:
        """Play greedily, or by chance if there is a generator."""
        self._network = network
        self._vocabulary = vocabulary
        self._generator = generator
        self._followers: dict[int, Featurizer] = {}
        self.decisions: dict[int, list[PointerDecision]] = {}

    @torch.no_grad()
    def __call__(self, episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        """Return the next action of each episode."""
        followers = [self._follow(episode) for episode in episodes]
        states = [follower.state() for follower in followers]
        calls = [compose(follower.history, self._vocabulary) for follower in followers]
        decisions = [
            PointerDecision(state, [], [], tuple(follower.history.tools))
            for state, follower in zip(states, followers, strict=True)
        ]
        actions: dict[int, Mapping[str, Any]] = {}
        choosing = self._network.begin_choosing(states)
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
