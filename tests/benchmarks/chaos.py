"""The overhead of a fault plan that injects nothing: two alternating episodes, one of them calm."""

import time
from typing import Any

from companyos.sdk.chaos import Layer, parse_chaos

from .figures import Measurement, percentile
from .trainer import Episode, Trainer

LEVEL = 3
#: A probability so small that every decision is made but no fault is ever injected.
HARDLY_EVER = 1e-12
GOAL = 1.05


def idle_plan(level: int = LEVEL) -> dict[str, Any]:
    """Return the profile of a level's service and event faults, each too unlikely to occur."""
    profile = parse_chaos(level).profile
    layers = (Layer.SERVICE, Layer.EVENT)
    known = {fault for layer in layers for fault in parse_chaos(level).of(layer)}
    faults = {
        name: {**setting, "p": HARDLY_EVER} for name, setting in profile["faults"].items() if name in known
    }
    return {"faults": faults, "limits": profile["limits"]}


async def plan_cost(trainer: Trainer, count: int) -> list[Measurement]:
    """Measure the ratio of steps under an idle level 3 plan to steps without one, by kind of step."""
    calm = await (await trainer.reset()).prepare()
    planned = await (await trainer.reset(chaos=idle_plan())).prepare()
    figures = []
    for name, kind in (("read", Episode.read), ("write", Episode.write), ("settled", Episode.settled)):
        times: dict[Episode, list[float]] = {calm: [], planned: []}
        for _ in range(count):
            for episode, taken in times.items():
                call, started = kind(episode), time.perf_counter()
                await episode.step(call)
                taken.append(time.perf_counter() - started)
        before, after = (percentile(taken, 0.5) for taken in times.values())
        detail = f"{after * 1e3:.2f} ms / {before * 1e3:.2f} ms, n {count}"
        figures.append(
            Measurement(
                f"step under a plan of level {LEVEL} / calm: {name}", after / before, "x", GOAL, detail=detail
            )
        )
    return figures
