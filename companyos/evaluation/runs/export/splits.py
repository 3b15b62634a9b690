"""The splits of a data set: counterfactual pairs stay together, and held-out families are for the test alone."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from fractions import Fraction

from companyos.sdk.splits import Split


@dataclass(frozen=True)
class SplitRule:
    """Which split an episode belongs to.

    It depends on nothing but the family and the pair, so larger data sets never move a pair to another split.

    Attributes:
        validation: The share of the pairs that is for validation, in [0, 1): of the first n pairs, n times this
            share, rounded down.
        held_out: The families whose episodes are all for the test.
    """

    validation: Fraction = Fraction(0)
    held_out: Set[str] = frozenset()

    def split_of(self, scenario: str, seed: int) -> Split:
        """Return the split of an episode."""
        if scenario in self.held_out:
            return Split.TEST
        pair = seed // 2
        is_next = int((pair + 1) * self.validation) > int(pair * self.validation)
        return Split.VALIDATION if is_next else Split.TRAIN

    def splits(self) -> Iterator[Split]:
        """Yield the splits that a data set has."""
        yield Split.TRAIN
        if self.validation:
            yield Split.VALIDATION
        if self.held_out:
            yield Split.TEST
