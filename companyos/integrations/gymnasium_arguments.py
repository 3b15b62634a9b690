"""Gymnasium: seeds and masks of resets, of Python or of NumPy, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np


def seed_of(value: Any) -> int:
    """Return a seed as Python's integer, whatever library it is of.

    Raises:
        TypeError: It is no integer.
    """
    try:
        return index(value)
    except TypeError:
        raise TypeError(
            f"seed: an integer is expected, not {value!r} of type {type(value).__name__}"
        ) from None


def seeds_of(seed: Any, count: int) -> Sequence[int | None]:
    """Return the seed of each environment; one seed n stands for n, n + 1, …

    Raises:
        TypeError: A seed is no integer.
        ValueError: There are more or fewer seeds than environments.
    """
    if seed is None:
        return [None] * count
    if np.ndim(seed) == 0:
        return range(seed_of(seed), seed_of(seed) + count)
    seeds = [None if each is None else seed_of(each) for each in seed]
    if len(seeds) != count:
        raise ValueError(f"seed: {len(seeds)} seeds for {count} environments")
    return seeds


def mask_of(given: Any, count: int) -> Sequence[bool]:
    """Return which environments to reset, by default all.

    Raises:
        ValueError: It is no array of as many booleans, or names none.
    """
    if given is None:
        return [True] * count
    mask = np.asarray(given)
    if mask.shape != (count,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(f"reset_mask: an array of {count} booleans is expected, at least one of them true")
    found: list[bool] = mask.tolist()
    return found
