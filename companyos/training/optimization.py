"""Steps along the gradient of an objective, in parts that memory allows."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch

from .interface import Decision, Policy

#: The longest gradient that an update follows.
GRADIENT_NORM = 1.0
#: Returns what is to grow, given the likelihood of decisions' choices, (decisions, choices), and their numbers.
Objective = Callable[[torch.Tensor, Sequence[int]], torch.Tensor]
Item = TypeVar("Item")


def ascend(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    decisions: Sequence[Decision],
    picked: Sequence[int],
    objective: Objective,
) -> float:
    """Make one step, and return the objective before it: its sum over choices, and its mean over picked decisions."""
    optimizer.zero_grad()
    reached = 0.0
    for numbers in in_parts(picked, policy.at_once):
        likelihood = policy.likelihood([decisions[number] for number in numbers])
        part = objective(likelihood, numbers).sum() / len(picked)
        (-part).backward()
        reached += float(part.detach())
    torch.nn.utils.clip_grad_norm_(policy.parameters(), GRADIENT_NORM)
    optimizer.step()
    return reached


def in_parts(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield so many items at a time."""
    return (items[first : first + size] for first in range(0, len(items), size))
