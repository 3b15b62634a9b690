"""The measurements that need no stack: the time of `--help`, and of generating a company."""

import subprocess
import time
from collections.abc import Callable

from companyos.sdk import stackpath
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Instance, Scenario, load_scenarios

from .figures import Measurement, percentile

SALT = "companyos-public"


def offline(count: int) -> list[Measurement]:
    """Measure help, and the generation of a default company of each scenario."""
    helps = _times(lambda: subprocess.run(stackpath.program("--help"), capture_output=True, check=True), 5)
    figures = [Measurement("companyos --help", min(helps), "s", 0.3, detail="the quickest of 5")]
    for name, scenario in load_scenarios().items():
        seeds = iter(range(count))
        made = _times(lambda scenario=scenario, seeds=seeds: _make(scenario, next(seeds)), count)  # type: ignore[misc]
        figures.append(Measurement(f"a default company of {name}", percentile(made, 0.5) * 1000, "ms", 15.0))
    return figures


def _make(scenario: Scenario, seed: int) -> Instance:
    return scenario.generate(seed, parse_chaos(1), SALT, "default")


def _times(action: Callable[[], object], count: int) -> list[float]:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return times
