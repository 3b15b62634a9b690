"""The `replay` command: replay the actions of a trace on a stack, and compare every hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import typer

from companyos.client import CompanyosEnv, CompanyosError, Refused
from companyos.embedded.errors import Misuse, StackError
from companyos.evaluation.replay import UNPLAYABLE, Difference, first_difference

from ..audit import broken_links_of, read_trace, title_of
from ..demo import checked_url, trainer_stack
from ..output import echo, print_json

DIFFERS: Final = 1


def run(file: str, *, url: str | None, token: str | None, home: Path | None, as_json: bool) -> None:
    """Replay a trace, and exit with 1 if the episode differs from it.

    Args:
        file: JSON or JSON Lines from `GET /episodes/{id}/trace`; `-` reads standard input.
        url: Trainer API to play on; by default the home's stack, or one started for the purpose.
        token: Its token.
        home: Home of the stack.
        as_json: Whether to print JSON.

    Raises:
        StackError: The stack failed, or cannot play the trace.
    """
    url, trace = checked_url(url), read_trace(file)
    if broken := broken_links_of(trace):
        # If the hashes of a file do not match its records, there is nothing to compare with.
        _leave(trace, Difference(None, broken), as_json=as_json)
    with trainer_stack(home, url, token) as (address, key), CompanyosEnv(address, token=key) as env:
        try:
            difference = first_difference(env, trace)
        except CompanyosError as failure:
            if isinstance(failure, Refused) and failure.status in UNPLAYABLE:
                raise Misuse(f"The stack cannot play this trace again: {failure}") from failure
            raise StackError(str(failure)) from failure
    _leave(trace, difference, as_json=as_json)


def _leave(trace: Sequence[Mapping[str, Any]], difference: Difference | None, *, as_json: bool) -> None:
    """Show the outcome, and exit with 1 if anything differs."""
    if as_json:
        step, reasons = (None, []) if difference is None else (difference.step, list(difference.reasons))
        steps = {"steps": len(trace) - 1, "trace_hash": trace[-1]["hash"]}
        print_json({"equal": difference is None, **steps, "step": step, "differences": reasons})
    else:
        title = title_of(trace)
        echo(f"{title}: {difference.text if difference else 'played again, and every hash is equal.'}")
    if difference:
        raise typer.Exit(DIFFERS)
