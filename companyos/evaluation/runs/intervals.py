"""Estimates with 95 % intervals in closed form, without resampling: equal records give equal estimates."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

#: The probability below the upper end of a 95 % interval.
_UPPER: Final = 0.975
_Z: Final = NormalDist().inv_cdf(_UPPER)
#: Student's t at 97.5 % for 1 to 10 degrees of freedom; beyond that, the expansion below is accurate enough.
_T: Final = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)


@dataclass(frozen=True)
class Estimate:
    """A value, its 95 % interval, and the number of observations behind it.

    Attributes:
        low: Lower end of the interval; None if there are too few values.
        high: Upper end.
    """

    value: float
    low: float | None
    high: float | None
    count: int

    def scaled(self, factor: float) -> "Estimate":
        """Return the estimate multiplied by a factor."""
        ends = [None if end is None else factor * end for end in (self.low, self.high)]
        return Estimate(factor * self.value, ends[0], ends[1], self.count)


def share(values: Sequence[float]) -> Estimate | None:
    """Estimate the mean of values from 0 to 1; None without values.

    For values strictly between 0 and 1 the interval is conservative, because zeros and ones vary most.
    """
    if not values:
        return None
    rate = fmean(values)
    return Estimate(rate, *wilson(rate, len(values)), len(values))


def wilson(rate: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate among so many observations (Wilson 1927)."""
    spread = _Z**2 / count
    middle = (rate + spread / 2) / (1 + spread)
    half = _Z * sqrt(rate * (1 - rate) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half))


def mean(values: Sequence[float]) -> Estimate | None:
    """Estimate a mean (Student 1908); None without values, and no interval for a single value."""
    if not values:
        return None
    count, middle = len(values), fmean(values)
    if count == 1:
        return Estimate(middle, None, None, 1)
    half = t_quantile(count - 1) * stdev(values) / sqrt(count)
    return Estimate(middle, middle - half, middle + half, count)


def t_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t (Abramowitz and Stegun, 26.7.5).

    Args:
        freedom: Degrees of freedom, from 1.
    """
    if freedom <= len(_T):
        return _T[freedom - 1]
    first = (_Z**3 + _Z) / (4 * freedom)
    second = (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * freedom**2)
    third = (3 * _Z**7 + 19 * _Z**5 + 17 * _Z**3 - 15 * _Z) / (384 * freedom**3)
    return _Z + first + second + third
