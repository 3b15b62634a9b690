"""Credit for the calls of a group of episodes of one seed, which are compared with each other.

A call is credited with what its episode earned beyond the mean of its group (GRPO, Shao et al. 2024, arXiv
2402.03300; without division by the deviation, Liu et al. 2025, arXiv 2503.20783). Forks know what each call was worth.
"""

from collections.abc import Sequence
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


def fork_advantages(worth: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """Return the advantage of each call over the mean of all, 0 where nothing can be said.

    A call that came no nearer is never praised, however much worse the others are: a policy that always fails would
    learn to spend its calls on reads.

    Args:
        worth: What each call of each episode was worth, as `progress` returns it.
    """
    known = [value for row in worth for value in row if value is not None]
    mean = fmean(known) if known else 0.0

    def advantage(value: float | None) -> float:
        if value is None:
            return 0.0
        beyond = _rounded(value - mean)
        return beyond if value > 0 else min(beyond, 0.0)

    return [[advantage(value) for value in row] for row in worth]


def _rewards_to_go(episode: Rollout) -> list[float]:
    """Return for each call the sum of the rewards from it to the end."""
    backwards = accumulate(turn.reward for turn in reversed(episode.turns))
    return list(backwards)[::-1]


def _rounded(advantage: float) -> float:
    # Sums of equal rewards can differ in their last bits, which is no variance.
    return round(advantage, 9)
