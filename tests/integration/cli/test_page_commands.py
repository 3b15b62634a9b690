"""Commands of pages, run as they stand, print what the pages show."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.command_line import run
from tests.page_blocks import Command, all_commands

from .conftest import CommandLine

#: The commands that are run here, in their order.
RUN: Final = (
    "companyos run vendor_onboarding --agent believes_claims --seeds 2 --chaos 0-1 --oracle --out runs/first",
    "companyos report runs/first --open",
    "companyos run expense_report --agent retries_nothing --seeds 2 --chaos 0 --chaos 3 --oracle",
    "companyos export runs/retries_nothing-405b9086 --format sft --out train.jsonl",
    "companyos verify trace.jsonl",
    "companyos regrade trace.jsonl",
    "companyos replay trace.jsonl",
    "companyos play vendor_onboarding --seed 7",
    "companyos capacity --rollouts 16000 --period 20",
)

Shell = Callable[[str], str]


def command_of(text: str) -> Command:
    """Return the first command of the pages with this text."""
    return next(command for command in all_commands() if command.text == text)


def pattern_of(output: str) -> str:
    """Return a pattern of what a page shows, in which `…` stands for anything."""
    lines = [re.escape(line.strip().replace(" …", "…")).replace("…", ".*") for line in output.splitlines()]
    return r"\s+".join(filter(None, lines))


@pytest.fixture
def shell(running: CommandLine, tmp_path: Path) -> Shell:
    """Runs a command of a page in a folder, on the running stack; it prints what the page shows, and is returned."""

    def run_command(text: str, typed: str = "", shown: str | None = None) -> str:
        words = shlex.split(text)[1:]
        ran = run(
            *words, folder=tmp_path, typed=typed, COMPANYOS_HOME=str(running.home.path), BROWSER="true %s"
        )
        assert ran.returncode == 0, ran.stderr
        expected = command_of(text).output if shown is None else shown
        assert re.search(pattern_of(expected), ran.stdout, re.DOTALL), ran.stdout
        return ran.stdout

    return run_command


def test_the_first_evaluation_of_the_readme_runs_and_its_report_opens(shell: Shell, tmp_path: Path) -> None:
    summary = shell(RUN[0])
    report = shell(RUN[1])

    assert re.search(r"^ +all +all +4 ", summary, re.MULTILINE)
    assert "report: runs/first/report.html" in report


def test_the_evaluation_of_its_page_prints_what_the_page_shows_and_is_exported(
    shell: Shell, tmp_path: Path
) -> None:
    shell(RUN[2])
    shell(RUN[3])

    assert (tmp_path / "train.jsonl").read_text().count("\n") == 2


def test_the_trace_of_the_page_is_verified_regraded_and_replayed(
    shell: Shell, running: CommandLine, tmp_path: Path
) -> None:
    played = running(
        "run", "vendor_onboarding", "--agent", "oracle", "--seeds", "7-7", "--chaos", "0",
        "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    [trace] = (tmp_path / "run" / "traces").glob("*.jsonl")
    shutil.copy(trace, tmp_path / "trace.jsonl")

    for text in RUN[4:7]:
        assert "vendor_onboarding (version" in shell(text)


def test_a_person_types_what_the_page_about_calls_shows(shell: Shell) -> None:
    text = RUN[7]
    brief, *typed = command_of(text).output.splitlines()

    printed = shell(text, typed="\n".join(line.removeprefix("> ") for line in typed), shown=brief)

    assert [printed.count(f"[step {number}, ") for number in (1, 2, 3)] == [1, 1, 1]
    assert "No success" in printed


def test_the_capacity_of_the_page_is_that_of_a_machine(shell: Shell) -> None:
    assert "800 steps" in shell(RUN[8])
