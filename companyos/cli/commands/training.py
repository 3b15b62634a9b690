"""The commands that train a policy: `train sft` and `train rl`."""

from pathlib import Path
from typing import Annotated

import typer

from .numbers import PlainNumbers
from .options import HomeOption, TokenOption, UrlOption

ConfigOption = Annotated[
    Path,
    typer.Option("--config", help="TOML file; `out`, the folder of the run, is the only setting it needs."),
]

train_app = PlainNumbers(help="Train a small policy; needs the extra `train`.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(train_app, name="train")


@train_app.command()
def sft(
    *, config: ConfigOption, url: UrlOption = None, token: TokenOption = None, home: HomeOption = None
) -> None:
    """Let a policy imitate the oracles; the same command goes on after an interruption."""
    from ..train.command import run

    run("sft", config, home, url=url, token=token)


@train_app.command()
def rl(
    *, config: ConfigOption, url: UrlOption = None, token: TokenOption = None, home: HomeOption = None
) -> None:
    """Train the policy of an earlier run by reinforcement; the same command goes on after an interruption."""
    from ..train.command import run

    run("rl", config, home, url=url, token=token)
