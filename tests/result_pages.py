"""Runs made by `companyos run` on a real stack, and a viewer for them in a separate process."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home, Status
from companyos.sdk import stackpath
from tests.command_line import run
from tests.live_services import free_port
from tests.patience import PATIENCE_S

#: The options of the runs: two scenarios at chaos levels 0 and 3, with one counterfactual pair each.
PLAYED = ("vendor_onboarding", "expense_report", "--chaos", "0", "--chaos", "3")
#: These tasks are about no message, so the first agent solves them all; the second solves none.
AGENTS = ("ignores_messages", "believes_claims")


@dataclass(frozen=True)
class Results:
    """A running stack and the runs made on it, by name."""

    stack: Status
    home: Home
    runs: Mapping[str, Path]


@contextmanager
def made_results(folder: Path) -> Iterator[Results]:
    """Start a stack, play two agents, and yield the results while the stack still runs."""
    home = Home.at(folder / "home")
    with running_stack(home) as stack:
        runs = {agent: folder / "runs" / agent for agent in AGENTS}
        for agent, out in runs.items():
            companyos(home, "run", "--agent", agent, *PLAYED, "--seeds", "2", "--oracle", "--out", str(out))
        yield Results(stack, home, runs)


@contextmanager
def viewer(results: Results) -> Iterator[str]:
    """Run `companyos view` and yield its address."""
    serving = subprocess.Popen(
        [*stackpath.program("view", *map(str, results.runs.values()), "--port", str(free_port()))],
        stdout=subprocess.PIPE,
        text=True,
        env=stackpath.environment(COMPANYOS_HOME=str(results.home.path)),
    )
    assert serving.stdout is not None
    try:
        line = serving.stdout.readline()
        assert line.startswith("viewer: http://127.0.0.1:"), line
        yield line.split()[1].rstrip("/")
    finally:
        serving.terminate()
        serving.wait(timeout=PATIENCE_S)
        serving.stdout.close()


def companyos(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; it must succeed."""
    done = run(*arguments, COMPANYOS_HOME=str(home.path))
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """Runs of two agents, and the stack they were played on."""
    with made_results(tmp_path_factory.mktemp("results")) as made:
        yield made


@pytest.fixture(scope="session")
def viewer_url(results: Results) -> Iterator[str]:
    """The address of a viewer of these runs and of the stack."""
    with viewer(results) as url:
        yield url
