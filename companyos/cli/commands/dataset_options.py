"""The options of `companyos dataset`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .options import ConcurrencyOption
from .run_options import TaskOptions


@dataclass(frozen=True, kw_only=True)
class DatasetOptions(TaskOptions):
    """What the oracle plays, which rows come of it, and where they go."""

    out: Annotated[Path, typer.Option(help="Folder to write; a data set in it is replaced.")]
    rows: Annotated[
        str,
        typer.Option(
            help="conversations; calls: a row for each, with what came before it; preferences: a call and a mistake."
        ),
    ] = "conversations"
    last: Annotated[
        int | None,
        typer.Option(
            min=1, help="calls, preferences: how many exchanges before the call a row shows. [default: 8]"
        ),
    ] = None
    validation: Annotated[
        float,
        typer.Option(min=0, max=0.9, help="Share of the pairs of seeds that is for validation."),
    ] = 0.1
    held_out: Annotated[
        list[str] | None,
        typer.Option(
            "--hold-out", help="Also play this scenario, and keep all of it for the test; may be repeated."
        ),
    ] = None
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="Count tokens with this tokenizer.json, or that of a model on the Hub. [default: estimate them]"
        ),
    ] = None
    concurrency: ConcurrencyOption = 8
