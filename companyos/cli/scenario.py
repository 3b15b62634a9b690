"""The `scenario` commands: create, check and list scenarios."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
import typer

from companyos.client import CompanyosEnv, CompanyosError
from companyos.embedded.detached import running_stack
from companyos.embedded.errors import StackError
from companyos.embedded.home import Home
from companyos.evaluation.conformance import Sample, Verdict, check_acts, check_instances, check_play
from companyos.evaluation.conformance.suite import SALT
from companyos.evaluation.scaffold import SHAPES, NameUnusable, write_scenario
from companyos.sdk.scenario import (
    Scenario,
    ScenariosUnusable,
    ScenarioUnknown,
    find,
    folder_of,
    list_scenarios,
    load_scenario,
)
from companyos.sdk.scenario_sources import SETTING

from .demo import checked_url
from .output import echo, print_columns, print_json

Tell = Callable[[int, int], None]
#: The options of the check that is repeated after every change; it takes about 15 seconds.
QUICK_CHECK: Final = "--levels 0 --seeds 4 --pairs 0"
#: Seconds before the first line about a check's progress, and between two of them.
FIRST_S: Final = 3.0
EVERY_S: Final = 10.0


def new(name: str, *, into: Path, shape: str) -> None:
    """Create a scenario folder and print the next steps."""
    if shape not in SHAPES:
        raise typer.BadParameter(f"{shape!r} is none of {', '.join(SHAPES)}", param_hint="--shape")
    if name in list_scenarios().places:
        raise typer.BadParameter(f"there is a scenario {name} already", param_hint="NAME")
    try:
        written = write_scenario(name, into, shape)
    except NameUnusable as unusable:
        raise typer.BadParameter(str(unusable), param_hint="NAME") from None
    except OSError as failure:
        raise StackError(
            f"{into / name} cannot be written: {failure.strerror}. Choose another --into."
        ) from None
    folder = into / name
    echo(f"Written: {', '.join(path.name for path in written)} in {folder}.")
    known = f"{SETTING}={folder.resolve()}"
    echo(f"Check it:    companyos scenario check {folder} {QUICK_CHECK}  # 15 s")
    echo(f"             companyos scenario check {folder}  # everything: takes minutes")
    echo(f"Serve it:    {known} companyos up --detach")
    echo(f"Certify it:  {known} companyos certify {name} --levels 0-5")


def show_list(*, as_json: bool) -> None:
    """Print every scenario with its version and location; fail if any cannot be used."""
    listing = list_scenarios()
    rows = [
        {"name": name, "version": one.version, "title": one.title, "place": listing.places[name]}
        for name, one in listing.scenarios.items()
    ]
    if as_json:
        print_json({"scenarios": rows, "faults": list(listing.faults)})
    else:
        print_columns(
            [("name", "version", "title", "place"), *([str(v) for v in row.values()] for row in rows)]
        )
    if listing.faults:
        raise StackError(str(ScenariosUnusable(listing.faults)))


@dataclass(frozen=True)
class Extent:
    """How much to check: seeds generated and pairs played at each level; zero pairs skips playing."""

    levels: Sequence[int]
    seeds: int
    pairs: int


def check(target: str, extent: Extent, *, url: str | None, token: str | None, as_json: bool) -> None:
    """Run the conformance suite and print which claims hold; exit with 1 if any claim fails.

    Args:
        target: Name of a scenario, or its folder.
        extent: How much to check.
        url: Trainer API of a stack; None starts one for the check.
        token: Token of that trainer API.
        as_json: Whether to print JSON.
    """
    scenario, url = _found(target), checked_url(url)
    results: list[Verdict] = []
    for verdict in _results(scenario, extent, url, token):
        results.append(verdict)
        if verdict.checked and not as_json:
            _show(verdict)
    failed = sum(not verdict.passed for verdict in results)
    if as_json:
        claims = [_as_data(verdict) for verdict in results]
        summary = {"scenario": scenario.name, "version": scenario.version, "passed": not failed}
        print_json({**summary, "claims": claims})
    else:
        echo(_summary(scenario, results, played=extent.pairs > 0))
    if failed:
        sys.exit(1)


def _found(target: str) -> Scenario:
    """Return the scenario with this name or folder, and register it for stacks that this process starts."""
    folder = Path(target)
    try:
        if not folder.is_dir() and os.sep not in target:
            return find(target)
        _make_known(folder.resolve())
        return load_scenario(folder)
    except ScenarioUnknown as unknown:
        raise StackError(f"{unknown} For one of your own, give its folder.") from None
    except ScenariosUnusable as unusable:
        raise StackError(str(unusable)) from None


def _make_known(folder: Path) -> None:
    known = {Path(place) for place in list_scenarios().places.values()}
    if folder not in known:
        os.environ[SETTING] = os.pathsep.join(filter(None, [os.environ.get(SETTING), str(folder)]))


def _results(scenario: Scenario, extent: Extent, url: str | None, token: str | None) -> Iterator[Verdict]:
    failed = False
    with _progress("generating pairs") as tell:
        for verdict in check_instances(scenario, Sample(seeds=extent.seeds, levels=extent.levels), tell):
            failed = failed or (verdict.about_instances and not verdict.passed)
            yield verdict
    if not extent.pairs:
        return
    if failed:
        yield Verdict("It can be played", ("not tried: fix the failures above first",))
        return
    with _stack(url, token) as (address, access), CompanyosEnv(address, token=access) as env:
        try:
            with _progress("playing pairs") as tell:
                yield from check_play(scenario, env, pairs=extent.pairs, levels=extent.levels, progress=tell)
            with _progress("trying other acts on tasks") as tell:
                yield from check_acts(scenario, address, access, pairs=extent.pairs, progress=tell)
        except (CompanyosError, aiohttp.ClientError) as failure:
            raise StackError(f"{address}: {failure}") from failure


@contextmanager
def _stack(url: str | None, token: str | None) -> Iterator[tuple[str, str | None]]:
    """Yield the address and the token of the stack at `url`, or of a new stack that stops afterwards."""
    if url:
        yield url, token
        return
    os.environ["COMPANYOS_SALT"] = SALT
    echo("starting a stack to play on …", err=True)
    with (
        tempfile.TemporaryDirectory(prefix="companyos-check-") as home,
        running_stack(Home.at(Path(home))) as stack,
    ):
        yield stack.url, stack.trainer_token


@contextmanager
def _progress(doing: str) -> Iterator[Tell]:
    """Show the progress of a check on standard error: a bar on a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield _tell_in_lines(doing)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, planned: bar.update(task, completed=done, total=planned)


def _tell_in_lines(doing: str) -> Tell:
    echo(f"{doing} …", err=True)
    due = time.monotonic() + FIRST_S

    def tell(done: int, planned: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + EVERY_S
            echo(f"{doing}: {done} of {planned}", err=True)

    return tell


def _as_data(verdict: Verdict) -> dict[str, Any]:
    return {
        "claim": verdict.claim,
        "checked": verdict.checked,
        "passed": verdict.checked and verdict.passed,
        "complaints": verdict.complaints,
    }


def _show(verdict: Verdict) -> None:
    mark, color = ("✓", typer.colors.GREEN) if verdict.passed else ("✗", typer.colors.RED)
    echo(f"{mark} ", nl=False, color=color)
    echo(verdict.claim)
    for line in _indented(verdict.complaints):
        echo(line)


def _indented(complaints: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for complaint in complaints for line in complaint.splitlines())


def _summary(scenario: Scenario, results: Sequence[Verdict], *, played: bool) -> str:
    failed = sum(not verdict.passed for verdict in results)
    held = sum(verdict.checked and verdict.passed for verdict in results)
    unchecked = len(results) - failed - held
    if failed:
        result = f"{failed} of {len(results)} claims do not hold"
    else:
        result = f"all {held} claims hold" if not unchecked else f"{held} claims hold"
    more = f"- {unchecked} claims were not checked\n" if unchecked else ""
    last = "" if played or failed else " It was not played."
    return f"{more}\n{scenario.name} {scenario.version} ({folder_of(scenario)}): {result}.{last}"
