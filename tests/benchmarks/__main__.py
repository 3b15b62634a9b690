"""Measure the stack and print the table: `make bench`, or `python -m tests.benchmarks --quick --json FILE`."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import aiohttp
from rich.console import Console
from rich.table import Table

from .agents import agent_calls
from .cells import cells
from .chaos import plan_cost
from .doors import doors
from .figures import Measurement
from .floors import floors
from .machine import RunningStack, idle_memory, idle_time, start_up, started_stack
from .measurements import (
    SIZES,
    branches,
    open_episodes,
    reset_throughput,
    resets,
    resets_by_size,
    room,
    steps,
    throughput,
)
from .new_seeds import new_seeds
from .offline import offline
from .peers import peers
from .runs import overhead_of_runs
from .starts import starts
from .trainer import Trainer

console = Console(stderr=True)


async def measure(
    stack: RunningStack, figures: list[Measurement], *, quick: bool, with_peers: bool = False
) -> None:
    """Run every measurement against a started stack, slow ones last, and add the figures of each."""
    count, seconds, sizes = (100, 3.0, SIZES[:2]) if quick else (900, 12.0, SIZES)
    # Every request has its own timeout, so that a hung stack fails the benchmark instead of blocking it.
    limits = aiohttp.ClientTimeout(total=600)
    async with aiohttp.ClientSession(timeout=limits, connector=aiohttp.TCPConnector(limit=0)) as session:
        trainer = Trainer(stack.url, session)
        figures += [idle_memory(stack), idle_time(stack)]
        for title, work in (
            ("floors", lambda: floors(stack.addresses, count)),
            ("resets", lambda: resets(trainer, count)),
            ("new seeds", lambda: new_seeds(trainer, 1 if quick else 4)),
            ("steps", lambda: steps(trainer, count)),
            ("agents", lambda: agent_calls(trainer, session, count // 3)),
            ("the fault plan", lambda: plan_cost(trainer, count // 3)),
            ("branches", lambda: branches(trainer, count // 3)),
            ("starts", lambda: starts(trainer, count // 3)),
            ("throughput", lambda: throughput(trainer, stack, seconds)),
            ("sizes", lambda: resets_by_size(trainer, count // 5, sizes)),
        ):
            console.print(f"measuring {title} …")
            figures += await work()
        if with_peers:
            console.print("measuring OpenEnv's echo …")
            figures += await peers(stack.url, session, seconds, await trainer.tools())
        console.print("measuring many at once …")
        for many in (100,) if quick else (1_000, 10_000):
            figures.append(await open_episodes(trainer, many, seconds * 2))
        figures.append(await room(trainer, stack, 40 if quick else 400))
        console.print("measuring runs …")
        figures.append(await overhead_of_runs(stack.url, 6 if quick else 16))
        # Last, since it leaves tens of thousands of open episodes behind.
        figures.append(await reset_throughput(trainer, seconds))


def report(figures: Sequence[Measurement]) -> Table:
    """Return the figures as a table."""
    table = Table("figure", "value", "goal", "", "detail")
    for figure in figures:
        sign = "≤" if figure.lower_is_better else "≥"
        goal = "" if figure.goal is None else f"{sign} {figure.goal:g} {figure.unit}"
        mark = {True: "reached", False: "missed", None: ""}[figure.reached]
        table.add_row(figure.name, f"{figure.value:.2f} {figure.unit}", goal, mark, figure.detail)
    return table


def main() -> None:
    """Measure, print, and write the figures as JSON if requested."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions: a look, not a result")
    parser.add_argument(
        "--doors", action="store_true", help="measure calls, pages, texts and pictures, and nothing else"
    )
    parser.add_argument(
        "--cells", action="store_true", help="measure cells behind their router, and nothing else"
    )
    parser.add_argument(
        "--episodes", type=int, default=500, help="of --cells: how many step, every 20 s (default: 500)"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of --cells: for how long (default: 60)")
    parser.add_argument("--peers", action="store_true", help="also measure OpenEnv's own echo environments")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    figures: list[Measurement] = []
    try:
        with tempfile.TemporaryDirectory(prefix="companyos-bench-") as folder:
            if options.cells:
                figures += asyncio.run(cells(Path(folder), options.episodes, options.seconds))
                return
            if not options.doors:
                figures += [*offline(15), *start_up(Path(folder), 1 if options.quick else 5)]
            with started_stack(Path(folder)) as stack:
                if options.doors:
                    figures += doors(stack.url, 40 if options.quick else 200)
                else:
                    asyncio.run(measure(stack, figures, quick=options.quick, with_peers=options.peers))
    finally:
        # What was measured before a failure or Ctrl-C took minutes, so it is not thrown away.
        Console(width=150).print(report(figures))
        if options.json:
            options.json.write_text(json.dumps([figure.document() for figure in figures], indent=1))


if __name__ == "__main__":
    main()
