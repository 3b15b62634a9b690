"""The commands that show results: `report` and `view`."""

from pathlib import Path
from typing import Annotated

import typer

from .options import HomeOption, TokenOption, UrlOption


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(report)
    app.command()(view)


def report(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN...]", help="Result folders of `companyos run`. [default: the latest below runs]"
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(help="File to write. [default: report.html in the first run's folder]")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Write one HTML page about a run, or about several side by side."""
    from ..results.report import report as write

    write(runs or [], out=out, open_it=open_it)


def view(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN...]", help="Result folders, or folders of them. [default: runs, if it exists]"
        ),
    ] = None,
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the pages. [default: 8010, or a free one]")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the pages in the browser.")] = False,
    home: HomeOption = None,
) -> None:
    """Browse runs, and the episodes of a running stack, step by step in the browser."""
    from ..results.view import view as serve

    serve(runs or [], home, url=url, token=token, port=port, open_it=open_it)
