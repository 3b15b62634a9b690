"""The progress of a run on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer

from companyos.evaluation.runs import EpisodeRecord
from companyos.evaluation.runs.progress import RunProgress

#: Seconds between two updates of the bar, and between two plain lines.
REDRAWN_S: Final = 0.2
EVERY_S: Final = 10.0

Watch = Callable[[EpisodeRecord], None]


@contextmanager
def progress_shown(progress: RunProgress) -> Iterator[Watch]:
    """Yield the function to call with every finished episode."""
    showing = _bar if sys.stderr.isatty() else _lines
    with showing(progress) as watch:
        yield watch


@contextmanager
def _bar(progress: RunProgress) -> Iterator[Watch]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    began, latest = time.monotonic(), 0.0
    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    # If standard output is not a terminal, announcements of episodes must still reach it.
    redirected = sys.stdout.isatty()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=redirected) as bar:
        task = bar.add_task("starting", total=progress.planned, completed=progress.done)

        def watch(record: EpisodeRecord) -> None:
            nonlocal latest
            progress.add(record)
            now = time.monotonic()
            if now - latest >= REDRAWN_S:
                latest = now
                shown = " · ".join(progress.parts(now - began))
                bar.update(task, completed=progress.done, description=shown)
                for reason in progress.new_reasons():
                    bar.console.print(f"agent error: {reason}", markup=False, highlight=False)

        yield watch


@contextmanager
def _lines(progress: RunProgress) -> Iterator[Watch]:
    began = latest = time.monotonic()

    def watch(record: EpisodeRecord) -> None:
        nonlocal latest
        progress.add(record)
        now = time.monotonic()
        if now - latest >= EVERY_S or not progress.left:
            latest = now
            for reason in progress.new_reasons():
                typer.echo(f"agent error: {reason}", err=True)
            typer.echo(", ".join(progress.parts(now - began)), err=True)

    yield watch
