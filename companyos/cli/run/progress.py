"""The progress of a run on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from companyos.evaluation.runs import EpisodeRecord
from companyos.evaluation.runs.outages import Say
from companyos.evaluation.runs.progress import RunProgress
from companyos.evaluation.runs.runner import Watch

from ..output import echo

#: Seconds between two updates of the bar, before the first plain line, and between two of them.
REDRAWN_S: Final = 0.2
FIRST_S: Final = 3.0
EVERY_S: Final = 10.0


@dataclass(frozen=True)
class Shown:
    """What a run tells of itself.

    Attributes:
        watch: Called with every finished episode.
        say: Called with a sentence that is shown at once.
    """

    watch: Watch
    say: Say


@contextmanager
def progress_shown(progress: RunProgress) -> Iterator[Shown]:
    """Show the progress until the context ends."""
    showing = _bar if sys.stderr.isatty() else _lines
    with showing(progress) as shown:
        yield shown


@contextmanager
def _bar(progress: RunProgress) -> Iterator[Shown]:
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
                _tell(progress, say)

        def say(text: str) -> None:
            bar.console.print(text, markup=False, highlight=False)

        yield Shown(watch, say)


@contextmanager
def _lines(progress: RunProgress) -> Iterator[Shown]:
    began = time.monotonic()
    due = began + min(FIRST_S, EVERY_S)

    def watch(record: EpisodeRecord) -> None:
        nonlocal due
        progress.add(record)
        now = time.monotonic()
        if now >= due or not progress.left:
            due = now + EVERY_S
            _tell(progress, say)
            say(", ".join(progress.parts(now - began)))

    def say(text: str) -> None:
        echo(text, err=True)

    yield Shown(watch, say)


def _tell(progress: RunProgress, say: Say) -> None:
    for reason in progress.new_reasons():
        say(f"agent error: {reason}")
    for hint in progress.new_hints():
        say(f"hint: {hint}")
