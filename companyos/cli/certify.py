"""The command that certifies the scenarios on a running stack, or on one started for it."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import aiohttp
import typer

from companyos.baselines import Player, card_with, table
from companyos.certify import DEFAULT_SALT, Progress, Tell, certify
from companyos.embedded.errors import StackError
from companyos.journal import JournalUnreadable
from companyos.scenario import ScenarioUnknown, find

from .curves import write_curves
from .demo import trainer_door
from .output import print_json


def run(
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    seeds: str,
    levels: str,
    scenarios: Sequence[str],
    landed: int,
    agents: Sequence[str],
    sample: int | None,
    journal: Path | None,
    cards: bool,
    as_json: bool,
) -> None:
    """Certify, print the report, and with `cards` write it into the scenarios' cards and the page about chaos.

    Args:
        home: Folder of the stack, unless `url` names another one.
        url: A trainer door.
        token: Its token.
        seeds: A number of seeds from 0, or the first and the last one: `700000-700099`.
        levels: Chaos levels: `3`, or `0-5`.
        scenarios: Names; all of them if there are none.
        landed: How often every fault of the levels has to land.
        agents: Names of agents; all of them if there are none.
        sample: How many of the seeds agents other than the oracle play at most.
        journal: Where every play is written, and need not be played again.
        cards: Whether to write the figures down.
        as_json: Whether to print JSON.
    """
    asked = {
        "seeds": span(seeds if "-" in seeds else f"0-{number(seeds, '--seeds') - 1}", "--seeds", fewest=2),
        "levels": span(levels if "-" in levels else f"{levels}-{levels}", "--levels", most=5),
        "players": [player for player in Player if not agents or player in agents],
        "landed": landed,
        "sample": sample,
        "journal": journal,
    }
    if strange := sorted(set(agents) - set(Player)):
        raise typer.BadParameter(f"there is no agent {strange[0]!r}", param_hint="--agent")
    with trainer_door(home, url, token) as (address, key), progress_shown() as tell:
        report = _certified(address, key, scenarios, tell, **asked)
    if as_json:
        print_json(report)
    else:
        typer.echo(table(report))
    if cards:
        for name, scenario in report["scenarios"].items():
            write_card(name, scenario)
        write_curves(report)
    if not report["certified"]:
        sys.exit(1)


@contextmanager
def progress_shown() -> Iterator[Tell | None]:
    """Show a person at a terminal how far it is."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("certifying", total=None)

        def tell(progress: Progress) -> None:
            latest = f"{progress.latest.scenario} {progress.latest.player}"
            bar.update(task, completed=progress.finished, total=progress.planned, description=latest)

        yield tell


def write_card(name: str, scenario: Mapping[str, Any]) -> None:
    """Replace the baselines in the README of a scenario."""
    source = import_module(type(find(name)).__module__).__file__
    assert source is not None
    card = Path(source).with_name("README.md")
    try:
        card.write_text(card_with(card.read_text(encoding="utf-8"), scenario), encoding="utf-8")
    except (OSError, ValueError) as failure:
        raise StackError(f"{card} was not written: {failure}. Run it in a checkout.") from None


def span(text: str, option: str, *, fewest: int = 1, most: int | None = None) -> range:
    """Return the numbers from the first to the last of `a-b`.

    Raises:
        typer.BadParameter: These are fewer than `fewest`, or some are above `most`.
    """
    first, _, last = text.partition("-")
    named = range(number(first, option), number(last, option) + 1)
    if len(named) < fewest:
        raise typer.BadParameter(
            f"{text} names {len(named)}, and at least {fewest} are needed", param_hint=option
        )
    if most is not None and named[-1] > most:
        raise typer.BadParameter(f"{named[-1]} is above {most}", param_hint=option)
    return named


def number(text: str, option: str) -> int:
    """Return the number that a text is.

    Raises:
        typer.BadParameter: It is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise typer.BadParameter(
            f"{text!r} is no number, and no first and last one like 0-5", param_hint=option
        )
    return int(text)


def _certified(
    url: str, token: str | None, scenarios: Sequence[str], tell: Tell | None, **asked: Any
) -> dict[str, Any]:
    salt = os.environ.get("COMPANYOS_SALT") or DEFAULT_SALT
    proof = certify(url, token, scenarios=scenarios or None, salt=salt, progress=tell, **asked)
    try:
        return asyncio.run(proof)
    except (ScenarioUnknown, JournalUnreadable) as unknown:
        raise StackError(str(unknown)) from None
    except (aiohttp.ClientError, TimeoutError) as failure:
        told = str(failure) or "no answer in time"
        raise StackError(f"{url}: {told}. Is that a trainer door, and its --token right?") from failure
