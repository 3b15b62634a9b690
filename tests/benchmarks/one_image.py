"""Measure a container of the image: `python -m tests.benchmarks.one_image [--starts N]`; needs a Docker engine.

All times except the stop are measured from the call of `docker run`.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from companyos import CompanyosEnv
from companyos.embedded.programs.probes import is_ready
from examples import oracle
from tests.e2e.compose import ROOT, docker
from tests.e2e.one_image.container import CONFINED, IMAGE, build, started

from .figures import Measurement

POLL_S = 0.01
GIVE_UP_S = 300.0
#: The measurements of one container, in order, with their goals in seconds.
GOALS = {"ready": None, "healthy": 10.0, "first finished episode": 30.0, "stop": None}


def one_start() -> dict[str, float]:
    """Return the times of one container in seconds, by milestone."""
    began = time.perf_counter()
    with started("--user=65532:65532", *CONFINED, interval="") as container:
        url, reached = container.url, {}
        while not is_ready(url) and time.perf_counter() - began < GIVE_UP_S:
            time.sleep(POLL_S)
        reached["ready"] = time.perf_counter() - began
        with CompanyosEnv(url) as env:
            oracle.play(env)
        reached["first finished episode"] = time.perf_counter() - began
        container.await_health()
        reached["healthy"] = time.perf_counter() - began
        stopping = time.perf_counter()
        container.stop()
        reached["stop"] = time.perf_counter() - stopping
    return reached


def measure(starts: int) -> list[Measurement]:
    """Return the median of each time over a number of containers, one after the other."""
    build(str(ROOT), IMAGE)
    runs = [one_start() for _ in range(starts)]
    size_mb = int(docker("image", "inspect", "--format", "{{.Size}}", IMAGE).stdout) / 2**20
    times = [
        Measurement(f"container: {name}", round(median(run[name] for run in runs), 2), "s", goal)
        for name, goal in GOALS.items()
    ]
    return [*times, Measurement("container: image", round(size_mb), "MB")]


def main() -> None:
    """Measure and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=5)
    for figure in measure(parser.parse_args().starts):
        goal = "" if figure.goal is None else f"   (goal: {figure.goal:g} {figure.unit})"
        print(f"{figure.name:40} {figure.value:8g} {figure.unit}{goal}")


if __name__ == "__main__":
    main()
