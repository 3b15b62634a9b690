"""The `report` command: one page about a run, or about several side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companyos.embedded.errors import Misuse, StackError

from ..output import echo
from . import DEFAULT_RUNS, refuse_file
from .browser import show_in_browser

if TYPE_CHECKING:
    from companyos.evaluation.runs import Run


def report(runs: Sequence[Path], *, out: Path | None, open_it: bool) -> None:
    """Write the report, print its path, and open it if requested.

    Raises:
        Misuse: The report cannot be written there.
        StackError: A run cannot be read, or the report cannot be written.
    """
    from companyos.evaluation.report import write_report
    from companyos.evaluation.report.drawing import INSTALL, can_draw

    folders = runs or [latest_run()]
    path = out or folders[0] / "report.html"
    if out is not None:
        refuse_file(out)
    read = read_all(folders)
    try:
        write_report(read, path)
    except OSError as failure:
        raise StackError(
            f"{path} cannot be written: {failure.strerror}. Choose another file with --out."
        ) from None
    echo(f"report: {path}")
    if not can_draw():
        echo(f"It has tables only. For charts: {INSTALL}")
    if open_it:
        show_in_browser(path.resolve().as_uri())


def latest_run() -> Path:
    """Return the most recent run below `runs`.

    Raises:
        StackError: There is none.
    """
    found = [path.parent for path in DEFAULT_RUNS.glob("*/episodes.jsonl")]
    if not found:
        raise StackError("There is no run below runs/. Name one, or write one with `companyos run`.")
    return max(found, key=lambda folder: (folder / "episodes.jsonl").stat().st_mtime)


def read_all(paths: Sequence[Path]) -> "list[Run]":
    """Return the runs in these folders.

    Raises:
        StackError: One cannot be read, or has no finished episode.
    """
    from companyos.evaluation.runs import FolderUnusable, read_run

    try:
        runs = [read_run(path) for path in paths]
    except FolderUnusable as failure:
        raise Misuse(str(failure)) from None
    for run in runs:
        if not run.episodes:
            raise StackError(
                f"{run.path} has no finished episode yet. Repeat its `companyos run` to go on with it."
            )
    return runs
