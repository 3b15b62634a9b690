"""The splits: which families and seeds are for training, for model selection, and for the final score."""

from enum import StrEnum
from typing import Final


class Split(StrEnum):
    """A set of tasks, for training, for model selection or for the final score."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


#: The seeds of each split; the splits are disjoint.
SEEDS: Final = {
    Split.TRAIN: range(100_000),
    Split.VALIDATION: range(100_000, 110_000),
    Split.TEST: range(200_000, 210_000),
}

#: The splits of a held-out family: training contains no task of its kind.
HELD_OUT: Final = (Split.TEST,)
