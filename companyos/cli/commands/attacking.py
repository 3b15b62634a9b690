"""The command that searches scenarios for attacks on their rewards: `attack`."""

from typing import Annotated

import typer

from .options import CardsOption, HomeOption, JsonOption, ScenariosArgument, TokenOption, UrlOption


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(attack)


def attack(
    scenarios: ScenariosArgument = None,
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Seeds whose oracle logs plans are made from, counted from 0.")
    ] = 8,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of other seeds that plans are scored on.")] = 2,
    loops: Annotated[int, typer.Option(min=0, help="Loops at each point of an oracle's episode.")] = 12,
    rounds: Annotated[int, typer.Option(min=0, help="Rounds in which the best plan is changed.")] = 24,
    cards: CardsOption = False,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Search for loops that keep earning, early endings that pay, and blind plans; exit with 1 if there is one."""
    from companyos.evaluation.attacks import Effort

    from ..attack.command import AttackOptions, run

    effort = Effort(logs=seeds, looped=min(seeds, 2), loops=loops, pairs=pairs, rounds=rounds)
    options = AttackOptions(scenarios or [], effort, cards)
    run(home, url=url, token=token, options=options, as_json=as_json)
