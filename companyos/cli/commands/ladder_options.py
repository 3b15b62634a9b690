"""The options of `companyos ladder`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from .options import ConcurrencyOption
from .run_options import AgentOptions


@dataclass(frozen=True)
class LadderAgent(AgentOptions):
    """The agent whose success is measured; without a kind, none is."""

    kind: Annotated[
        str,
        typer.Option(
            "--agent",
            show_default=False,
            help="Measure the success of an agent of `companyos run` from there.",
        ),
    ] = ""


@dataclass(frozen=True)
class LadderOptions:
    """The solution whose places are listed, and the episodes that are played there."""

    scenario: Annotated[str, typer.Argument(help="Name of the scenario.")]
    seed: Annotated[int, typer.Option(min=0, help="Which instance.")] = 0
    chaos: Annotated[str, typer.Option(help="A level, a name, a profile as JSON, or @file.")] = "1"
    calls_left: Annotated[
        list[int] | None, typer.Option(help="List only the place with so many calls left; may be repeated.")
    ] = None
    episodes: Annotated[
        int,
        typer.Option(min=1, help="With --agent: episodes at each place, one of each seed from --seed on."),
    ] = 8
    concurrency: ConcurrencyOption = 8
