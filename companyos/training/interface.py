"""What a trainer asks of a policy, whatever it is made of."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, NamedTuple, Protocol

import torch

from .rollouts import Rollout

#: A call as a policy chooses it; its length is the number of choices, such as the tokens of the call.
Decision = Sized


class Repeated(NamedTuple):
    """Whether the best call of a policy is a given one: its service, its tool, and everything."""

    right_service: bool
    right_tool: bool
    right_call: bool


class Player(Protocol):
    """Acts for many episodes with one policy.

    Attributes:
        decisions: The decisions of each episode so far, by the identity of the episode.
    """

    decisions: dict[int, list[Any]]

    def __call__(self, episodes: Sequence[Rollout]) -> Sequence[Mapping[str, Any]]:
        """Return the next action of each episode."""


class Policy(Protocol):
    """Chooses calls, and says how likely they are."""

    @property
    def at_once(self) -> int:
        """The most decisions whose likelihood is asked for at once, so that memory suffices."""

    @property
    def formats(self) -> Mapping[str, str]:
        """The options of resets that make observations as the policy reads them."""

    def prepare(self, shown: Sequence[Rollout]) -> None:
        """Take from demonstrations what gradients do not teach, such as words."""

    def parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return what is trained."""

    def player(self, generator: torch.Generator | None = None) -> Player:
        """Return a player that acts greedily, or by chance if there is a generator."""

    def decisions(self, episode: Rollout, actions: Mapping[int, Mapping[str, Any]]) -> dict[int, Any]:
        """Return the decisions for actions in the place of calls of an episode, without those it cannot choose.

        Args:
            episode: What was seen and done.
            actions: An action by the number of the call.
        """

    def likelihood(self, decisions: Sequence[Any]) -> torch.Tensor:
        """Return the log-probability of each choice, (decisions, choices), 0 behind the last of a decision."""

    def repeated(self, decisions: Sequence[Any]) -> Sequence[Repeated]:
        """Return whether the greedy choice in the place of each decision is the same."""

    def parts(self) -> dict[str, Any]:
        """Return what a checkpoint needs to restore the policy."""
