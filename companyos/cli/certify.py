"""The `certify` command: certify scenarios on a running stack, or on one started for the purpose."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from companyos.embedded.errors import StackError
from companyos.evaluation.baselines import OMITTING, Player, table
from companyos.evaluation.cards import card_with, faults_of
from companyos.evaluation.certify import Certification, CertificationRuns, in_run
from companyos.evaluation.curves import PAGE, is_whole, write_curves
from companyos.evaluation.fewest_steps import keep_fewest_steps
from companyos.evaluation.offered import NotOffered
from companyos.evaluation.runs import EpisodeRecord, FolderUnusable, Run, read_run, refuse_place
from companyos.evaluation.runs.progress import RunProgress
from companyos.sdk import stackpath
from companyos.sdk.scenario import ScenarioUnknown, find, folder_of, load_scenarios
from companyos.sdk.scenario_sources import SETTING

from .commands.certify_options import CertifyOptions
from .commands.numbers import number, span
from .demo import checked_url, trainer_stack
from .output import echo, print_json
from .run.command import INTERRUPTED, about_run, default_folder, failures_told, unless_interrupted
from .run.progress import progress_shown
from .run.stack import TrainerAddress, is_open

#: Folders that hold installed packages.
INSTALLED = {"site-packages", "dist-packages", stackpath.PACKED.name}


def run(
    home: Path | None, *, url: str | None, token: str | None, options: CertifyOptions, as_json: bool
) -> None:
    """Certify, print the report, and with `cards` write it into the scenarios' cards and the chaos page.

    Args:
        home: Folder of the stack, unless `url` names another stack.
        url: Trainer API of another stack.
        token: Token of that trainer API.
        options: What to certify.
        as_json: Whether to print JSON.

    Raises:
        typer.BadParameter: An argument cannot be used as given.
    """
    wanted, url = certification(options), checked_url(url)
    runs = CertificationRuns(wanted, options.out or default_folder("certification", wanted.decisive()))
    if runs.episodes_left():
        with failures_told():
            runs.refuse_folders()
        with trainer_stack(home, url, token) as (address, key):
            is_finished = _play(TrainerAddress(address, key, is_ours=url is None), runs)
        if not is_finished:
            sys.exit(INTERRUPTED)
    else:
        echo("Everything was played before; name another --out to play again.", err=True)
    report = report_of(runs)
    print_json(report) if as_json else echo(table(report))
    echo(f"  results: {runs.out}", err=True)
    if options.cards:
        written = [*write_results(report), *_keep_all_steps(runs)]
        if not as_json:
            echo(f"Written: {', '.join(map(str, written))}.")
    if report["faults"]:
        sys.exit(1)


def report_of(runs: CertificationRuns) -> dict[str, Any]:
    """Return the report on runs.

    Raises:
        StackError: The fewest known steps beside the cards cannot be read.
    """
    try:
        return runs.report()
    except FolderUnusable as failure:
        raise StackError(f"{failure}.") from None


def certification(options: CertifyOptions) -> Certification:
    """Return the certification that the options ask for.

    Raises:
        typer.BadParameter: One of them cannot be used as given.
    """
    seeds, levels = options.seeds, options.levels
    named = options.scenarios or []
    chosen = check_scenarios(named)
    wanted = Certification(
        seeds=seeds_of(seeds),
        scenarios=named,
        levels=span(levels if "-" in levels else f"{levels}-{levels}", "--levels", most=5),
        players=chosen_players(options.agents or []),
        landed=options.landed,
        sample=options.sample,
    )
    for name in chosen if options.cards else ():
        check_card(card_of(name))
    return wanted


def check_scenarios(names: Sequence[str]) -> list[str]:
    """Return the names of the scenarios to certify; all of them if none was given.

    Raises:
        typer.BadParameter: A name is unknown.
    """
    try:
        return [find(name).name for name in names] or list(load_scenarios())
    except ScenarioUnknown as unknown:
        message = f"{unknown} For one of your own, set {SETTING} to its folder"
        raise typer.BadParameter(message, param_hint="SCENARIOS") from None


def chosen_players(names: Sequence[str]) -> list[Player]:
    """Return the named agents, or all of them if none was named.

    Raises:
        typer.BadParameter: A name is unknown.
    """
    if strange := sorted(set(names) - set(Player)):
        raise typer.BadParameter(
            f"there is no agent {strange[0]!r}. Choose from: {', '.join(Player)}", param_hint="--agent"
        )
    return [player for player in Player if not names or player in names]


def write_results(report: Mapping[str, Any]) -> list[Path]:
    """Write the cards, and the chaos page if the report covers all of it; return the paths written."""
    written = [write_card(report, name) for name in report["scenarios"]]
    shipped = PAGE.resolve().parents[2] / "scenarios"
    published = {
        name for name, one in load_scenarios().items() if folder_of(one).resolve().is_relative_to(shipped)
    }
    if PAGE.is_file() and is_whole(report, published):
        write_curves(report)
        written.append(PAGE)
    return written


def _keep_all_steps(runs: CertificationRuns) -> list[Path]:
    """Keep the fewest steps of the agents that solve tasks by what they see; return the files changed."""
    played = [str(player) for player in (Player.ORACLE, *OMITTING) if player in runs.wanted.players]
    found = [read_run(runs.out / name) for name in played]
    return sorted({path for run in found for path in keep_steps(run, run.episodes)})


def keep_steps(run: Run, verified: Sequence[EpisodeRecord]) -> list[Path]:
    """Keep the steps of verified episodes beside the cards, where they are the fewest; return the files changed."""
    try:
        return keep_fewest_steps(run, verified)
    except (FolderUnusable, OSError) as failure:
        raise StackError(f"The fewest known steps were not written: {failure}.") from None


def write_card(report: Mapping[str, Any], name: str) -> Path:
    """Replace the baselines in a scenario's README by those of a report, and return its path."""
    card, measured = card_of(name), report["scenarios"][name]
    try:
        written = card_with(
            card.read_text(encoding="utf-8"), measured, faults_of(report, name), report["untried"]
        )
        card.write_text(written, encoding="utf-8")
    except (OSError, ValueError) as failure:
        raise StackError(f"{card} was not written: {failure}.") from None
    return card


def card_of(name: str) -> Path:
    """Return the README of a scenario."""
    return folder_of(find(name)) / "README.md"


def check_card(card: Path) -> None:
    """Check that a card can be updated before spending hours on its content.

    Raises:
        typer.BadParameter: The card belongs to an installed package, has no place for baselines, or cannot be written.
    """
    if INSTALLED & set(card.parts):
        message = f"{card} belongs to an installed package. Run it in a checkout"
        raise typer.BadParameter(message, param_hint="--cards")
    try:
        card_with(card.read_text(encoding="utf-8"), {"version": 0, "levels": {}})
        refuse_place(card, is_folder=False, option="checkout")
    except FolderUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="--cards") from None
    except (OSError, ValueError) as failure:
        raise typer.BadParameter(f"{card}: {failure}", param_hint="--cards") from None


def seeds_of(text: str) -> range:
    """Parse a range of seeds, or a number of seeds counted from 0.

    Raises:
        typer.BadParameter: There are fewer than two, so there is no counterfactual pair.
    """
    if "-" in text:
        return span(text, "--seeds", fewest=2)
    if (count := number(text, "--seeds")) < 2:
        raise typer.BadParameter(f"{text} is too few; at least 2 are needed", param_hint="--seeds")
    return range(count)


def _play(stack: TrainerAddress, runs: CertificationRuns) -> bool:
    """Play what is left; return whether it was played to the end."""
    recorded = [in_run(name, record) for name, records in runs.recorded().items() for record in records]
    left = runs.episodes_left()
    progress = RunProgress.of(len(recorded) + left, recorded, left, is_of_one_agent=False)
    with failures_told(), progress_shown(progress) as shown:
        try:
            return asyncio.run(_played(stack, replace(runs, watch=shown.watch, say=shown.say)))
        except NotOffered as failure:
            advice = f"Set {SETTING} to the folders of your own, then: `companyos down`, `companyos up`."
            message = f"{stack.url}: {failure} A stack keeps the scenarios it started with. {advice}"
            raise StackError(message) from None


async def _played(stack: TrainerAddress, runs: CertificationRuns) -> bool:
    about = about_run(stack, is_open=await is_open(stack.url))
    return await unless_interrupted(replace(runs, about=about).play(stack.url, stack.token))
