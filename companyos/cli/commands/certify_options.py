"""The options of `companyos certify`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .options import CardsOption, ScenariosArgument, SeedsOption


@dataclass(frozen=True)
class CertifyOptions:
    """What to certify, which agents play, and where to keep the results."""

    scenarios: ScenariosArgument = None
    seeds: SeedsOption = "20"
    levels: Annotated[str, typer.Option(help="Chaos levels, such as 3 or 0-5.")] = "0-1"
    landed: Annotated[int, typer.Option(min=0, help="How often each fault of the levels must land.")] = 0
    agents: Annotated[
        list[str] | None, typer.Option("--agent", help="Play only this agent; may be repeated.")
    ] = None
    sample: Annotated[
        int | None, typer.Option(min=2, help="Most seeds that agents other than the oracle play.")
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the agents' runs; a certification in it is resumed. [default: one below runs/]"
        ),
    ] = None
    cards: CardsOption = False
