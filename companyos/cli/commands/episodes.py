"""The commands about one episode: `play` and `replay`."""

from typing import Annotated

import typer

from .options import HomeOption, JsonOption, TokenOption, UrlOption


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(play)
    app.command()(replay)


def play(
    scenario: Annotated[str, typer.Argument(help="Name of the scenario.")] = "vendor_onboarding",
    *,
    seed: Annotated[int, typer.Option(min=0, help="Which instance.")] = 0,
    chaos: Annotated[str, typer.Option(help="A level, a name, a profile as JSON, or @file.")] = "1",
    guidance: Annotated[
        str, typer.Option(help="What you are told beside the brief: none, pointers or full.")
    ] = "none",
    trainer: Annotated[
        bool, typer.Option("--trainer", help="Show the reward of each step too, with its reasons.")
    ] = False,
    browser: Annotated[
        bool, typer.Option("--browser", help="Play in the web pages; the grade is shown here at the end.")
    ] = False,
    url: UrlOption = None,
    token: TokenOption = None,
    home: HomeOption = None,
) -> None:
    """Play an episode yourself, with completion, or in the browser; Ctrl-D leaves."""
    from ..episodes.play import EpisodeChoice, run

    choice = EpisodeChoice(scenario, seed, chaos, guidance)
    run(choice, trainer=trainer, browser=browser, url=url, token=token, home=home)


def replay(
    file: Annotated[
        str, typer.Argument(help="A trace, as returned by GET /episodes/{id}/trace; - reads stdin.")
    ],
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Play the actions of a trace again and compare every hash; exit with 1 at the first difference."""
    from ..episodes.replay import run

    run(file, url=url, token=token, home=home, as_json=as_json)
