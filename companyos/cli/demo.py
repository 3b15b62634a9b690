"""The `demo` command: one pair of tasks told for a person, or every scenario played by two agents."""

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import typer

from companyos.client import CompanyosEnv, CompanyosError
from companyos.client.server import DNS
from companyos.embedded.detached import running_stack
from companyos.embedded.errors import StackError
from companyos.embedded.home import Home
from companyos.sdk.addresses import address_flaw
from companyos.sdk.scenario import find, load_scenarios

from .output import echo, print_columns, print_json, tell_other_code
from .play import Line, Played, lines_of, play_all
from .story import AGENTS, StoryEpisode, play_pair, tell

#: The task that is told, unless another seed is asked for: what the believer reads is out of date, so it fails.
STORY = ("vendor_onboarding", 44)
HEADINGS = ("scenario", "agent", "episodes", "success", "SPL", "mean return", "steps", "steps/s", "invalid")


def run(home: Path | None, *, url: str | None, token: str | None, seed: int | None, as_json: bool) -> None:
    """Play a pair of tasks, and tell what happened.

    Raises:
        StackError: The stack or an episode failed.
    """
    url, scenario, begun = checked_url(url), find(STORY[0]), time.monotonic()
    if not as_json:
        echo("Starting a company: PostgreSQL, Valkey, three services and an orchestrator …")
    with trainer_stack(home, url, token) as (address, key), CompanyosEnv(address, token=key) as env:
        ready = time.monotonic() - begun
        try:
            episodes = play_pair(env, scenario, STORY[1] if seed is None else seed)
        except CompanyosError as failure:
            raise StackError(str(failure)) from failure
    if any(episode.card["invalid"] for episode in episodes):
        raise StackError("The stack failed an episode, which is invalid; see `companyos logs`.")
    if as_json:
        print_json({"url": address, "episodes": [_summary(episode) for episode in episodes]})
        return
    echo(f"It was ready after {ready:.1f} s at {address}.")
    echo("\n".join(tell(scenario, episodes)))
    _print_outcomes(episodes)


def run_all(
    home: Path | None, *, url: str | None, token: str | None, seeds: Sequence[int], as_json: bool
) -> None:
    """Play every scenario with two agents, show every episode, and end with a table.

    Raises:
        StackError: The stack or an episode failed, or the oracle did, which is a defect of the environment.
    """
    url = checked_url(url)
    with trainer_stack(home, url, token) as (address, key), CompanyosEnv(address, token=key) as env:
        try:
            episodes = play_and_show(env, seeds, quiet=as_json)
        except CompanyosError as failure:
            raise StackError(str(failure)) from failure
    lines = lines_of(episodes)
    if as_json:
        print_json({"url": address, "lines": [asdict(line) for line in lines]})
    else:
        print_table(lines)
    refuse_beaten_oracle(lines)


def checked_url(url: str | None) -> str | None:
    """Return the URL of a trainer API, or those of several separated by commas, unchanged.

    Raises:
        typer.BadParameter: It is not an HTTP URL.
    """
    for each in [] if url is None else url.split(","):
        if flaw := address_flaw(each.strip(), ("http", "https", DNS)):
            message = f"{each!r} is not an address like http://localhost:8000: it {flaw}"
            raise typer.BadParameter(message, param_hint="--url")
    return url


@contextmanager
def trainer_stack(home: Path | None, url: str | None, token: str | None) -> Iterator[tuple[str, str | None]]:
    """Yield the URL and token of a stack: the one at `url`, the home's, or a new one."""
    if url:
        yield url, token
        return
    with running_stack(Home.at(home)) as stack:
        tell_other_code(stack)
        yield stack.url, token or stack.trainer_token


def play_and_show(env: CompanyosEnv, seeds: Sequence[int], *, quiet: bool) -> list[Played]:
    """Play every episode and return the outcomes; on a terminal, show each step."""
    scenarios = list(load_scenarios().values())
    steps = play_all(env, scenarios, seeds)
    if quiet:
        return [step for step in steps if step.success is not None]
    echo(f"{len(scenarios)} scenarios, random agent and oracle, seeds {seeds[0]}-{seeds[-1]}, {env.base_url}")
    if sys.stdout.isatty():
        from .live import show_live

        return show_live(steps)
    return show_lines(steps)


def show_lines(steps: Iterator[Played]) -> list[Played]:
    """Print one line for each finished episode."""
    finished = [step for step in steps if step.success is not None and _say(step)]
    echo("")
    return finished


def print_table(lines: Sequence[Line]) -> None:
    """Print the closing table."""
    print_columns([HEADINGS, *(_cells(line) for line in lines)])


def refuse_beaten_oracle(lines: Sequence[Line]) -> None:
    """Fail when the oracle did not solve a task, or an episode could not be played to its end.

    Raises:
        StackError: The environment is at fault, not the agent.
    """
    if invalid := sum(line.invalid for line in lines):
        raise StackError(f"The stack failed {invalid} episodes, which are invalid; see `companyos logs`.")
    beaten = [line.scenario for line in lines if line.agent == "oracle" and line.success < 1]
    if beaten:
        raise StackError(
            f"The oracle failed in {', '.join(beaten)}. This is a defect of CompanyOS; see `companyos logs`."
        )


def _summary(episode: StoryEpisode) -> dict[str, object]:
    card, steps = episode.card, len(episode.records)
    return {
        "agent": episode.agent,
        "seed": episode.seed,
        "success": card["success"],
        "steps": steps,
        "return": card["episode_return"],
    }


def _print_outcomes(episodes: Sequence[StoryEpisode]) -> None:
    """Print how each agent fared on both tasks, and what to do next."""
    first, second = sorted({episode.seed for episode in episodes}, key=lambda seed: seed != episodes[0].seed)
    rows = [[name, *(one.outcome for one in episodes if one.agent == name)] for name in AGENTS]
    echo("")
    print_columns([("agent", f"seed {first}", f"seed {second}"), *rows])
    command = "companyos" if shutil.which("companyos") else ".venv/bin/companyos"
    echo(f"Next, play it yourself: {command} play {STORY[0]} --seed {first}")


def _cells(line: Line) -> Sequence[str]:
    return (
        line.scenario,
        line.agent,
        str(line.episodes),
        f"{line.success:.0%}",
        "-" if line.spl is None else f"{line.spl:.0%}",
        f"{line.mean_return:+.2f}",
        str(line.steps),
        f"{line.steps_per_s:.0f}",
        str(line.invalid),
    )


def _say(step: Played) -> bool:
    outcome = "is invalid" if step.invalid else "succeeded" if step.success else "failed"
    score = f"{step.steps}/{step.max_steps} steps, return {step.episode_return:+.2f}"
    echo(f"  {step.scenario} seed {step.seed}: {step.agent} {outcome} ({score})")
    return True
