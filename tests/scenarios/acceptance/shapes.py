"""The shapes of families: the distances between the tool sequences of their oracles.

Families with the same shape are the same task in different words. The distance of two sequences is their edit
distance (Levenshtein: insertions, deletions and substitutions of a tool) divided by the length of the longer
one, from 0 to 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Final

#: The least mean distance between the sequences of two families.
APART: Final = 0.5
#: The fewest distinct sequences of one family among `OF_SEEDS` seeds at level 0.
DISTINCT: Final = 8
OF_SEEDS: Final = 50

Tools = Sequence[str]


def distance(first: Tools, second: Tools) -> float:
    """Return the normalized edit distance of two sequences."""
    if not first and not second:
        return 0.0
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, start=1):
        before, row = row, [i]
        for j, other in enumerate(second, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other)))
    return row[-1] / max(len(first), len(second))


def mean_distance(first: Iterable[Tools], second: Iterable[Tools]) -> float:
    """Return the mean distance between any sequence of one family and any of another."""
    others = list(second)
    distances = [distance(one, other) for one in first for other in others]
    return fsum(distances) / len(distances)


def apart(families: Mapping[str, Sequence[Tools]]) -> dict[tuple[str, str], float]:
    """Return the mean distance of every two families."""
    return {
        (one, other): mean_distance(families[one], families[other])
        for one, other in combinations(sorted(families), 2)
    }
