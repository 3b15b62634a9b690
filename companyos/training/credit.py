"""Credit for the calls of a group of episodes of one seed, which are compared with each other.

A call is credited with what its episode earned beyond the mean of its group (GRPO, Shao et al. 2024, arXiv
2402.03300; without division by the deviation, Liu et al. 2025, arXiv 2503.20783). Forks know more: which call of a
failed episode was decisive, so that no other call of it is blamed.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import fmean

from .rollouts import Rollout


def group_advantages(group: Sequence[Rollout], credit: str) -> list[list[float]]:
    """Return the advantage of each call of each episode, in the order of the group.

    Args:
        group: Episodes of one seed.
        credit: `episode` compares returns; `reward_to_go` compares what was earned from the n-th call on.
    """
    if credit == "episode":
        mean = fmean(episode.episode_return for episode in group)
        return [[_rounded(each.episode_return - mean)] * len(each.turns) for each in group]
    to_go = [_rewards_to_go(episode) for episode in group]
    longest = max(map(len, to_go))
    means = [fmean(row[call] if call < len(row) else 0.0 for row in to_go) for call in range(longest)]
    return [[_rounded(value - mean) for value, mean in zip(row, means, strict=False)] for row in to_go]


def fork_advantages(group: Sequence[Rollout], decisive: Mapping[int, int]) -> list[list[float]]:
    """Return the advantage of each call of each episode: a success is worth what its group fails at.

    Args:
        group: Episodes of one seed.
        decisive: The number of the decisive call of each failed episode, by the number of the episode in the group.
    """
    failures = 1 - fmean(bool(episode.success) for episode in group)
    return [
        [
            -float(call == decisive[number]) if number in decisive else failures
            for call in range(len(each.turns))
        ]
        for number, each in enumerate(group)
    ]


def _rewards_to_go(episode: Rollout) -> list[float]:
    """Return for each call the sum of the rewards from it to the end."""
    backwards = accumulate(turn.reward for turn in reversed(episode.turns))
    return list(backwards)[::-1]


def _rounded(advantage: float) -> float:
    # Sums of equal rewards can differ in their last bits, which is no variance.
    return round(advantage, 9)
