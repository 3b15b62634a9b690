"""How many cells a training needs, from what a step costs: `steps/s = rollouts / period`, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

#: Measured on two cores that also ran the client: processor time of a step over all processes, in seconds.
STEP_CPU_S: Final = 0.0024
#: Steps per second of a cell of two cores, and how much of that to plan with.
CELL_STEPS_S, PLANNED_LOAD = 700.0, 0.7
CELL_CORES: Final = 2
#: Memory of an idle cell and of an open episode, in megabytes.
CELL_MB, EPISODE_MB = 310.0, 0.035


@dataclass(frozen=True)
class TrainingDemand:
    """What a training needs.

    Attributes:
        steps_s: Steps per second.
        busy_cores: Cores that are busy on average.
        cells: Cells of two cores each.
        memory_mb: Memory of all cells together, in megabytes.
    """

    steps_s: float
    busy_cores: float
    cells: int
    memory_mb: float


def demand_of(rollouts: int, period_s: float) -> TrainingDemand:
    """Return what so many rollouts need of which each steps once per period.

    Args:
        rollouts: Episodes that are open at once.
        period_s: Seconds from one step of an episode to the next, most of them the model's.
    """
    steps_s = rollouts / period_s
    cells = max(1, ceil(steps_s / (CELL_STEPS_S * PLANNED_LOAD)))
    return TrainingDemand(steps_s, steps_s * STEP_CPU_S, cells, cells * CELL_MB + rollouts * EPISODE_MB)
