"""The command that certifies the scenarios on a running stack, or on one started for it."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import typer

from companyos.baselines import card_with, table
from companyos.certify import DEFAULT_SALT, Progress, Tell, certify
from companyos.embedded.errors import StackError
from companyos.scenario import ScenarioUnknown, find

from .demo import trainer_door
from .output import print_json


def run(
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    seeds: int,
    scenarios: Sequence[str],
    cards: bool,
    as_json: bool,
) -> None:
    """Certify on seeds 0 to `seeds` - 1, print the report, and with `cards` write it into the scenarios' cards."""
    with trainer_door(home, url, token) as (address, key), progress_shown() as tell:
        report = _certified(address, key, range(seeds), scenarios, tell)
    if as_json:
        print_json(report)
    else:
        typer.echo(table(report))
    if cards:
        for name, scenario in report["scenarios"].items():
            write_card(name, scenario)
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


def _certified(
    url: str, token: str | None, seeds: Sequence[int], scenarios: Sequence[str], tell: Tell | None
) -> dict[str, Any]:
    salt = os.environ.get("COMPANYOS_SALT") or DEFAULT_SALT
    proof = certify(url, token, seeds=seeds, scenarios=scenarios or None, salt=salt, progress=tell)
    try:
        return asyncio.run(proof)
    except ScenarioUnknown as unknown:
        raise StackError(str(unknown)) from None
    except httpx.HTTPError as failure:
        raise StackError(f"{url}: {failure}. Is that a trainer door, and its --token right?") from failure
