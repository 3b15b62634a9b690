"""Whether the pairs of a search hold a task that cannot be done, and how many pairs would."""

from typing import Final

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Scenario

from .search import Effort

#: Pairs beyond which no infeasible task is looked for.
FARTHEST: Final = 30


def pairs_with_infeasible(scenario: Scenario, effort: Effort, salt: str) -> int | None:
    """Return the fewest pairs among whose seeds one is infeasible; None if the first thirty pairs have none.

    Args:
        scenario: The family.
        effort: Names the first seed of the pairs.
        salt: The salt of the stack.
    """
    for pair in range(FARTHEST):
        first = effort.first_held_out + 2 * pair
        pair_of_seeds = (scenario.generate(seed, parse_chaos(0), salt) for seed in (first, first + 1))
        if not all(instance.feasible for instance in pair_of_seeds):
            return pair + 1
    return None


def missing_refusals(scenario: Scenario, effort: Effort, salt: str) -> str | None:
    """Return a line that says which number of pairs is needed for an infeasible task; None if it is not missing."""
    needed = pairs_with_infeasible(scenario, effort, salt)
    if needed is None or needed <= effort.pairs:
        return None
    seeds = f"{effort.held_out[0]}-{effort.held_out[-1]}"
    return f"{scenario.name}: no task of the seeds {seeds} has to be refused; --pairs {needed} adds one."
