"""Starts within the oracle's solution: resets at known rungs, in turns with other resets of the same instance."""

from typing import Any

from .figures import Measurement, percentile, timed, times_figure
from .trainer import SCENARIO, Trainer

#: The instance is new to the stack, so that its rungs begin short chains of layers.
INSTANCE = {"scenario": SCENARIO, "seed": 20_301, "chaos": 0, "tools": "scenario"}


async def starts(trainer: Trainer, count: int) -> list[Measurement]:
    """Measure resets in the middle and at the last call of a known solution, at the brief, and from a snapshot."""
    first = await trainer.post("/reset", {**INSTANCE, "start": {"calls": 0}})
    middle = {**INSTANCE, "start": {"calls": first["metadata"]["start"]["calls_left"] // 2}}
    kept = (await trainer.post("/reset", middle))["metadata"]["snapshot_id"]
    wanted: dict[str, dict[str, Any]] = {
        "the brief": INSTANCE,
        "a known snapshot": {"snapshot": kept},
        "a known rung, in the middle": middle,
        "a known rung, as a drill": {**middle, "rewards": "drill", "max_steps": "+6"},
        "a known rung, at the last call": {**INSTANCE, "start": {"calls_left": 1}},
    }
    times: dict[str, list[float]] = {place: [] for place in wanted}
    for _ in range(count):
        for place, options in wanted.items():
            times[place] += await timed(
                lambda options=options: trainer.post("/reset", options),  # type: ignore[misc]
                1,
                warm_up=0,
            )
    figures = [times_figure(f"reset at {place}", taken, 2.0) for place, taken in times.items()]
    ratio = percentile(times["a known rung, in the middle"], 0.5) / percentile(times["the brief"], 0.5)
    return [*figures, Measurement("reset at a known rung / at the brief", ratio, "x")]
