"""The splits: which families and seeds are for learning, for choosing, and for the final figure."""

from enum import StrEnum
from typing import Final


class Split(StrEnum):
    """Which tasks are for learning, for choosing and for the final figure."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


#: The seeds of each split; no seed is in two.
SEEDS: Final = {
    Split.TRAIN: range(100_000),
    Split.VALIDATION: range(100_000, 110_000),
    Split.TEST: range(200_000, 210_000),
}

#: The splits of a family that is held out: nothing like it is seen in training.
HELD_OUT: Final = (Split.TEST,)
