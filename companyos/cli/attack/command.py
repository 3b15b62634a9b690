"""The `attack` command: search, show progress, print the reports, and write them into the cards."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from companyos.client import ProxyUnusable
from companyos.embedded.errors import StackError
from companyos.evaluation.attacks import (
    AttackProgress,
    Effort,
    TrainerBranches,
    as_table,
    attacked,
    card_with_attacks,
    defects,
    missing_refusals,
    search_attacks,
)
from companyos.evaluation.attacks.search import TellAttack
from companyos.evaluation.offered import NotOffered
from companyos.evaluation.public_salt import DEFAULT_SALT
from companyos.evaluation.trainer import TrainerApi
from companyos.sdk.scenario import find

from ..certify import card_of, check_card, check_scenarios
from ..demo import checked_url, trainer_stack
from ..output import echo, print_json

#: The most concurrent requests.
AT_ONCE = 16


@dataclass(frozen=True)
class AttackOptions:
    """The options of the command, as given.

    Attributes:
        scenarios: Names of scenarios; empty for all of them.
        cards: Whether to write the results into the cards.
    """

    scenarios: Sequence[str]
    effort: Effort
    cards: bool


def run(
    home: Path | None, *, url: str | None, token: str | None, options: AttackOptions, as_json: bool
) -> None:
    """Search, print the reports, and exit with 1 if an attack pays.

    Raises:
        typer.BadParameter: An argument cannot be used as given.
        StackError: The stack failed.
    """
    names, url = check_scenarios(options.scenarios), checked_url(url)
    for name in names if options.cards else ():
        check_card(card_of(name))
    with trainer_stack(home, url, token) as (address, key), progress_shown() as tell:
        reports = _searched(address, key, names, options.effort, tell)
    print_json(reports) if as_json else echo(as_table(reports))
    _hint_at_missing_refusals(names, options.effort)
    if options.cards:
        written = [write_attacks(name, report) for name, report in reports.items()]
        if not as_json:
            echo(f"Written: {', '.join(map(str, written))}.")
    if defects(reports):
        sys.exit(1)


def write_attacks(name: str, report: Mapping[str, Any]) -> Path:
    """Replace the section on attacks in a scenario's README and return its path."""
    card = card_of(name)
    card.write_text(card_with_attacks(card.read_text(encoding="utf-8"), report), encoding="utf-8")
    return card


def _hint_at_missing_refusals(names: Sequence[str], effort: Effort) -> None:
    """Say on standard error which scenarios have infeasible tasks, but none on which plans were scored."""
    salt = os.environ.get("COMPANYOS_SALT") or DEFAULT_SALT
    for name in names:
        if hint := missing_refusals(find(name), effort, salt):
            echo(hint, err=True)


@contextmanager
def progress_shown() -> Iterator[TellAttack | None]:
    """Show progress when standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("attacking", total=None)

        def tell(progress: AttackProgress) -> None:
            description = f"attacking {progress.scenario}"
            bar.update(task, completed=progress.finished, total=progress.planned, description=description)

        yield tell


def _searched(
    url: str, token: str | None, names: Sequence[str], effort: Effort, tell: TellAttack | None
) -> dict[str, Any]:
    try:
        return asyncio.run(_all(url, token, names, effort, tell))
    except NotOffered as failure:
        raise StackError(f"{url}: {failure} Start it again: `companyos down`, `companyos up`.") from None
    except ProxyUnusable as failure:
        raise StackError(str(failure)) from None
    except (aiohttp.ClientError, TimeoutError) as failure:
        reason = str(failure) or "no answer in time"
        raise StackError(f"{url}: {reason}. Is that a trainer API, and its --token right?") from failure


async def _all(
    url: str, token: str | None, names: Sequence[str], effort: Effort, tell: TellAttack | None
) -> dict[str, Any]:
    scenarios = [find(name) for name in names]
    async with TrainerApi.opened(url, token, at_once=AT_ONCE) as api:
        await api.check_offered(scenarios)
        trainer = TrainerBranches(api)
        return {
            one.name: attacked(await search_attacks(trainer, one, effort, tell=tell)) for one in scenarios
        }
