"""The commands that show results: `report` and `view`."""

from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(report)


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Result folders of `companyos run`.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="File to write. [default: report.html in the first run's folder]")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Write one HTML page about a run, or about several side by side."""
    from ..results import report as write

    write(runs, out=out, open_it=open_it)
