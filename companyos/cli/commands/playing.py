"""The commands that play agents and keep the results: `run`, `ladder`, `export` and `dataset`."""

from pathlib import Path
from typing import Annotated

import typer

from .dataset_options import DatasetOptions
from .ladder_options import LadderAgent, LadderOptions
from .option_groups import with_option_groups
from .options import HomeOption, JsonOption, TokenOption, UrlOption, UrlsOption
from .run_options import AgentOptions, RunOptions


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(run)
    app.command()(ladder)
    app.command()(export)
    app.command()(dataset)


@with_option_groups
def run(
    *,
    agent: AgentOptions,
    options: RunOptions,
    url: UrlsOption = None,
    token: TokenOption = None,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Play an agent over many episodes; the same command resumes an interrupted run."""
    from ..run.command import run as start

    start(home, url=",".join(url or ()) or None, token=token, agent=agent, options=options, as_json=as_json)


@with_option_groups
def ladder(
    *,
    options: LadderOptions,
    agent: LadderAgent,
    url: UrlOption = None,
    token: TokenOption = None,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """List the places in the oracle's solution at which episodes can start, with an agent's success there."""
    from ..run.ladder import ladder as show

    show(home, url=url, token=token, agent=agent, options=options, as_json=as_json)


def export(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Result folders of `companyos run`.")],
    *,
    form: Annotated[str, typer.Option("--format", help="sft, preferences, openai or hf.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; for hf a folder. [default: standard output]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the successful conversations of runs, without duplicates, for fine-tuning."""
    from ..run.export import export as write

    write(runs, form=form, out=out, as_json=as_json)


@with_option_groups
def dataset(
    *,
    options: DatasetOptions,
    url: UrlOption = None,
    token: TokenOption = None,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Let the oracles play many tasks, and write a data set for fine-tuning, split by task."""
    from ..run.dataset import dataset as make

    make(home, url=url, token=token, options=options, as_json=as_json)
