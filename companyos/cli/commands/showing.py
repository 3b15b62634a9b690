"""The commands that show what agents do: `demo`, `report` and `view`."""

from pathlib import Path
from typing import Annotated

import typer

from .options import HomeOption, JsonOption, TokenOption, UrlOption


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(demo)
    app.command()(report)
    app.command()(view)


def demo(
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    all_families: Annotated[
        bool, typer.Option("--all", help="Play every scenario instead, with a random agent and the oracle.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the task; with --all, the first. [default: 44; --all: 0]"),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="With --all: episodes per scenario and agent.")] = 2,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """See an agent that believes claims fail a task, the oracle solve it, and its counterpart need the opposite."""
    from ..demo import run, run_all

    if not all_families:
        run(home, url=url, token=token, seed=seed, as_json=as_json)
        return
    first = seed or 0
    run_all(home, url=url, token=token, seeds=range(first, first + episodes), as_json=as_json)


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
