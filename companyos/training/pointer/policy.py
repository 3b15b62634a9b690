"""The pointer policy as trainers see it: the network with the vocabulary of phrases that it can choose."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from ..interface import Repeated
from ..rollouts import Rollout
from .calls import OutOfReach, Vocabulary, choices_of
from .demonstrations import begin, learn_vocabulary
from .features import Featurizer
from .network import PointerNetwork
from .player import PointerDecision, PointerPlayer


class PointerPolicy:
    """Chooses the tool and each argument by pointing at values.

    Attributes:
        network: Scores the options.
        vocabulary: Phrases by argument.
    """

    at_once = 32
    formats: Mapping[str, str] = {}

    def __init__(self, network: PointerNetwork, vocabulary: Vocabulary) -> None:
        self.network = network
        self.vocabulary = vocabulary

    @classmethod
    def untrained(cls, width: int, rounds: int) -> "PointerPolicy":
        """Return a policy with random weights and no phrases."""
        return cls(PointerNetwork(width, rounds), {})

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> "PointerPolicy":
        """Return the policy of a checkpoint."""
        network = PointerNetwork(*parts["shape"])
        network.load_state_dict(parts["policy"])
        return cls(network, {path: tuple(values) for path, values in parts["vocabulary"].items()})

    def parts(self) -> dict[str, Any]:
        """Return what `restored` needs."""
        return {
            "policy": self.network.state_dict(),
            "shape": [self.network.width, len(self.network.hear)],
            "vocabulary": {path: list(values) for path, values in self.vocabulary.items()},
        }

    def prepare(self, shown: Sequence[Rollout]) -> None:
        """Learn the phrases of demonstrations."""
        self.vocabulary = learn_vocabulary(shown)

    def parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the weights of the network."""
        weights: Iterable[torch.nn.Parameter] = self.network.parameters()
        return weights

    def player(self, generator: torch.Generator | None = None) -> PointerPlayer:
        """Return a player that acts greedily, or by chance if there is a generator."""
        return PointerPlayer(self.network, self.vocabulary, generator)

    def decisions(
        self, episode: Rollout, actions: Mapping[int, Mapping[str, Any]]
    ) -> dict[int, PointerDecision]:
        """Return the decisions for actions in the place of calls, without those that cannot be composed."""
        history, found = begin(episode, self.vocabulary), {}
        featurizer = Featurizer(history)
        for number, turn in enumerate(episode.turns):
            if number in actions:
                try:
                    slots, _ = choices_of(history, self.vocabulary, actions[number])
                except OutOfReach:
                    pass
                else:
                    chosen = [slot.target for slot in slots if slot.target is not None]
                    found[number] = PointerDecision(featurizer.state(), slots, chosen, tuple(history.tools))
            history.add(turn.action, turn.observation)
        return found

    def likelihood(self, decisions: Sequence[PointerDecision]) -> torch.Tensor:
        """Return the log-probability of each choice, (decisions, slots)."""
        _, likelihood, _ = self.network.log_probabilities(*_columns(decisions))
        return likelihood

    @torch.no_grad()
    def repeated(self, decisions: Sequence[PointerDecision]) -> list[Repeated]:
        """Return whether the best option of each choice, after the right ones, is the right one."""
        table, _, batch = self.network.log_probabilities(*_columns(decisions))
        best = table.argmax(2)
        right = ((best == batch.chosen) | ~batch.is_slot).all(1).tolist()
        return [
            Repeated(each.service(tool) == each.service(each.chosen[0]), tool == each.chosen[0], is_right)
            for each, tool, is_right in zip(decisions, best[:, 0].tolist(), right, strict=True)
        ]


def _columns(decisions: Sequence[PointerDecision]) -> tuple[Any, Any, Any]:
    """Return the states, the slots and the chosen options of decisions."""
    return (
        [each.state for each in decisions],
        [each.slots for each in decisions],
        [each.chosen for each in decisions],
    )
