"""Output of the commands: plain lines and tables for people, one JSON document for programs."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer

from companyos.embedded.home import Status


def tell_other_code(stack: Status) -> None:
    """Say where a stack runs the code of another checkout or installation than this command."""
    if stack.other_code:
        typer.echo(stack.other_code, err=True)


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    typer.echo(json.dumps(document, indent=1))


def print_columns(rows: Iterable[Sequence[str]]) -> None:
    """Print rows as aligned columns."""
    cells = [list(row) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        typer.echo(
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
