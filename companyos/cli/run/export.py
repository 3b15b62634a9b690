"""The `export` command: conversations of runs as training data."""

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from companyos.evaluation.runs import FolderUnusable, Run, read_run, refuse_place
from companyos.evaluation.runs.export.card import Card
from companyos.evaluation.runs.export.conversations import successes
from companyos.evaluation.runs.export.dataset import examples, write_dataset
from companyos.evaluation.runs.export.formats import FORMATS, why_empty
from companyos.evaluation.runs.export.rows import line_of, whole
from companyos.evaluation.runs.export.tokens import estimated_tokens

from ..output import echo, print_json
from .command import command_line, failures_told


def export(folders: Sequence[Path], *, form: str, out: Path | None, as_json: bool) -> None:
    """Write the conversations of runs.

    Args:
        folders: Result folders.
        form: One of `FORMATS`.
        out: The file to write, or the folder for `hf`; None for standard output.
        as_json: Whether to print what was written as JSON.

    Raises:
        typer.BadParameter: An argument cannot be used as given.
    """
    if form not in FORMATS:
        message = f"there is no format {form!r}. Choose from: {', '.join(FORMATS)}"
        raise typer.BadParameter(message, param_hint="--format")
    if form == "hf" and out is None:
        raise typer.BadParameter("a data set is a folder. Name one with --out", param_hint="--out")
    if out is not None:
        with failures_told():
            refuse_place(out, is_folder=form == "hf")
    try:
        count = _rows_written(form, list(map(read_run, folders)), out)
    except FolderUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="RUN") from None
    except OSError as failure:
        raise typer.BadParameter(f"{out} cannot be written: {failure.strerror}", param_hint="--out") from None
    if not count:
        echo(why_empty(form), err=True)
    if out is None:
        return
    if as_json:
        print_json({"out": str(out), "format": form, "rows": count})
    else:
        echo(f"{out}: {count} {'pairs' if form == 'preferences' else 'conversations'}")


def _rows_written(form: str, runs: Sequence[Run], out: Path | None) -> int:
    """Write the rows of a format, and return how many there are."""
    if form == "hf" and out is not None:
        found = examples(successes(runs), whole)
        counts = write_dataset(out, found, Card(command_line()), estimated_tokens())
        return sum(one.rows for one in counts.values())
    lines = list(map(line_of, FORMATS[form](runs)))
    if out is None:
        sys.stdout.writelines(lines)
    else:
        out.write_text("".join(lines), encoding="utf-8")
    return len(lines)
