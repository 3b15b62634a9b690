"""Measurements: times reduced to percentiles, and compared with a goal."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """One line of the report.

    Attributes:
        name: What was measured.
        value: The median, rate or size.
        unit: Its unit.
        goal: The value to reach, in the same unit, or None for a floor.
        lower_is_better: Which side of the goal is good.
        detail: Percentiles and counts.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    lower_is_better: bool = True
    detail: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None if there is no goal."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.lower_is_better else self.value >= self.goal

    def document(self) -> dict[str, Any]:
        """The figure as JSON."""
        return {**asdict(self), "reached": self.reached}


def percentile(times: Sequence[float], share: float) -> float:
    """Return the value below which this share of the times lies, by nearest rank."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def times_figure(name: str, times_s: Sequence[float], goal_ms: float | None = None) -> Measurement:
    """Return the median of times as a figure in milliseconds."""
    p50, p90, p99 = (percentile(times_s, share) * 1e3 for share in (0.5, 0.9, 0.99))
    return Measurement(name, p50, "ms", goal_ms, detail=f"p90 {p90:.2f}, p99 {p99:.2f}, n {len(times_s)}")


async def timed(action: Callable[[], Awaitable[Any]], count: int, warm_up: int = 5) -> list[float]:
    """Return how long each of `count` runs of an action took, in seconds, after some warm-up runs."""
    for _ in range(warm_up):
        await action()
    times = []
    for _ in range(count):
        started = time.perf_counter()
        await action()
        times.append(time.perf_counter() - started)
    return times
