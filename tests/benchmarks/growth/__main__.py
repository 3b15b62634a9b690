"""Measure growth and print it: `python -m tests.benchmarks.growth`, which `make bench` runs as well."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ..machine import started_stack
from . import page
from .axes import ROWS, STEPS, WORLDS, by_rows, by_steps, by_worlds
from .database import EPISODES, FEW, by_episodes
from .lines import Line, line_of

console = Console(stderr=True)
ROUNDS, QUICK_ROUNDS = 150, 20


def measure(home: Path, *, quick: bool) -> Iterator[list[Line]]:
    """Measure one axis after another, each on fresh stacks."""
    count = QUICK_ROUNDS if quick else ROUNDS
    console.print("measuring by open worlds …")
    yield asyncio.run(by_worlds(home / "worlds", WORLDS[:-1] if quick else WORLDS, count))
    with started_stack(home / "axes") as stack:
        console.print("measuring by rows of the company …")
        yield asyncio.run(by_rows(stack, ROWS[:-1] if quick else ROWS, count))
        console.print("measuring by steps of the episode …")
        yield asyncio.run(by_steps(stack, STEPS, count))
    for seeds in (FEW, None):
        console.print(
            "playing episodes to their end, " + ("each its own seed …" if seeds is None else "few seeds …")
        )
        with started_stack(home / f"database-{seeds}") as stack:
            numbers = (EPISODES[0], 2 * EPISODES[0]) if quick else EPISODES
            yield [asyncio.run(by_episodes(stack, numbers, seeds=seeds))]


def table(lines: Sequence[Line]) -> Table:
    """Return the lines as a table."""
    shown = Table("axis", "what", "value at each position", "largest / smallest", "goal", "")
    for line in lines:
        figure = line.figure
        values = ", ".join(f"{x:,}: {value:.2f}" for x, value in line.points.items())
        goal = "" if figure.goal is None else f"≤ {figure.goal:g}x"
        mark = {True: "reached", False: "missed", None: ""}[figure.reached]
        shown.add_row(line.axis, line.name, f"{values} {line.unit}", f"{line.ratio:.2f}x", goal, mark)
    return shown


def main() -> None:
    """Measure, or read earlier results; print them, and write them and the image if requested."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="short axes, few repetitions: a look, not a result"
    )
    parser.add_argument("--json", type=Path, help="also write the lines to this file")
    parser.add_argument(
        "--docs", action="store_true", help="also write them into docs/explanation/performance.md"
    )
    parser.add_argument(
        "--from", dest="measured", type=Path, help="measure nothing: take the lines of this file"
    )
    options = parser.parse_args()
    if options.measured:
        lines = [line_of(document) for document in json.loads(options.measured.read_text())]
    else:
        with tempfile.TemporaryDirectory(prefix="companyos-growth-") as folder:
            lines = [line for found in measure(Path(folder), quick=options.quick) for line in found]
    Console(width=150).print(table(lines))
    if options.json:
        options.json.write_text(json.dumps([line.document() for line in lines], indent=1) + "\n")
    if options.docs:
        page.write(lines)


if __name__ == "__main__":
    main()
