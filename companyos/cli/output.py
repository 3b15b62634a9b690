"""Output of the commands: plain lines and tables for people, one JSON document for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from companyos.embedded.home import Status

#: What a terminal would take for a command, or could not print: control characters other than tabs and the ends of
#: lines, marks that turn the direction of writing, and halves of characters.
_COMMANDS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def echo(text: str, *, err: bool = False, nl: bool = True, color: str | None = None) -> None:
    """Print a text, with whatever would command the terminal spelled out, as in `\\x1b`.

    What other stacks, run folders, logs and models say is printed as well, and anybody may have written it.

    Args:
        text: The text, without colors of its own.
        err: Whether to print it to the standard error stream.
        nl: Whether to end the line.
        color: Its color, where the stream has colors.
    """
    spelled = _COMMANDS.sub(lambda found: repr(found[0])[1:-1], text.replace("\r\n", "\n"))
    typer.echo(spelled if color is None else typer.style(spelled, fg=color), err=err, nl=nl)


def tell_other_code(stack: Status) -> None:
    """Say where a stack runs the code of another checkout or installation than this command."""
    if stack.other_code:
        echo(stack.other_code, err=True)


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    echo(json.dumps(document, indent=1))


def print_columns(rows: Iterable[Sequence[str]]) -> None:
    """Print rows as aligned columns."""
    cells = [list(row) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        echo("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
