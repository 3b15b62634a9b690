"""Delays of slow calls: keyed draws from a distribution, capped at its 99th percentile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, log
from statistics import NormalDist
from typing import Final

from .injection import Injection

_P99: Final = 0.99
_GRAIN: Final = 10_000


def delay_of(injection: Injection) -> int:
    """Return the delay of a call in simulated seconds."""
    params = injection.params
    share = (injection.drawn("delay", range(_GRAIN)) + 0.5) / _GRAIN
    return round(_DISTRIBUTIONS[params["distribution"]](share, params["base_s"], params["jitter_s"]))


def _fixed_delay(_share: float, base_s: int, _jitter_s: int) -> float:
    return base_s


def _uniform(share: float, base_s: int, jitter_s: int) -> float:
    return base_s + share * jitter_s


def _lognormal(share: float, base_s: int, jitter_s: int) -> float:
    """Return a delay with median `base_s`, capped at `base_s + jitter_s`, its 99th percentile."""
    spread = log(1 + jitter_s / base_s) / NormalDist().inv_cdf(_P99)
    return base_s * exp(spread * NormalDist().inv_cdf(min(share, _P99)))


_DISTRIBUTIONS: Final[Mapping[str, Callable[[float, int, int], float]]] = {
    "fixed": _fixed_delay,
    "uniform": _uniform,
    "lognormal": _lognormal,
}
