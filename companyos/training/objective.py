"""What an update by credit raises: better calls, fewer worse ones, and nearness to the policy that it began with."""

from collections.abc import Sequence

import torch
from torch.nn.utils.rnn import pad_sequence

from .interface import Decision, Policy
from .optimization import Objective, in_parts


def gain(likelihood: torch.Tensor, weight: torch.Tensor, sure: float) -> torch.Tensor:
    """Return what an update raises, (calls,): the log-probability of better calls, and of not making worse ones.

    A call is many choices among hundreds of options, and most choices of a worse call are right. Lowering its
    log-probability would drag them down without end; this stops once the call as a whole is unlikely (unlikelihood,
    Welleck et al. 2020, arXiv 1908.04319). Blame that is sure grows where the policy is certain, so that it can change
    its mind. Blame that is not becomes -p, whose gradient is that of log p where p is 1: what the better and the
    worse episodes of a group have in common cancels out.

    Args:
        likelihood: Log-probability p of each call.
        weight: Its advantage, negative for a worse call.
        sure: How sure it is that a worse call was itself wrong, above 0 and below 1.
    """
    unlikely = torch.log1p(-sure * likelihood.exp()) / sure
    return weight.clamp(min=0) * likelihood - weight.clamp(max=0) * unlikely


class Anchor:
    """Holds a policy near the one that it began with, at all states that it reaches.

    Where nothing succeeds, episodes differ by the price of a refused call, and the steps of Adam are as long for that
    as for success: a weak policy forgets what it knows before it has learned anything. So every choice is drawn back
    the more, the further its log-probability has moved, and goes as far as its advantage is worth. In expectation this
    lowers the divergence from the beginning (KL control, Jaques et al. 2017, arXiv 1611.02796).
    """

    def __init__(self, policy: Policy, weight: float) -> None:
        self._policy = policy
        self._weight = weight

    @torch.no_grad()
    def likelihood(self, decisions: Sequence[Decision]) -> list[torch.Tensor]:
        """Return how likely each choice of each decision was to the policy in the beginning."""
        parts = in_parts(decisions, self._policy.at_once)
        rows = [row for part in parts for row in self._policy.likelihood(part)]
        return [row[: len(each)] for row, each in zip(rows, decisions, strict=True)]

    def pull(self, likelihood: torch.Tensor, began: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return what an update lowers, (calls,): how far the choices of each call have moved."""
        return self._weight / 2 * (likelihood - pad_sequence(list(began), batch_first=True)).square().sum(1)


def credit_objective(
    decisions: Sequence[Decision], weights: Sequence[float], sure: float, anchor: Anchor | None = None
) -> Objective:
    """Return the objective of an update that credits each decision with its weight."""
    began = anchor.likelihood(decisions) if anchor else []

    def objective(likelihood: torch.Tensor, numbers: Sequence[int]) -> torch.Tensor:
        better = gain(likelihood.sum(1), torch.tensor([weights[number] for number in numbers]), sure)
        return better - anchor.pull(likelihood, [began[number] for number in numbers]) if anchor else better

    return objective
