"""The `export` command: conversations of runs as training data."""

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from companyos.evaluation.runs import FolderUnusable, read_run
from companyos.evaluation.runs.export.formats import FORMATS, line_of, why_empty, write_dataset

from ..output import print_json


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
    try:
        rows = list(FORMATS[form](list(map(read_run, folders))))
    except FolderUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="RUN") from None
    if not rows:
        typer.echo(why_empty(form), err=True)
    if out is None:
        sys.stdout.writelines(map(line_of, rows))
        return
    try:
        if form == "hf":
            write_dataset(out, rows)
        else:
            out.write_text("".join(map(line_of, rows)), encoding="utf-8")
    except OSError as failure:
        raise typer.BadParameter(f"{out} cannot be written: {failure.strerror}", param_hint="--out") from None
    if as_json:
        print_json({"out": str(out), "format": form, "rows": len(rows)})
    else:
        typer.echo(f"{out}: {len(rows)} {'pairs' if form == 'preferences' else 'conversations'}")
